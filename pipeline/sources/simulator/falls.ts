import type { Actor } from './person/actor.js';
import { POSE } from './person/body.js';
import { DIRECTIONS, fallCourse, type Direction, type FallKind } from './person/fall.js';
import { crouching, fallen, lying, reaching, seatedOnFloor, squatting, blend, ease } from './person/poses.js';
import { clamp } from './shared/room.js';
import { MARGIN } from './person/walk.js';

/** Falls: while walking, from standing, along a wall, off a chair, off a bed. */

/** Falls from the current position: a person who sits or lies on a bed falls off it. */
export function fall(actor: Actor, kind?: FallKind): void {
  if (actor.posture === 2 && !actor.raised) actor.getUp();
  if (actor.raised) fallOffBed(actor);
  else if (actor.posture === 1) fallOffChair(actor, kind);
  else if (kind === 'slump') slump(actor);
  else if (kind === 'slide') slideDown(actor);
  else topple(actor, kind ?? anyDirection(actor));
}

const anyDirection = ({ random }: Actor): Direction => DIRECTIONS[random.below(DIRECTIONS.length)]!;

/** Rotates about the feet, with the momentum of the walk. */
function topple(actor: Actor, kind: Direction): void {
  const { random, footing } = actor;
  const moving = actor.timeline.activity === 'walk' ? actor.timeline.endSpeed() : 0;
  const end = fallen(random, kind);
  const heading = actor.heading;
  const drift = moving * 0.25;
  const ahead = actor.last.slice();
  ahead[POSE.x]! += drift * Math.cos(heading);
  ahead[POSE.y]! += drift * Math.sin(heading);
  const targets = [end, ...reaching(actor.last)];
  actor.moveClear(targets, 'feet');
  const first = actor.last.slice();
  const course = fallCourse(random, kind, actor.body.height);
  const feet = footing.feetOf(first);
  const facing = first[POSE.heading]!;
  // After turning to find space, or near a wall, a person falls from standing.
  const run =
    facing === heading && targets.every((target) => footing.inside(ahead, target, 'feet')) ? moving : 0;
  actor.posture = 2;
  actor.add('fall', course.duration, false, (time, out) => {
    course.at(time, first, end, out);
    out[POSE.free]! *= Math.max(0, 1 - time / 0.3);
    const slide = 0.25 * run * (1 - Math.exp(-time / 0.25));
    out.set(first.subarray(0, 3));
    footing.plant(out, feet.x + slide * Math.cos(facing), feet.y + slide * Math.sin(facing));
  });
}

/** The legs give way: down on the spot within a second, then over to one side. */
function slump(actor: Actor): void {
  const { random } = actor;
  const end = fallen(random, random.chance(0.5) ? 'left' : 'right');
  for (let side = 0; side < 2; side++) {
    end[POSE.hipLeft + side] = random.uniform(0.6, 1.2);
    end[POSE.kneeLeft + side] = random.uniform(1.2, 1.9);
  }
  actor.moveClear([end, crouching(random)], 'feet');
  const low = squatting(random, 1.5);
  low[POSE.roll] = 0.25 * end[POSE.roll]!;
  collapse(actor, [low, end], random.uniform(0.8, 1.4));
}

/** Goes to a wall, slides down it slowly, sits there, and usually tips over at the end. */
function slideDown(actor: Actor): void {
  const { random, size, last } = actor;
  const ways = [last[0]!, size.x - last[0]!, last[1]!, size.y - last[1]!];
  const wall = ways.indexOf(Math.min(...ways));
  const at = wall & 1 ? [size.x, size.y][wall >> 1]! - MARGIN : MARGIN;
  const to = wall < 2 ? ([at, last[1]!] as const) : ([last[0]!, at] as const);
  actor.walk({ activity: 'walk', to });
  actor.turnTo([0, Math.PI, Math.PI / 2, -Math.PI / 2][wall]!);
  const seated = seatedOnFloor(random);
  const seconds = random.uniform(1.5, 4);
  actor.through('fall', [[seconds, seated]], 'feet');
  actor.posture = 2;
  if (random.chance(0.3)) return;
  const end = seated.slice();
  end[POSE.roll] = random.sign() * (Math.PI / 2);
  actor.through('fall', [[random.uniform(0.2, 1.5), seated]], 'pelvis');
  collapse(actor, [end], random.uniform(0.6, 1.2), 'pelvis');
}

