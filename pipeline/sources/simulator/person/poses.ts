import { POSE, POSE_SIZE } from './body.js';
import { FREE } from './free.js';
import type { Direction } from './fall.js';
import type { Random } from '../shared/random.js';
import { clamp, type Size } from '../shared/room.js';
import { MARGIN } from './walk.js';

/** Poses of people, each with random variation of its kind, and the transitions between them. */

/** Standing at a random place, or at `at` as far as the walls allow, facing a random direction. */
export function homePose(random: Random, size: Size, at?: readonly [number, number]): Float64Array {
  const pose = standing(random);
  const inside = (value: number, extent: number) => clamp(value, MARGIN, extent - MARGIN);
  pose[POSE.x] = inside(at?.[0] ?? random.uniform(MARGIN, size.x - MARGIN), size.x);
  pose[POSE.y] = inside(at?.[1] ?? random.uniform(MARGIN, size.y - MARGIN), size.y);
  pose[POSE.heading] = random.uniform(-Math.PI, Math.PI);
  return pose;
}

export function standing(random: Random): Float64Array {
  const pose = new Float64Array(POSE_SIZE);
  for (let side = 0; side < 2; side++) {
    pose[POSE.shoulderLeft + side] = random.uniform(-0.05, 0.15);
    pose[POSE.elbowLeft + side] = random.uniform(0.1, 0.5);
    pose[POSE.armLeft + side] = random.uniform(0.05, 0.15);
  }
  return pose;
}

export function sitting(random: Random): Float64Array {
  const pose = standing(random);
  const hip = random.uniform(1.35, 1.55);
  pose[POSE.spine] = random.uniform(-0.1, 0.15);
  for (let side = 0; side < 2; side++) {
    pose[POSE.hipLeft + side] = hip;
    pose[POSE.kneeLeft + side] = hip + random.uniform(-0.15, 0.1);
    pose[POSE.spreadLeft + side] = random.uniform(0.02, 0.2);
    pose[POSE.shoulderLeft + side] = random.uniform(0.3, 0.7);
    pose[POSE.elbowLeft + side] = random.uniform(0.5, 1.1);
  }
  return pose;
}

/** Low on a sofa: leaning back, with the knees higher than the hips. */
export function sittingLow(random: Random): Float64Array {
  const pose = sitting(random);
  const back = random.uniform(0.15, 0.4);
  pose[POSE.pitch] = -back;
  pose[POSE.neck] = 0.7 * back;
  for (let side = 0; side < 2; side++) {
    pose[POSE.hipLeft + side] = random.uniform(1.45, 1.6);
    pose[POSE.kneeLeft + side] = pose[POSE.hipLeft + side]! + back + random.uniform(-0.3, 0.05);
  }
  return pose;
}

/** On both knees, upright or sitting back on the heels. */
export function kneeling(random: Random): Float64Array {
  const pose = standing(random);
  const hip = random.uniform(0, 0.8);
  pose[POSE.spine] = random.uniform(0, 0.5);
  for (let side = 0; side < 2; side++) {
    pose[POSE.hipLeft + side] = hip;
    pose[POSE.kneeLeft + side] = hip + random.uniform(1.55, 1.65);
    pose[POSE.shoulderLeft + side] = random.uniform(0.1, 0.8);
    pose[POSE.elbowLeft + side] = random.uniform(0.3, 1.2);
  }
  return pose;
}

/** On hands and knees. */
export function crawling(random: Random): Float64Array {
  const pose = standing(random);
  const pitch = random.uniform(1.25, 1.32);
  pose[POSE.pitch] = pitch;
  pose[POSE.neck] = -random.uniform(0.2, 0.6);
  for (let side = 0; side < 2; side++) {
    pose[POSE.hipLeft + side] = pitch;
    pose[POSE.kneeLeft + side] = Math.PI / 2;
    pose[POSE.shoulderLeft + side] = pitch;
    pose[POSE.elbowLeft + side] = 0;
  }
  return pose;
}

/** Standing with bent knees: `depth` 1 is halfway down, 1.6 sits on the heels. */
export function squatting(random: Random, depth: number): Float64Array {
  const pose = standing(random);
  pose[POSE.spine] = 0.4 * depth;
  pose[POSE.hipLeft] = pose[POSE.hipRight] = depth;
  pose[POSE.kneeLeft] = pose[POSE.kneeRight] = 1.3 * depth;
  return pose;
}

/** Between lying on the floor and standing. */
export function crouching(random: Random): Float64Array {
  const pose = sitting(random);
  pose[POSE.hipLeft] = pose[POSE.hipRight] = 1.9;
  pose[POSE.kneeLeft] = pose[POSE.kneeRight] = 2.1;
  pose[POSE.spine] = 0.35;
  return pose;
}

/** On the floor, with the knees drawn up and the trunk upright. */
export function seatedOnFloor(random: Random): Float64Array {
  const pose = standing(random);
  const hip = random.uniform(1.8, 2.2);
  pose[POSE.spine] = random.uniform(0, 0.3);
  pose[POSE.neck] = random.uniform(0, 0.6);
  for (let side = 0; side < 2; side++) {
    pose[POSE.hipLeft + side] = hip;
    pose[POSE.kneeLeft + side] = hip + random.uniform(0.1, 0.4);
  }
  return pose;
}

