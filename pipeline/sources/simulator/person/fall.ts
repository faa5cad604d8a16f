import { POSE, POSE_SIZE } from './body.js';
import type { Random } from '../shared/random.js';
import { clamp } from '../shared/room.js';

/** Directions of rod-like falls: the body pivots about the feet, and the knees give way to some degree. */
export const DIRECTIONS = ['forward', 'backward', 'left', 'right'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** All kinds of falls. `slump` collapses on the spot; `slide` does so slowly, with the back to a wall. */
export const FALLS = [...DIRECTIONS, 'slump', 'slide'] as const;
export type FallKind = (typeof FALLS)[number];

export interface FallCourse {
  /** Seconds until the body comes to rest. */
  readonly duration: number;
  /** Pose at `time` between `from` and `to`, without position and heading. */
  readonly at: (time: number, from: Float64Array, to: Float64Array, out: Float64Array) => void;
}

const GRAVITY = 9.81;
const STEP = 0.005;

/**
 * A fall of about a second: an upright rod of the body's height pivots on its lower end, angle'' = 3 g
 * sin(angle) / (2 height), after a small push; then a bounce that decays in 0.3 s.
 */
export function fallCourse(random: Random, kind: Direction, height: number): FallCourse {
  const angles: number[] = [];
  let angle = random.uniform(0.05, 0.15);
  let rate = random.uniform(0.4, 1.2);
  // A body whose knees give way acts as a shorter rod.
  const buckling = random.uniform(0.2, 1);
  const start = angle;
  while (angle < Math.PI / 2) {
    angles.push(angle - start);
    const rod = height * (1 - 0.3 * buckling * Math.min(1, angle));
    rate += ((1.5 * GRAVITY) / rod) * Math.sin(angle) * STEP;
    angle += rate * STEP;
  }
  const down = (angles.length - 1) * STEP;
  const whole = angles.at(-1)!;
  const bounce = random.uniform(0.03, 0.09);
  const flail = random.uniform(0.4, 1.3);
  const frequency = 2 * Math.PI * random.uniform(3, 5);
  return {
    duration: down + 0.9,
    at: (time, from, to, out) => {
      const scaled = clamp(time / STEP, 0, angles.length - 1.001);
      const index = scaled | 0;
      const turned = (angles[index]! + (scaled - index) * (angles[index + 1]! - angles[index]!)) / whole;
      const after = Math.max(0, time - down);
      // Limbs come to rest 0.4 s after the trunk; knees buckle first.
      const limbs = clamp(time / (down + 0.4), 0, 1);
      const relaxed = limbs * limbs * (3 - 2 * limbs);
      for (let i = 3; i < POSE_SIZE; i++) out[i] = from[i]! + relaxed * (to[i]! - from[i]!);
      const rebound =
        after > 0 ? bounce * Math.exp(-after / 0.1) * Math.sin(Math.min(frequency * after, Math.PI)) : 0;
      const share = time <= 0 ? 0 : Math.min(turned, 1) - rebound;
      out[POSE.pitch] = from[POSE.pitch]! + share * (to[POSE.pitch]! - from[POSE.pitch]!);
      out[POSE.roll] = from[POSE.roll]! + share * (to[POSE.roll]! - from[POSE.roll]!);
      const course = clamp(time / down, 0, 1);
      const yielding = buckling * Math.sin(Math.PI * course) * 0.9;
      for (let side = 0; side < 2; side++) {
        out[POSE.kneeLeft + side]! += 1.4 * yielding;
        out[POSE.hipLeft + side]! += 0.6 * yielding;
        const wave = flail * Math.sin(Math.PI * course);
        out[POSE.shoulderLeft + side]! += (kind === 'backward' ? 0.6 : 1) * wave;
        out[POSE.armLeft + side]! += 0.5 * wave;
      }
    },
  };
}
