import type { About } from './antenna.js';
import { motion } from './features.js';
import { LAGS, RATE_HZ } from './tracks.js';

/**
 * What all antennas of a room together saw about a sudden end of motion, 5 s before to 10 s after: motion in steps of
 * time, as mean of the antennas (`mean`) and of the strongest over its noise floor (`top`), both relative to their peak;
 * and what of each antenna is pooled, weighted by the power of the motion that it saw, evenly, or by the highest.
 */
type Step = readonly [number, number];
type Pooled = 'weighted' | 'even' | 'highest';

/** Seconds from the drop. */
const STEPS: readonly Step[] = [
  [-5, -4],
  [-4, -3],
  [-3, -2.5],
  [-2.5, -2],
  [-2, -1.5],
  [-1.5, -1],
  [-1, -0.5],
  [-0.5, 0],
  [0, 0.25],
  [0.25, 0.5],
  [0.5, 1],
  [1, 1.5],
  [1.5, 2],
  [2, 3],
  [3, 4],
  [4, 6],
  [6, 8],
  [8, 10],
];
/** Steps whose motion over the noise floor counts as it is, too. */
const LATE = STEPS.slice(10);
const PEAK: Step = [-1.5, 0.3];
const COHERENCE: readonly Step[] = [
  [-3, -1.5],
  [-1, 0],
  [0.3, 0.7],
  [0.7, 1.5],
  [1.5, 3],
  [3, 6],
  [6, 9],
];
const CORRELATION: readonly Step[] = [
  [-3, -1.5],
  [-1.2, -0.4],
  [-0.4, 0.2],
  [1, 2],
];

const WEIGHTED_EVEN = ['weighted', 'even'] as const;
const WEIGHTED_HIGHEST = ['weighted', 'highest'] as const;
const EVEN_HIGHEST = ['even', 'highest'] as const;

/** What is taken of each antenna, and how it is pooled. */
const OF_EACH: readonly (readonly [string, readonly Pooled[], (seen: Seen) => number])[] = [
  ['fast', WEIGHTED_EVEN, (seen) => seen.highest(0) - seen.highest(3)],
  ['fast2', WEIGHTED_EVEN, (seen) => seen.highest(1) - seen.highest(4)],
  ['slow', WEIGHTED_EVEN, (seen) => seen.highest(5) - seen.peak],
  ['shift', WEIGHTED_EVEN, (seen) => seen.shift - seen.peak],
  ['slow_after', WEIGHTED_EVEN, (seen) => seen.slowAfter],
  ['r1_min', WEIGHTED_HIGHEST, (seen) => Math.min(...seen.correlations([-1.2, 0.2]))],
  ['r1_mean', WEIGHTED_HIGHEST, (seen) => average(seen.correlations([-1.2, 0.2]))],
  ...COHERENCE.map(
    (step) => [`coherence_${step[0]}`, EVEN_HIGHEST, (seen: Seen) => average(seen.coherences(step))] as const,
  ),
  ...CORRELATION.map(
    (step) => [`r1_${step[0]}`, WEIGHTED_HIGHEST, (seen: Seen) => average(seen.correlations(step))] as const,
  ),
];

/** What the pooled nets read, in this order. */
export const POOLED_FEATURES: readonly string[] = [
  'mean_peak',
  ...STEPS.map(([from]) => `mean_${from}`),
  'top_peak',
  ...STEPS.map(([from]) => `top_${from}`),
  ...LATE.map(([from]) => `top_level_${from}`),
  'top_duration',
  'second_peak',
  'spread',
  'antennas',
  ...OF_EACH.flatMap(([name, ways]) => ways.map((way) => `${name}_${way}`)),
];

const samples = (seconds: number): number => Math.round(seconds * RATE_HZ);

/** Samples before and after the drop that the features are made of, filters included. */
export const POOLED_BACK = samples(5) + 30;
export const POOLED_AHEAD = samples(10) + 26;

const FIRST = samples(STEPS[0]![0]);
const END = samples(STEPS.at(-1)![1]);

export interface PooledBurst {
  readonly features: Float64Array;
  readonly peak: number;
  readonly duration: number;
}

