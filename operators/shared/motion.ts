import type { WindowLink } from '../../pipeline/model/index.js';

/** Amplitudes of one link over a window: [point][antenna and subcarrier], each point divided by its mean. */
export interface NormalisedWindow {
  readonly points: number;
  readonly columns: number;
  readonly values: Float64Array;
  /** 1 if a point is not a measurement: a gap, or a frame of zeros. */
  readonly missing: Uint8Array;
  /** [point]: logarithm of the mean amplitude that each was divided by; NaN if it is not a measurement. */
  readonly levels: Float64Array;
}

/**
 * Divides each point by its mean amplitude: the receiver's gain affects all subcarriers equally.
 * @param into holds the values afterwards, if it is long enough
 */
export function normalise(
  { values, gaps }: Pick<WindowLink, 'values' | 'gaps'>,
  into = new Float64Array(values.length / 2),
): NormalisedWindow {
  const points = gaps.length;
  const columns = values.length / points / 2;
  const amplitude = into.subarray(0, points * columns);
  const missing = Uint8Array.from(gaps);
  const levels = new Float64Array(points).fill(NaN);
  for (let point = 0; point < points; point++) {
    const row = point * columns;
    let sum = 0;
    for (let i = row; i < row + columns; i++) {
      const re = values[2 * i]!;
      const im = values[2 * i + 1]!;
      const one = Math.sqrt(re * re + im * im);
      amplitude[i] = one;
      sum += one;
    }
    if (!(sum > 0)) missing[point] = 1;
    else {
      const scale = columns / sum;
      if (!missing[point]) levels[point] = -Math.log(scale);
      for (let i = row; i < row + columns; i++) amplitude[i]! *= scale;
    }
  }
  return { points, columns, values: amplitude, missing, levels };
}

/** The mean of each column over the valid points. */
export function meanOf({ points, columns, values, missing }: NormalisedWindow): Float64Array {
  const mean = new Float64Array(columns);
  let count = 0;
  for (let point = 0; point < points; point++) {
    if (missing[point]) continue;
    count++;
    for (let k = 0, i = point * columns; k < columns; k++, i++) mean[k]! += values[i]!;
  }
  for (let k = 0; k < columns; k++) mean[k]! /= count;
  return mean;
}

/** Subtracts the mean of each column from the window's values; missing points become zeros. */
export function centre({ points, columns, values, missing }: NormalisedWindow, mean: Float64Array): void {
  for (let point = 0; point < points; point++) {
    const row = point * columns;
    if (missing[point]) values.fill(0, row, row + columns);
    else for (let k = 0; k < columns; k++) values[row + k]! -= mean[k]!;
  }
}

/**
 * Autocorrelation of centred values at `lag` points: the sum over subcarriers of covariances over that of
 * variances. Noise has none; movement that is slow compared with the lag has. NaN if unknown (Zhang et al.,
 * WiSpeed, 2018).
 */
export function autocorrelation(window: NormalisedWindow, lag: number): number {
  const { points, columns, values, missing } = window;
  const ahead = lag * columns;
  let [squares, all, covariance, pairs] = [0, 0, 0, 0];
  for (let point = 0; point < points; point++) {
    if (missing[point]) continue;
    all++;
    const end = (point + 1) * columns;
    if (point + lag >= points || missing[point + lag]) {
      for (let i = point * columns; i < end; i++) squares += values[i]! * values[i]!;
      continue;
    }
    pairs++;
    for (let i = point * columns; i < end; i++) {
      const value = values[i]!;
      squares += value * value;
      covariance += value * values[i + ahead]!;
    }
  }
  return covariance / pairs / (squares / all);
}

/**
 * Standard deviation of the autocorrelation of noise: 1 / sqrt(frames * rank), where rank is the number of
 * carriers that fluctuate independently: trace(C)^2 / trace(C^2) of their covariance C. White noise has
 * almost as many as carriers; a transmitter that alternates between two antennas, or gain that tilts the
 * band, one.
 *
 * @param stride points between two frames: points in between are computed from both
 */
