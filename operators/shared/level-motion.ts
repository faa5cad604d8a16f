import { mean } from './mean.js';
import type { NormalisedWindow } from './motion.js';

/** Mean square of the smaller half of normally distributed changes, over that of all. */
const SMALLER_HALF = 0.143;
/** A window must be so many lags long: in a shorter one, a single step of the gain changes most of it. */
const MIN_LAGS = 3;

/** How the level of a link, the mean amplitude of its frames, changes over a window; relative, not in decibels. */
export interface LevelChange {
  /**
   * log10 of the mean square of its change over a lag, NaN if unknown. Changes in less than half of the time do
   * not count: a step of the receiver's gain changes the level once, a body again and again.
   */
  readonly energy: number;
  readonly variance: number;
  /** Covariance at the shortest lag without common noise, or one frame beyond it if that is less. */
  readonly covariance: number;
  /** Standard deviation by chance of covariance over variance. */
  readonly chance: number;
  /** Length of the window, seconds. */
  readonly duration: number;
}

interface Lags {
  /** Points. */
  readonly energy: number;
  readonly covariance: number;
  /** From one frame to the next, points. */
  readonly frame: number;
}

/**
 * Frames have one level each, so its noise is far below that of single carriers, and a body changes it even where
 * all carriers change alike. It means something only if the receiver's gain is steady, or was taken out by
 * `normalize-gain`. A device that alternates between two antennas has covariance at every other frame only.
 *
 * @param frames in the window
 * @param duration seconds
 */
export function levelChangeOf(
  { levels }: Pick<NormalisedWindow, 'levels'>,
  lags: Lags,
  { frames, duration }: { readonly frames: number; readonly duration: number },
): LevelChange {
  const middle = mean(levels.filter(Number.isFinite));
  const products = (lag: number): number => mean(overLag(levels, lag, (a, b) => (a - middle) * (b - middle)));
  return {
    energy: MIN_LAGS * lags.energy > levels.length ? NaN : energyOf(levels, lags.energy),
    variance: products(0),
    covariance: Math.min(products(lags.covariance), products(lags.covariance + lags.frame)),
    chance: 1 / Math.sqrt(Math.min(frames, levels.length)),
    duration,
  };
}

function energyOf(levels: Float64Array, lag: number): number {
  const squares = overLag(levels, lag, (a, b) => (b - a) ** 2).sort();
  const smaller = squares.subarray(0, Math.ceil(squares.length / 2));
  return Math.log10(Math.min(mean(squares), mean(smaller) / SMALLER_HALF) + 1e-12);
}

/** Values of all pairs of measurements that are `lag` points apart. */
function overLag(
  levels: Float64Array,
  lag: number,
  of: (earlier: number, later: number) => number,
): Float64Array {
  const values = new Float64Array(levels.length);
  let pairs = 0;
  for (let point = 0; point + lag < levels.length; point++) {
    const value = of(levels[point]!, levels[point + lag]!);
    if (Number.isFinite(value)) values[pairs++] = value;
  }
  return values.subarray(0, pairs);
}
