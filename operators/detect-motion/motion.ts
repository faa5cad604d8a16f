import type { WindowLink } from '../../pipeline/model/index.js';

/** Amplitudes of one link over a window: [point][antenna and subcarrier], each point divided by its mean. */
export interface NormalisedWindow {
  readonly points: number;
  readonly columns: number;
  readonly values: Float64Array;
  /** 1 where a point is no measurement: a gap, or a frame of zeros. */
  readonly missing: Uint8Array;
}

/** Divides each point by its mean amplitude: what the receiver's gain does is the same for all subcarriers. */
export function normalise({ values, gaps }: WindowLink): NormalisedWindow {
  const points = gaps.length;
  const columns = values.length / points / 2;
  const amplitude = new Float64Array(points * columns);
  const missing = Uint8Array.from(gaps);
  for (let point = 0; point < points; point++) {
    const row = point * columns;
    let sum = 0;
    for (let i = row; i < row + columns; i++)
      sum += amplitude[i] = Math.sqrt(values[2 * i]! ** 2 + values[2 * i + 1]! ** 2);
    if (!(sum > 0)) missing[point] = 1;
    else for (let i = row; i < row + columns; i++) amplitude[i]! *= columns / sum;
  }
  return { points, columns, values: amplitude, missing };
}

/**
 * Autocorrelation at `lag` points: the sum over subcarriers of covariances over that of variances. Noise has none,
 * movement that is slow beside the lag has. NaN where nothing can be told (Zhang et al., WiSpeed, 2018, use it so).
 */
export function autocorrelation({ points, columns, values, missing }: NormalisedWindow, lag: number): number {
  let covariance = 0;
  let variance = 0;
  for (let column = 0; column < columns; column++) {
    let sum = 0;
    let count = 0;
    for (let point = 0; point < points; point++)
      if (!missing[point]) {
        sum += values[point * columns + column]!;
        count++;
      }
    const mean = sum / count;
    let pairs = 0;
    let products = 0;
    let squares = 0;
    for (let point = 0; point < points; point++) {
      if (missing[point]) continue;
      const distance = values[point * columns + column]! - mean;
      squares += distance * distance;
      if (point + lag >= points || missing[point + lag]) continue;
      products += distance * (values[(point + lag) * columns + column]! - mean);
      pairs++;
    }
    if (pairs === 0) continue;
    covariance += products / pairs;
    variance += squares / count;
  }
  return covariance / variance;
}

/** log10 of the mean squared change over `lag` points (the structure function); NaN where nothing can be told. */
export function changeEnergy({ points, columns, values, missing }: NormalisedWindow, lag: number): number {
  let sum = 0;
  let pairs = 0;
  for (let point = 0; point + lag < points; point++) {
    if (missing[point] || missing[point + lag]) continue;
    for (let i = point * columns; i < (point + 1) * columns; i++)
      sum += (values[i + lag * columns]! - values[i]!) ** 2;
    pairs++;
  }
  // A channel that does not change at all still has the rounding of its samples: -120 dB.
  return Math.log10(sum / (pairs * columns) + 1e-12);
}
