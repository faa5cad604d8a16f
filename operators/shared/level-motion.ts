import type { NormalisedWindow } from './motion.js';

/** Mean square of the smaller half of normally distributed changes, over that of all. */
const SMALLER_HALF = 0.143;

/** How the level of a link, the mean amplitude of its frames, changes over a window. */
export interface LevelChange {
  /**
   * log10 of the mean square of its relative change over a lag. Changes in less than half of the time do not
   * count: a step of the receiver's gain changes the level once, a body again and again.
   */
  readonly energy: number;
  /** Autocorrelation at the shortest lag without common noise; 0 if the level is constant. */
  readonly correlation: number;
  /** Its standard deviation by chance. */
  readonly chance: number;
}

/**
 * Frames have one level each, so its noise is far below that of single carriers, and a body changes it even where
 * all carriers change alike. It means something only if the receiver's gain is steady, or was taken out by
 * `normalize-gain`. Energy and correlation are NaN without two points apart that are measurements.
 *
 * @param lags of the energy and the correlation, points
 * @param frames in the window
 */
export function levelChangeOf(
  { levels }: Pick<NormalisedWindow, 'levels'>,
  lags: { readonly energy: number; readonly correlation: number },
  frames: number,
): LevelChange {
  return {
    energy: energyOf(levels, lags.energy),
    correlation: correlationOf(levels, lags.correlation),
    chance: 1 / Math.sqrt(Math.min(frames, levels.length)),
  };
}

function energyOf(levels: Float64Array, lag: number): number {
  const squares = new Float64Array(levels.length);
  let pairs = 0;
  for (let point = 0; point + lag < levels.length; point++) {
    const change = levels[point + lag]! - levels[point]!;
    if (Number.isFinite(change)) squares[pairs++] = change * change;
  }
  const all = squares.subarray(0, pairs).sort();
  const smaller = all.subarray(0, Math.ceil(pairs / 2));
  return Math.log10(Math.min(meanOf(all), meanOf(smaller) / SMALLER_HALF) + 1e-12);
}

const meanOf = (values: Float64Array): number => values.reduce((sum, one) => sum + one, 0) / values.length;

function correlationOf(levels: Float64Array, lag: number): number {
  const valid = levels.filter(Number.isFinite);
  const mean = meanOf(valid);
  const variance = valid.reduce((sum, one) => sum + (one - mean) ** 2, 0) / valid.length;
  if (variance === 0) return 0;
  let covariance = 0;
  let pairs = 0;
  for (let point = 0; point + lag < levels.length; point++) {
    const product = (levels[point]! - mean) * (levels[point + lag]! - mean);
    if (!Number.isFinite(product)) continue;
    covariance += product;
    pairs++;
  }
  return covariance / pairs / variance;
}
