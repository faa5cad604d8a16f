import type { Person, Point } from '../../../pipeline/model/index.js';
import { across, along, cross, minus, plus, scaled, unit } from './vectors.js';

/** Names of the 24 parts of the DensePose convention, by number less one (Güler et al., DensePose, CVPR 2018). */
export const PART_NAMES = [
  'torso_back',
  'torso_front',
  'right_hand',
  'left_hand',
  'left_foot',
  'right_foot',
  'right_upper_leg_back',
  'left_upper_leg_back',
  'right_upper_leg_front',
  'left_upper_leg_front',
  'right_lower_leg_back',
  'left_lower_leg_back',
  'right_lower_leg_front',
  'left_lower_leg_front',
  'left_upper_arm_inner',
  'right_upper_arm_inner',
  'left_upper_arm_outer',
  'right_upper_arm_outer',
  'left_lower_arm_inner',
  'right_lower_arm_inner',
  'left_lower_arm_outer',
  'right_lower_arm_outer',
  'head_right',
  'head_left',
] as const;

/** A limb as a tapering tube of elliptic section, in room metres. */
export interface Limb {
  readonly from: Point;
  readonly to: Point;
  /** Half of its width at both ends, across `side`. */
  readonly radii: readonly [number, number];
  /** Half of its depth, along `facing`, in half widths. */
  readonly flatness: number;
  /** Unit vectors that make a right angle with the axis and each other. */
  readonly facing: Point;
  readonly side: Point;
  /** Parts of the half towards `facing` and of the other one; a single one goes all round. */
  readonly parts: readonly [number] | readonly [number, number];
  /** Whether its ends are round. */
  readonly round: boolean;
  /** V at both ends. */
  readonly v: readonly [number, number];
  /** Error scale of the joints at both ends, metres. */
  readonly errors: readonly [number, number];
}

/** Length of a hand and of a foot beyond wrist and ankle; of the head up and down from the ears. Metres. */
const [HAND, FOOT, HEAD] = [0.16, 0.2, 0.065];

/** The 16 limbs of a person: where they are is inferred, how thick they are is assumed. */
export function limbsOf(person: Person): readonly Limb[] {
  const { keypoints: at } = person;
  const axes = axesOf(person);
  const { up, left, forward } = axes;
  const right = scaled(left, -1);
  const back = scaled(forward, -1);
  const [shoulders, hips, ears] = [middle(at[5]!, at[6]!), middle(at[11]!, at[12]!), middle(at[3]!, at[4]!)];

  const limb = (
    [a, b]: readonly [number, number],
    radii: Limb['radii'],
    parts: Limb['parts'],
    facing: Point,
  ): Limb => ({
    ...tube(at[a]!, at[b]!, facing, facing === forward ? left : back),
    ...{ radii, flatness: 1, parts, round: true, v: [0, 1], errors: [at[a]!.error, at[b]!.error] },
  });
  const tip = (end: number, before: number, length: number, towards: Point, part: number): Limb => {
    const axis = minus(at[end]!, at[before]!);
    const direction = part <= 4 ? unit(axis, towards) : unit(across(towards, axis), towards);
    const { error } = at[end]!;
    return {
      ...tube(at[end]!, plus(at[end]!, scaled(direction, length)), part <= 4 ? forward : up, left),
      ...{
        radii: [0.038, 0.035],
        flatness: 1,
        parts: [part],
        round: true,
        v: [0, 1],
        errors: [error, error],
      },
    };
  };
  const trunkErrors: Limb['errors'] = [
    (at[11]!.error + at[12]!.error) / 2,
    (at[5]!.error + at[6]!.error) / 2,
  ];
  const headError = (at[3]!.error + at[4]!.error) / 2;
  const headLeft = unit(across(minus(at[3]!, at[4]!), up), left);

  return [
    {
      ...tube(plus(hips, scaled(up, -0.08)), plus(shoulders, scaled(up, 0.04)), forward, left),
      radii: [distance(at[11]!, at[12]!) / 2 + 0.07, distance(at[5]!, at[6]!) / 2 + 0.01],
      ...{ flatness: 0.6, parts: [2, 1], round: false, v: [0, 0.9], errors: trunkErrors },
    },
    {
      ...tube(shoulders, ears, forward, left),
      ...{ radii: [0.06, 0.05], flatness: 1, parts: [2, 1], round: true, v: [0.9, 1] },
      errors: [trunkErrors[1], headError],
    },
    {
      ...tube(plus(ears, scaled(up, -HEAD)), plus(ears, scaled(up, HEAD)), headLeft, back),
      ...{ radii: [0.09, 0.09], flatness: 0.9, parts: [24, 23], round: true, v: [0, 1] },
      errors: [headError, headError],
    },
    limb([5, 7], [0.055, 0.045], [17, 15], left),
    limb([6, 8], [0.055, 0.045], [18, 16], right),
    limb([7, 9], [0.045, 0.033], [21, 19], left),
    limb([8, 10], [0.045, 0.033], [22, 20], right),
    tip(9, 7, HAND, scaled(up, -1), 4),
    tip(10, 8, HAND, scaled(up, -1), 3),
    limb([11, 13], [0.085, 0.06], [10, 8], forward),
    limb([12, 14], [0.085, 0.06], [9, 7], forward),
    limb([13, 15], [0.06, 0.042], [14, 12], forward),
    limb([14, 16], [0.06, 0.042], [13, 11], forward),
    tip(15, 13, FOOT, forward, 5),
    tip(16, 14, FOOT, forward, 6),
  ];
}

/** The trunk's own axes: from hips to shoulders, to the person's left, and where the chest looks. */
function axesOf({ keypoints: at, heading }: Person): {
  readonly up: Point;
  readonly left: Point;
  readonly forward: Point;
} {
  const up = unit(minus(middle(at[5]!, at[6]!), middle(at[11]!, at[12]!)), { x: 0, y: 0, z: 1 });
  const between = plus(minus(at[5]!, at[6]!), minus(at[11]!, at[12]!));
  const ahead = { x: Math.cos(heading ?? 0), y: Math.sin(heading ?? 0), z: 0 };
  const left = unit(across(between, up), unit(cross(up, ahead), { x: 0, y: 1, z: 0 }));
  return { up, left, forward: cross(left, up) };
}

/** A tube between two points that faces as nearly as it can; where that is along its axis, as `instead` says. */
function tube(from: Point, to: Point, facing: Point, instead: Point) {
  const axis = minus(to, from);
  const front = unit(across(facing, axis), unit(across(instead, axis), facing));
  return { from, to, facing: front, side: unit(cross(axis, front), instead) };
}

const middle = (a: Point, b: Point): Point => scaled(plus(a, b), 0.5);
const distance = (a: Point, b: Point): number => Math.sqrt(along(minus(a, b), minus(a, b)));
