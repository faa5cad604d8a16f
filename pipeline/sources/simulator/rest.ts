import type { Activity, Step } from './person/activities.js';
import type { Actor, Key } from './person/actor.js';
import { POSE } from './person/body.js';
import { FREE } from './person/free.js';
import { blend, ease, kneeling, lying, sitting, sittingLow } from './person/poses.js';
import { Random } from './shared/random.js';

/** Sitting, lying and kneeling: the way into these postures, and small movements during them. */

/** On a chair, or low on a sofa; `fast` drops onto it. */
export function sitDown(actor: Actor, { on = 'chair', fast = false }: Pick<Step, 'on' | 'fast'> = {}): void {
  if (actor.posture === 2) actor.getUp();
  const { random } = actor;
  const target = on === 'sofa' ? sittingLow(random) : sitting(random);
  actor.moveClear([target], 'feet');
  const seconds = fast ? random.uniform(0.45, 0.8) : random.uniform(1.2, 2.2);
  const lean = target.slice();
  blend(actor.last, lean, 0.5);
  lean[POSE.spine]! += random.uniform(0.25, 0.5) * (fast ? 0.5 : 1);
  const keys: Key[] = [
    [(fast ? 0.4 : 0.55) * seconds, lean],
    [seconds, target],
  ];
  // After a drop the body sinks in and rebounds.
  if (fast) keys.splice(1, 1, [seconds, sunk(target)], [seconds + random.uniform(0.2, 0.4), target]);
  actor.posture = 1;
  actor.through('sit_down', keys, 'feet');
}

const sunk = (seated: Float64Array): Float64Array => {
  const pose = seated.slice();
  pose[POSE.spine]! += 0.15;
  for (let side = 0; side < 2; side++) {
    pose[POSE.hipLeft + side]! += 0.1;
    pose[POSE.kneeLeft + side]! += 0.1;
  }
  return pose;
};

/** On a bed, a sofa or the floor, after sitting down; `fast` drops onto it. */
export function lieDown(actor: Actor, { on = 'bed', fast = false }: Pick<Step, 'on' | 'fast'> = {}): void {
  if (actor.posture === 2) return;
  const { random } = actor;
  const target = lying(random, on === 'floor' ? 0 : random.uniform(0.4, 0.55));
  if (actor.posture === 0) {
    actor.moveClear([target], 'pelvis');
    sitDown(actor, { fast });
  }
  // Sitting down moved the pelvis, so a seated person turns until there is space to lie.
  actor.moveClear([target], 'pelvis');
  actor.posture = 2;
  const seconds = fast ? random.uniform(0.6, 1) : random.uniform(1.6, 3);
  actor.through('lie_down', [[seconds, target]], 'pelvis');
}

/** Kneels for a while, then gets up again. */
export function kneel(actor: Actor, seconds?: number): void {
  const { random } = actor;
  const target = kneeling(random);
  actor.moveClear([target], 'feet');
  const down = random.uniform(0.8, 1.6);
  actor.through('kneel', [[down, target]], 'feet');
  rest(actor, 'kneel', seconds ?? random.uniform(1.5, 5));
  actor.getUp();
}

/** Minimum seconds before the first small movement. */
const FIRST_MOVEMENT = 8;
/** Mean seconds between small movements. */
const BETWEEN = { sit: 30, lie: 60, kneel: 12 };

/**
 * Stays in the current pose. During long rests, the person sometimes moves a limb or the head, or turns
 * slightly.
 */
export function rest(actor: Actor, activity: 'sit' | 'lie' | 'kneel', seconds: number): void {
  const pose = actor.last.slice();
  // An independent stream: the duration of a rest does not change later motion.
  const random = new Random(actor.body.height * 2 ** 32, Math.round(actor.timeline.duration * 1000));
  const movements: Movement[] = [];
  let from: Float64Array = pose;
  for (let start = FIRST_MOVEMENT; ; start += FIRST_MOVEMENT) {
    start -= BETWEEN[activity] * Math.log(1 - random.next());
    const duration = random.uniform(0.4, 2);
    if (start + duration > seconds) break;
    const to = moved(random, pose, activity);
    movements.push({ start, duration, from, to });
    from = to;
  }
  actor.add(activity, seconds, true, atRest(pose, movements));
}

interface Movement {
  readonly start: number;
  readonly duration: number;
  readonly from: Float64Array;
  readonly to: Float64Array;
}

function atRest(first: Float64Array, movements: readonly Movement[]) {
  let found = 0;
  return (time: number, out: Float64Array): void => {
    if (movements.length === 0 || time <= movements[0]!.start) {
      out.set(first);
      return;
    }
    if (time < movements[found]!.start) found = 0;
    while (found + 1 < movements.length && time >= movements[found + 1]!.start) found++;
    const { start, duration, from, to } = movements[found]!;
    out.set(to);
    blend(from, out, 1 - ease(Math.min(1, (time - start) / duration)));
  };
}

/** A rest pose with an arm, a leg or the head moved: small compared with getting up. */
function moved(random: Random, rest: Float64Array, activity: Activity): Float64Array {
  const pose = rest.slice();
  if (pose[POSE.free] === 1) return turnedLimb(random, pose);
  const side = random.below(2);
  const kind = random.weighted([3, 2, activity === 'lie' ? 2 : 1, 1]);
  if (kind === 0) {
    pose[POSE.shoulderLeft + side]! += random.uniform(-0.3, 0.6);
    pose[POSE.elbowLeft + side]! += random.uniform(-0.1, 0.8);
  } else if (kind === 1) {
    pose[POSE.neck]! += random.uniform(-0.25, 0.25);
  } else if (kind === 2) {
    const by = random.uniform(0, 0.3);
    pose[POSE.kneeLeft + side]! += 2 * by;
    pose[POSE.hipLeft + side]! += activity === 'lie' ? by : 0.2 * by;
  } else {
    pose[POSE.spine]! += random.uniform(-0.1, 0.15);
  }
  return pose;
}

/** A person in a recorded lying pose moves a whole arm or leg. */
function turnedLimb(random: Random, pose: Float64Array): Float64Array {
  const limb = POSE.directions + 3 * random.below(2) + (random.chance(0.6) ? FREE.upperArm : FREE.thigh);
  for (const at of [limb, limb + 6]) {
    for (let axis = 0; axis < 3; axis++) pose[at + axis]! += 0.2 * random.normal();
  }
  return pose;
}
