import type { Person, Point } from '../../../pipeline/model/index.js';
import { across, along, cross, minus, plus, scaled, unit } from './vectors.js';

/** Names of the 24 parts of the DensePose convention, by number minus one (Güler et al., DensePose, CVPR 2018). */
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
  /** Unit vectors orthogonal to the axis and to each other. */
  readonly facing: Point;
  readonly side: Point;
  /** Parts of the half towards `facing` and of the other one; a single one covers the whole limb. */
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

/** Radii at both ends, metres. */
const RADII = {
  neck: [0.06, 0.05],
  head: [0.09, 0.09],
  upperArm: [0.055, 0.045],
  lowerArm: [0.045, 0.033],
  hand: [0.038, 0.035],
  upperLeg: [0.085, 0.06],
  lowerLeg: [0.06, 0.042],
  foot: [0.038, 0.035],
} as const;
const ALL: Limb['v'] = [0, 1];

/** The 15 limbs of a person: their position is inferred, their thickness is assumed. */
export function limbsOf(person: Person): readonly Limb[] {
  const { keypoints: at } = person;
  const { up, left, forward } = axesOf(person);
  const right = scaled(left, -1);
  const back = scaled(forward, -1);
  const shoulders = middle(at[5]!, at[6]!);
  const hips = middle(at[11]!, at[12]!);
  const ears = middle(at[3]!, at[4]!);
  const hipError = (at[11]!.error + at[12]!.error) / 2;
  const shoulderError = (at[5]!.error + at[6]!.error) / 2;
  const headError = (at[3]!.error + at[4]!.error) / 2;
  const headLeft = unit(across(minus(at[3]!, at[4]!), up), left);

  const bone = (a: number, b: number, radii: Limb['radii'], parts: Limb['parts'], facing: Point): Limb => {
    const errors: Limb['errors'] = [at[a]!.error, at[b]!.error];
    return tube(at[a]!, at[b]!, facing, facing === forward ? left : back, radii, 1, parts, true, ALL, errors);
  };
  const hand = (elbow: number, wrist: number, part: number): Limb => {
    const { error } = at[wrist]!;
    const end = handOf(at[elbow]!, at[wrist]!, up);
    return tube(at[wrist]!, end, forward, left, RADII.hand, 1, [part], true, ALL, [error, error]);
  };
  const foot = (knee: number, ankle: number, part: number): Limb => {
    const { error } = at[ankle]!;
    const end = footOf(at[knee]!, at[ankle]!, forward);
    return tube(at[ankle]!, end, up, left, RADII.foot, 1, [part], true, ALL, [error, error]);
  };
  const trunk: Limb['radii'] = [distance(at[11]!, at[12]!) / 2 + 0.07, distance(at[5]!, at[6]!) / 2 + 0.01];
  const [low, high] = [plus(hips, scaled(up, -0.08)), plus(shoulders, scaled(up, 0.04))];
  const [chin, crown] = [plus(ears, scaled(up, -HEAD)), plus(ears, scaled(up, HEAD))];

  return [
    tube(low, high, forward, left, trunk, 0.6, [2, 1], false, [0, 0.9], [hipError, shoulderError]),
    tube(shoulders, ears, forward, left, RADII.neck, 1, [2, 1], true, [0.9, 1], [shoulderError, headError]),
    tube(chin, crown, headLeft, back, RADII.head, 0.9, [24, 23], true, ALL, [headError, headError]),
    bone(5, 7, RADII.upperArm, [17, 15], left),
    bone(6, 8, RADII.upperArm, [18, 16], right),
    bone(7, 9, RADII.lowerArm, [21, 19], left),
    bone(8, 10, RADII.lowerArm, [22, 20], right),
    hand(7, 9, 4),
    hand(8, 10, 3),
    bone(11, 13, RADII.upperLeg, [10, 8], forward),
    bone(12, 14, RADII.upperLeg, [9, 7], forward),
    bone(13, 15, RADII.lowerLeg, [14, 12], forward),
    bone(14, 16, RADII.lowerLeg, [13, 11], forward),
    foot(13, 15, 5),
    foot(14, 16, 6),
  ];
}

/** Radius of the body around each joint, metres; the trunk's own is added to hips and shoulders by its limbs. */
const AROUND = [0.04, 0.04, 0.04, 0.09, 0.09, 0.055, 0.055, 0.045, 0.045, 0.038, 0.038, 0.085, 0.085].concat([
  0.06, 0.06, 0.042, 0.042,
]);

/**
 * Balls that contain the body, as [centre, radius] pairs: the basis of its bounding box, at a fraction of the
 * limbs' cost.
 */
export function eachBall(person: Person, ball: (centre: Point, radius: number) => void): void {
  const { keypoints: at } = person;
  const { up, forward } = axesOf(person);
  for (let joint = 0; joint < AROUND.length; joint++) ball(at[joint]!, AROUND[joint]!);
  const ears = middle(at[3]!, at[4]!);
  ball(plus(ears, scaled(up, HEAD)), RADII.head[1]);
  ball(plus(ears, scaled(up, -HEAD)), RADII.head[0]);
  ball(handOf(at[7]!, at[9]!, up), RADII.hand[1]);
  ball(handOf(at[8]!, at[10]!, up), RADII.hand[1]);
  ball(footOf(at[13]!, at[15]!, forward), RADII.foot[1]);
  ball(footOf(at[14]!, at[16]!, forward), RADII.foot[1]);
}

/** Tip of the hand: the extension of the forearm. */
const handOf = (elbow: Point, wrist: Point, up: Point): Point =>
  plus(wrist, scaled(unit(minus(wrist, elbow), scaled(up, -1)), HAND));

/** Tip of the foot: forward, orthogonal to the shin. */
const footOf = (knee: Point, ankle: Point, forward: Point): Point =>
  plus(ankle, scaled(unit(across(forward, minus(ankle, knee)), forward), FOOT));

/** The trunk's own axes: from hips to shoulders, to the person's left, and the direction of the chest. */
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

/** A limb between two points that faces as close to `facing` as possible; if that is along its axis, `instead`. */
function tube(
  from: Point,
  to: Point,
  facing: Point,
  instead: Point,
  radii: Limb['radii'],
  flatness: number,
  parts: Limb['parts'],
  round: boolean,
  v: Limb['v'],
  errors: Limb['errors'],
): Limb {
  const axis = minus(to, from);
  const front = unit(across(facing, axis), unit(across(instead, axis), facing));
  const side = unit(cross(axis, front), instead);
  return { from, to, radii, flatness, facing: front, side, parts, round, v, errors };
}

const middle = (a: Point, b: Point): Point => scaled(plus(a, b), 0.5);
const distance = (a: Point, b: Point): number => Math.sqrt(along(minus(a, b), minus(a, b)));