/** Falls from a chair, forward or to one side. */
function fallOffChair(actor: Actor, kind?: FallKind): void {
  const { random } = actor;
  const sideways = random.chance(0.5) ? 'left' : 'right';
  const towards = kind === 'left' || kind === 'right' || kind === 'forward' ? kind : undefined;
  const end = fallen(random, towards ?? (random.chance(0.4) ? 'forward' : sideways));
  actor.moveClear([end], 'pelvis');
  const tipping = actor.last.slice();
  tipping[POSE.spine]! += 0.6;
  tipping[POSE.roll] = 0.3 * end[POSE.roll]!;
  collapse(actor, [tipping, end], random.uniform(0.7, 1.3), 'pelvis');
}

/** Moves through poses with increasing speed, like an unsupported body, and stops at the last one. */
function collapse(
  actor: Actor,
  poses: readonly Float64Array[],
  seconds: number,
  anchor: 'feet' | 'pelvis' = 'feet',
): void {
  const first = actor.last.slice();
  const course = [first, ...poses];
  const feet = actor.footing.feetOf(first);
  actor.posture = 2;
  actor.add('fall', seconds + 0.5, false, (time, out) => {
    const scaled = (course.length - 1) * Math.min(1, time / seconds) ** 1.7;
    const from = Math.min(course.length - 2, scaled | 0);
    out.set(course[from + 1]!);
    blend(course[from]!, out, 1 - (scaled - from));
    out.set(first.subarray(0, 3));
    if (anchor === 'feet') actor.footing.plant(out, feet.x, feet.y);
  });
}

/** Sideways distance that a person moves when rolling off a bed, metres. */
const OFF_BED = 0.65;

/** Rolls over the edge of a bed and drops to the floor beside it, usually face down. */
function fallOffBed(actor: Actor): void {
  const { random, last, footing } = actor;
  const sides = last[POSE.roll] === 0 ? [random.sign(), 1, -1] : [Math.sign(last[POSE.roll]!)];
  const turned = sides.map((side) => onSide(last, side));
  const end = lying(random, 0);
  end.set(turned[0]!.subarray(POSE.pitch, POSE.roll + 1), POSE.pitch);
  const lands = (from: Float64Array): Float64Array => {
    const pose = end.slice();
    pose[POSE.x] = from[POSE.x]! + OFF_BED * Math.cos(from[POSE.heading]!);
    pose[POSE.y] = from[POSE.y]! + OFF_BED * Math.sin(from[POSE.heading]!);
    pose[POSE.heading] = from[POSE.heading]!;
    pose[POSE.roll] = from[POSE.roll]!;
    pose[POSE.pitch] = random.uniform(0.6, 1) * (Math.PI / 2);
    return pose;
  };
  const choices = turned.map((from) => ({ from, to: lands(from) }));
  const { from, to } = choices.find(({ to: pose }) => footing.inside(pose, pose, 'pelvis')) ?? choices[0]!;
  keepOffWalls(actor, to);
  const height = from[POSE.support]!;
  const rolling = random.uniform(0.5, 1.1);
  const dropping = Math.sqrt((2 * height) / 9.81);
  actor.posture = 2;
  actor.add('fall', rolling + dropping + 0.6, false, (time, out) => {
    // The edge is at two thirds of the way; free fall follows.
    const over = clamp((time - rolling) / dropping, 0, 1);
    const share = (2 / 3) * ease(clamp(time / rolling, 0, 1)) + over / 3;
    for (let i = 0; i < out.length; i++) out[i] = from[i]! + share * (to[i]! - from[i]!);
    out[POSE.support] = height * (1 - over * over);
  });
}

/** The same pose with the rotation about the body's long axis in `pitch`, so that the body can roll over. */
function onSide(pose: Float64Array, side: number): Float64Array {
  const turned = pose.slice();
  if (pose[POSE.roll] !== 0) return turned;
  turned[POSE.heading]! -= side * (Math.PI / 2);
  turned[POSE.roll] = side * (Math.PI / 2);
  return turned;
}

function keepOffWalls({ size }: Actor, pose: Float64Array): void {
  pose[POSE.x] = clamp(pose[POSE.x]!, 0.3, size.x - 0.3);
  pose[POSE.y] = clamp(pose[POSE.y]!, 0.3, size.y - 0.3);
}
