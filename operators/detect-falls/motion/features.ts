import { LAGS, RATE_HZ, type AntennaTracks } from './tracks.js';

/**
 * Inputs of the nets for a candidate, in this order. A fall is an isolated burst of about a second, fast for
 * its size, with quiet before and after.
 */
export const FEATURES = [
  'rise',
  'drop',
  'width',
  'rise_time',
  'fall_time',
  'fast',
  'fast2',
  'r1_min',
  'r1_mean',
  'slow',
  'shift',
  'coherence_after',
] as const;

const seconds = (s: number): number => Math.round(s * RATE_HZ);

/** Samples before and after a candidate that its features need, including filters. */
export const LOOK_BACK = seconds(2) + 20;
export const LOOK_AHEAD = seconds(3.7);

/** Indices in {@link LAGS} of the lags whose mean is motion E. */
const MOTION_LAGS = [1, 2, 3];

/** Motion E of an antenna at sample `c`: mean of S at 0.1, 0.2 and 0.4 s, log10 of relative power. */
export function motion(tracks: AntennaTracks, c: number): number {
  let sum = 0;
  for (const i of MOTION_LAGS) sum += tracks.structure(i, c);
  return sum / MOTION_LAGS.length;
}

/** Newest sample at which {@link motion} is complete. */
export const newestMotion = (tracks: AntennaTracks): number =>
  tracks.newest(MOTION_LAGS[MOTION_LAGS.length - 1]!);

/** A burst as one antenna sees it. */
export interface Burst {
  /** {@link FEATURES}. */
  readonly features: Float64Array;
  /** Motion at its peak above the noise floor, log10 of relative power. */
  readonly peak: number;
  /** Highest motion from 2 s before to 2.5 s after, on the same scale. */
  readonly highest: number;
  /** Seconds above half its height. */
  readonly duration: number;
}

/**
 * Features of an antenna around the candidate at sample `c`; samples up to `c + LOOK_AHEAD` must be present.
 * `floors[i]`: noise floor of the structure function of `LAGS[i]`, then that of the slow change. Floors are
 * subtracted only to compare tracks of different kinds; everything else is relative to the candidate's own
 * peak.
 */
export function burst(tracks: AntennaTracks, c: number, floors: ArrayLike<number>): Burst {
  const e = (n: number) => motion(tracks, n);
  const s = (i: number) => (n: number) => tracks.structure(i, n) - floors[i]!;
  const floor = MOTION_LAGS.reduce((sum, i) => sum + floors[i]!, 0) / MOTION_LAGS.length;
  const near = seconds(0.5);
  let top = c - near;
  let peak = -Infinity;
  for (let n = c - near; n <= c + near; n++) {
    const value = e(n);
    if (value > peak) {
      peak = value;
      top = n;
    }
  }
  const before = mean(e, c - seconds(2), c - seconds(1));
  const after = mean(e, c + seconds(1.5), c + seconds(2.5));
  const half = (peak + Math.max(before, after)) / 2;
  const above = (from: number, to: number) => {
    let count = 0;
    for (let n = from; n <= to; n++) if (e(n) >= half) count++;
    return count / RATE_HZ;
  };
  const riseTime = above(c - seconds(2), top - 1);
  const fallTime = above(top + 1, c + seconds(2.5));
  const highest = (track: (n: number) => number, from = -near, to = near) => max(track, c + from, c + to);
  const r1 = (n: number) => tracks.correlation(n);
  const apart = seconds(0.6);
  const features = Float64Array.of(
    peak - before,
    peak - after,
    riseTime + 1 / RATE_HZ + fallTime,
    riseTime,
    fallTime,
    highest(s(0)) - highest(s(3)),
    highest(s(1)) - highest(s(4)),
    -max((n) => -r1(n), c - apart, c + apart),
    mean(r1, c - apart, c + apart),
    highest(s(5)) - (peak - floor),
    highest((n) => tracks.slowChange(n) - floors[LAGS.length]!, -near, seconds(1.5)) - (peak - floor),
    mean((n) => tracks.coherence(n), c + seconds(1.5), c + seconds(2.5)),
  );
  const around = max(e, c - seconds(2), c + seconds(2.5));
  return { features, peak: peak - floor, highest: around - floor, duration: features[2]! };
}

function mean(track: (n: number) => number, from: number, to: number): number {
  let sum = 0;
  for (let n = from; n <= to; n++) sum += track(n);
  return sum / (to - from + 1);
}

function max(track: (n: number) => number, from: number, to: number): number {
  let highest = -Infinity;
  for (let n = from; n <= to; n++) highest = Math.max(highest, track(n));
  return highest;
}

/** The rule without training: `min(rise, drop) + 2 fast`. */
export const ruleScore = (features: ArrayLike<number>): number =>
  Math.min(features[0]!, features[1]!) + 2 * features[5]!;
