import { POSE, legLength, type BodySize } from './body.js';

/**
 * The walking cycle of Boulic, Magnenat-Thalmann and Thalmann (1990): joint angles as smooth curves
 * through their key angles. A phase of 1 is two steps.
 */

const DEGREE = Math.PI / 180;
const ENTRIES = 256;

/** Phase at the first key, then angle in degrees at each. */
type Keys = readonly (readonly [number, number])[];

const hip = curve([
  [-0.1, 25],
  [0.5, -15],
  [0.9, 25],
]);
const knee = curve([
  [0, 3],
  [0.4, 3],
  [0.75, 70],
  [1, 3],
]);

/** Cycles per second at `speed` metres per second. */
export function cadence(size: BodySize, speed: number): number {
  const relative = Math.max(speed, 0.05) / legLength(size);
  return Math.sqrt(relative) / 1.346;
}

/** Writes the joint angles of phase `phase` at `speed` to `pose`; speed 0 is standing. */
export function walkPose(size: BodySize, phase: number, speed: number, pose: Float64Array): void {
  const relative = speed / legLength(size);
  // The step length grows with the square root of the speed; below a crawl the swing fades out.
  const swing = Math.sqrt(Math.min(relative, 1.6)) * Math.min(1, speed / 0.15);
  const lift = Math.min(1, swing * 1.1);
  pose[POSE.hipLeft] = swing * sample(hip, phase);
  pose[POSE.hipRight] = swing * sample(hip, phase + 0.5);
  pose[POSE.kneeLeft] = lift * sample(knee, phase);
  pose[POSE.kneeRight] = lift * sample(knee, phase + 0.5);
  const arms = Math.min(9.88 * relative, 22) * DEGREE;
  const turn = 2 * Math.PI * phase;
  pose[POSE.shoulderLeft] = 0.05 - arms * Math.cos(turn);
  pose[POSE.shoulderRight] = 0.05 + arms * Math.cos(turn);
  pose[POSE.elbowLeft] = 0.25 + 0.4 * arms * (1 - Math.cos(turn));
  pose[POSE.elbowRight] = 0.25 + 0.4 * arms * (1 + Math.cos(turn));
  pose[POSE.spine] = 0.03 + 0.03 * Math.min(speed, 1.5);
}

/** Smooth curve with zero slope at each key (all keys are extremes), as a table over one cycle. */
function curve(keys: Keys): Float64Array {
  const table = new Float64Array(ENTRIES + 1);
  for (let i = 0; i <= ENTRIES; i++) {
    let phase = i / ENTRIES;
    if (phase > keys.at(-1)![0]) phase -= 1;
    const after = keys.findIndex(([at], index) => index > 0 && phase <= at);
    const [from, low] = keys[after - 1]!;
    const [to, high] = keys[after]!;
    const u = (phase - from) / (to - from);
    table[i] = (low + (high - low) * u * u * (3 - 2 * u)) * DEGREE;
  }
  return table;
}

function sample(table: Float64Array, phase: number): number {
  const scaled = (phase - Math.floor(phase)) * ENTRIES;
  const index = scaled | 0;
  return table[index]! + (scaled - index) * (table[index + 1]! - table[index]!);
}