export function chanceOf(window: NormalisedWindow, stride: number): number {
  const valid = validPoints(window, stride);
  const { trace, squares } = productsOfPairs(fewerVectors(window, valid));
  const rank = (trace * trace) / squares;
  return 1 / Math.sqrt(valid.length * rank);
}

/** Indexes of every `stride`-th point, without those that are not measurements. */
export function validPoints({ points, missing }: NormalisedWindow, stride: number): readonly number[] {
  const valid: number[] = [];
  for (let point = 0; point < points; point += stride) if (!missing[point]) valid.push(point);
  return valid;
}

/** [count, length]; `count` is even. */
interface Vectors {
  readonly values: Float64Array;
  readonly count: number;
  readonly length: number;
}

/**
 * The values of these points as vectors: one per point, or one per column if those are fewer. The scalar
 * products of all pairs have the same sum of squares both ways, and a vector of zeros adds nothing.
 */
function fewerVectors({ columns, values }: NormalisedWindow, points: readonly number[]): Vectors {
  const byPoint = points.length <= columns;
  const [vectors, length] = byPoint ? [points.length, columns] : [columns, points.length];
  const count = vectors + (vectors % 2);
  const out = new Float64Array(count * length);
  points.forEach((point, i) => {
    const row = values.subarray(point * columns, (point + 1) * columns);
    if (byPoint) out.set(row, i * length);
    else for (let k = 0; k < columns; k++) out[k * length + i] = row[k]!;
  });
  return { values: out, count, length };
}

/**
 * Sums over the scalar products of all pairs: of their squares, and of the products of a vector with itself.
 * Vectors are multiplied two by two, so that each value read serves two products.
 */
function productsOfPairs({ values, count, length }: Vectors): { trace: number; squares: number } {
  let trace = 0;
  let squares = 0;
  for (let a = 0; a < count; a += 2)
    for (let b = 0; b <= a; b += 2) {
      let [aa, ab, ba, bb] = [0, 0, 0, 0];
      for (let i = a * length, j = b * length; j < (b + 1) * length; i++, j++) {
        aa += values[i]! * values[j]!;
        ab += values[i]! * values[j + length]!;
        ba += values[i + length]! * values[j]!;
        bb += values[i + length]! * values[j + length]!;
      }
      if (a === b) trace += aa + bb;
      squares += (a === b ? 1 : 2) * (aa * aa + ab * ab + ba * ba + bb * bb);
    }
  return { trace, squares };
}

/** Neighbours share this part of the energy of their noise by chance. */
const MIN_SHARED = 0.05;

/** Change over `lag` points. */
export interface Change {
  /** log10 of the mean square (the structure function) shared by neighbouring carriers: noise is not shared. */
  readonly energy: number;
  /** Similarity of changes in neighbouring carriers: 0 for noise, near 1 if the channel changes. */
  readonly smoothness: number;
}

/** Energy is NaN without two valid points. */
export function changeOver({ points, columns, values, missing }: NormalisedWindow, lag: number): Change {
  let squares = 0;
  let neighbours = 0;
  let pairs = 0;
  for (let point = 0; point + lag < points; point++) {
    if (missing[point] || missing[point + lag]) continue;
    pairs++;
    let before = 0;
    for (let i = point * columns; i < (point + 1) * columns; i++) {
      const change = values[i + lag * columns]! - values[i]!;
      squares += change * change;
      neighbours += change * before;
      before = change;
    }
  }
  const smoothness = squares > 0 ? neighbours / squares : 0;
  // A constant channel still has the rounding of its samples: -120 dB.
  const energy = Math.log10((squares / (pairs * columns)) * Math.max(MIN_SHARED, smoothness) + 1e-12);
  return { energy, smoothness };
}