/** One hand on the floor. */
export function stooping(random: Random): Float64Array {
  const pose = bent(random);
  const hand = random.below(2);
  pose[POSE.spine]! += 0.2;
  pose[POSE.shoulderLeft + hand] = random.uniform(1.2, 1.6);
  pose[POSE.elbowLeft + hand] = random.uniform(0, 0.2);
  pose[POSE.shoulderRight - hand] = random.uniform(0, 0.6);
  return pose;
}

/** `from` with both arms stretched forward and to the sides. */
export const reaching = (from: Float64Array): Float64Array[] =>
  [0.1, 1.2].map((wide) => {
    const pose = from.slice();
    pose[POSE.shoulderLeft] = pose[POSE.shoulderRight] = Math.PI / 2;
    pose[POSE.elbowLeft] = pose[POSE.elbowRight] = 0;
    pose[POSE.armLeft] = pose[POSE.armRight] = wide;
    return pose;
  });

/** Half of the time with bent knees, otherwise with straight ones. */
export function bent(random: Random): Float64Array {
  const pose = standing(random);
  const squat = random.chance(0.5);
  const hip = squat ? random.uniform(1.2, 1.7) : random.uniform(0.1, 0.3);
  const knee = squat ? random.uniform(1.5, 2) : random.uniform(0.05, 0.3);
  pose[POSE.spine] = squat ? random.uniform(0.5, 0.9) : random.uniform(1, 1.5);
  for (let side = 0; side < 2; side++) {
    pose[POSE.hipLeft + side] = hip;
    pose[POSE.kneeLeft + side] = knee;
    pose[POSE.shoulderLeft + side] = random.uniform(0.6, 1.2);
  }
  return pose;
}

/** On the back or a side, with more or less straight legs. */
export function lying(random: Random, support: number): Float64Array {
  const pose = standing(random);
  pose[POSE.support] = support;
  const side = random.weighted([0.6, 0.2, 0.2]);
  if (side === 0) pose[POSE.pitch] = -Math.PI / 2;
  else pose[POSE.roll] = (side === 1 ? 1 : -1) * (Math.PI / 2);
  const legs = random.uniform(0, side === 0 ? 0.2 : 0.9);
  for (let limb = 0; limb < 2; limb++) {
    pose[POSE.hipLeft + limb] = legs + random.uniform(0, 0.15);
    pose[POSE.kneeLeft + limb] = 2 * legs + random.uniform(0, 0.2);
    pose[POSE.shoulderLeft + limb] = random.uniform(0, 0.4);
    pose[POSE.elbowLeft + limb] = random.uniform(0.1, 1);
  }
  return pose;
}

/** A lying pose after a fall. */
export function fallen(random: Random, kind: Direction): Float64Array {
  const pose = standing(random);
  const angle = Math.PI / 2;
  if (kind === 'forward') pose[POSE.pitch] = angle;
  else if (kind === 'backward') pose[POSE.pitch] = -angle;
  else pose[POSE.roll] = (kind === 'right' ? 1 : -1) * angle;
  // Face down, limbs that point forward would lift the body: arms lie beside the head, hips are straight.
  const prone = kind === 'forward';
  const crumpled = prone ? 0 : random.uniform(0, 0.5);
  for (let side = 0; side < 2; side++) {
    pose[POSE.hipLeft + side] = crumpled + random.uniform(0, prone ? 0.05 : 0.3);
    pose[POSE.kneeLeft + side] = 1.5 * crumpled + random.uniform(0, 0.4);
    pose[POSE.shoulderLeft + side] = prone ? random.uniform(2.9, 3.2) : random.uniform(0, 0.5);
    pose[POSE.elbowLeft + side] = prone ? random.uniform(0, 0.1) : random.uniform(0.1, 1);
    // The arm under the body is not stretched out below it.
    const below = kind === (side === 0 ? 'left' : 'right');
    pose[POSE.armLeft + side] = below ? 0 : random.uniform(0.1, 0.6);
  }
  return pose;
}

/** Cosine of the largest lean of the trunk that does not count as lying. */
const LEANING = Math.cos(0.9);

/** 0 upright, 1 sitting, 2 lying, derived from the pose itself. */
export function postureOf(pose: Float64Array): 0 | 1 | 2 {
  if (pose[POSE.free]! > 0.5) return freePostureOf(pose);
  if (Math.abs(pose[POSE.pitch]!) > 0.9 || Math.abs(pose[POSE.roll]!) > 0.9) return 2;
  const seated = pose[POSE.hipLeft]! > 0.9 && pose[POSE.kneeLeft]! > 0.8 && pose[POSE.hipRight]! > 0.9;
  return seated ? 1 : 0;
}

function freePostureOf(pose: Float64Array): 0 | 1 | 2 {
  const upward = (direction: number): number => {
    const at = POSE.directions + direction;
    return pose[at + 2]! / Math.max(Math.hypot(pose[at]!, pose[at + 1]!, pose[at + 2]!), 1e-9);
  };
  if (upward(FREE.pelvisUp) < LEANING) return 2;
  const thighs = Math.min(upward(FREE.thigh), upward(FREE.thigh + 3));
  return thighs > -LEANING ? 1 : 0;
}

/** Minimum-jerk course from 0 to 1. */
export const ease = (u: number): number => u * u * u * (10 - 15 * u + 6 * u * u);

/** Mixes the fraction `share` of `from` into `pose`, except position and heading. */
export function blend(from: Float64Array, pose: Float64Array, share: number): void {
  for (let i = 3; i < POSE_SIZE; i++) pose[i]! += share * (from[i]! - pose[i]!);
}