/** Features of the drop at the centre of each of `antennas`, one or more. */
export function pooledFeatures(antennas: readonly About[]): PooledBurst {
  const seen = antennas.map((about) => new Seen(about));
  const mean = track((n) => average(seen.map((one) => one.motion(n))));
  const top = track((n) => Math.max(...seen.map((one) => one.overFloor(n))));
  const second = track((n) => {
    const sorted = seen.map((one) => Math.max(0, one.overFloor(n))).sort((a, b) => b - a);
    return sorted[Math.min(1, sorted.length - 1)]!;
  });
  const meanPeak = Math.max(...over(mean, PEAK));
  const topPeak = Math.max(...over(top, PEAK));
  const before = over(top, [STEPS[0]![0], 0]);
  const duration = before.filter((value) => value > topPeak / 2).length / before.length;
  const peaks = seen.map(({ peak }) => peak);
  const power = peaks.map((peak) => 10 ** peak);
  const features = Float64Array.from([
    meanPeak,
    ...STEPS.map((step) => average(over(mean, step)) - meanPeak),
    topPeak,
    ...STEPS.map((step) => average(over(top, step)) - topPeak),
    ...LATE.map((step) => average(over(top, step))),
    duration,
    Math.max(...over(second, PEAK)),
    deviation(peaks),
    antennas.length,
    ...OF_EACH.flatMap(([, ways, take]) => {
      const values = seen.map(take);
      return ways.map((way) => POOL[way](values, power));
    }),
  ]);
  return { features, peak: topPeak, duration: duration * (before.length / RATE_HZ) };
}

const POOL: Readonly<Record<Pooled, (values: readonly number[], power: readonly number[]) => number>> = {
  weighted: (values, power) =>
    values.reduce((sum, value, i) => sum + value * power[i]!, 0) / power.reduce((a, b) => a + b, 0),
  even: (values) => average(values),
  highest: (values) => Math.max(...values),
};

/** Values at the samples {@link FIRST} to {@link END} (excluded) from the drop. */
const track = (value: (n: number) => number): Float64Array =>
  Float64Array.from({ length: END - FIRST }, (_, i) => value(FIRST + i));

const over = (values: Float64Array, [from, to]: Step): Float64Array =>
  values.subarray(samples(from) - FIRST, samples(to) - FIRST);

const average = (values: ArrayLike<number>): number => {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  return sum / values.length;
};

const deviation = (values: readonly number[]): number => {
  const mean = average(values);
  return Math.sqrt(average(values.map((value) => (value - mean) ** 2)));
};

/** One antenna about the drop; samples count from it. */
class Seen {
  readonly #about: About;
  readonly #floor: number;
  /** Highest motion over the noise floor near the drop. */
  readonly peak: number;

  constructor(about: About) {
    this.#about = about;
    this.#floor = (about.floors[1]! + about.floors[2]! + about.floors[3]!) / 3;
    this.peak = this.#highest(PEAK, (n) => Math.max(0, this.overFloor(n)));
  }

  motion(n: number): number {
    return motion(this.#about.bands, this.#about.centre + n);
  }

  overFloor(n: number): number {
    return this.motion(n) - this.#floor;
  }

  /** Of the structure function of `LAGS[i]` over its floor, near the drop. */
  highest(i: number): number {
    const { bands, centre, floors } = this.#about;
    return this.#highest(PEAK, (n) => bands.structure(i, centre + n)) - floors[i]!;
  }

  get shift(): number {
    const { bands, centre, floors } = this.#about;
    return this.#highest([-1, 1], (n) => bands.slowChange(centre + n)) - floors[LAGS.length]!;
  }

  get slowAfter(): number {
    const { bands, centre, floors } = this.#about;
    return average(this.#values([1, 2], (n) => bands.structure(5, centre + n))) - floors[5]!;
  }

  correlations(step: Step): number[] {
    const { bands, centre } = this.#about;
    return this.#values(step, (n) => bands.correlation(centre + n));
  }

  coherences(step: Step): number[] {
    const { fine, centre } = this.#about;
    return this.#values(step, (n) => fine.coherence(centre + n));
  }

  #highest(step: Step, value: (n: number) => number): number {
    return Math.max(...this.#values(step, value));
  }

  #values([from, to]: Step, value: (n: number) => number): number[] {
    const values: number[] = [];
    for (let n = samples(from); n < samples(to); n++) values.push(value(n));
    return values;
  }
}
