import { sortedMedian } from '../shared/median.js';
import type { RowFilter } from './column-filter.js';

/** Low-pass filters of the decomposition (Daubechies, Ten Lectures on Wavelets, 1992; `sym3` equals `db3`). */
const LOW_PASS = {
  sym3: [
    0.035226291882100656, -0.08544127388224149, -0.13501102001039084, 0.4598775021193313, 0.8068915093133388,
    0.3326705529509569,
  ],
  db4: [
    -0.010597401785069032, 0.0328830116668852, 0.030841381835560764, -0.18703481171909309,
    -0.027983769416859854, 0.6308807679298589, 0.7148465705529157, 0.2303778133088965,
  ],
} as const;

export type WaveletName = keyof typeof LOW_PASS;

/** Scales the median absolute value of normal noise to its standard deviation. */
const MEDIAN_TO_SIGMA = 0.6745;

/**
 * Wavelet denoising of series up to a length: soft universal threshold sqrt(2 ln n) with the noise of the
 * finest details,
 * `wden(x, 'sqtwolog', 's', 'sln', levels, name)` of MATLAB (Donoho 1995). Series are extended by their
 * mirror image. Reuses buffers, so it handles one series at a time.
 */
class WaveletShrinkage {
  readonly #low: readonly number[];
  readonly #high: readonly number[];
  readonly #levels: number;
  /** [level]: details of each level, finest first; and the remaining approximation. */
  readonly #details: Float64Array[] = [];
  readonly #rest: Float64Array[] = [];
  readonly #sorted: Float64Array;
  /** Standard deviation of the noise of the last series, and the threshold for it. */
  sigma = 0;
  threshold = 0;

  constructor(name: WaveletName, levels: number, longest: number) {
    this.#low = LOW_PASS[name];
    this.#high = this.#low.map((_, i) => (i % 2 === 0 ? -1 : 1) * this.#low[this.#low.length - 1 - i]!);
    this.#levels = levels;
    this.#rest.push(new Float64Array(longest));
    for (let level = 0, length = longest; level < levels; level++) {
      length = (length + this.#low.length - 1) >> 1;
      this.#details.push(new Float64Array(length));
      // One longer: the inverse transform yields an even number of values.
      this.#rest.push(new Float64Array(length + 1));
    }
    this.#sorted = new Float64Array(this.#details[0]!.length);
  }

  /**
   * Denoises `count` values of `series` from `start`; leaves them unchanged if they are too few for the
   * filter.
   * @param output receives those from number `from` on, at their numbers
   */
  apply(series: Float64Array, start: number, count: number, output: Float64Array, from = 0): void {
    const levels = Math.min(this.#levels, deepest(count, this.#low.length));
    const lengths = [count];
    const rest = this.#rest[0]!;
    for (let i = 0; i < count; i++) rest[i] = series[start + i]!;
    for (let level = 0; level < levels; level++) lengths.push(this.#split(level, lengths[level]!));
    if (levels > 0) this.#findThreshold(count, lengths[1]!);
    // A value depends on the coarser ones from half of its number on.
    for (let level = levels - 1; level >= 0; level--)
      this.#join(level, lengths[level + 1]!, lengths[level]!, from >> level);
    for (let i = from; i < count; i++) output[i] = rest[i]!;
  }

  /** The finest details of the last series' decomposition, for comparison with other implementations. */
  get finest(): Float64Array {
    return this.#details[0]!;
  }

  /** Splits `length` values of a level into a coarser half and its details. Returns the length of each. */
  #split(level: number, length: number): number {
    const input = this.#rest[level]!;
    const coarse = this.#rest[level + 1]!;
    const details = this.#details[level]!;
    const taps = this.#low.length;
    const half = (length + taps - 1) >> 1;
    for (let i = 0; i < half; i++) {
      let low = 0;
      let high = 0;
      const last = 2 * i + 1;
      const inside = last - taps >= -1 && last < length;
      for (let tap = 0; tap < taps; tap++) {
        const value = input[inside ? last - tap : mirrored(last - tap, length)]!;
        low += this.#low[tap]! * value;
        high += this.#high[tap]! * value;
      }
      coarse[i] = low;
      details[i] = high;
    }
    return half;
  }

  #findThreshold(count: number, finest: number): void {
    const sorted = this.#sorted.subarray(0, finest);
    for (let i = 0; i < finest; i++) sorted[i] = Math.abs(this.#details[0]![i]!);
    sorted.sort();
    this.sigma = sortedMedian(sorted, 0, finest) / MEDIAN_TO_SIGMA;
    this.threshold = this.sigma * Math.sqrt(2 * Math.log(count));
  }

  /** The inverse of {@link #split} with shrunk details: values from number `from` on. */
  #join(level: number, half: number, length: number, from: number): void {
    const output = this.#rest[level]!;
    const coarse = this.#rest[level + 1]!;
    const details = this.#details[level]!;
    const taps = this.#low.length;
    for (let i = from >> 1; i < half; i++) {
      const detail = details[i]!;
      details[i] = Math.sign(detail) * Math.max(0, Math.abs(detail) - this.threshold);
    }
    for (let n = from; n < length; n++) {
      let sum = 0;
      // The filter of the reconstruction is this one reversed: tap 2 k + 1 - n of coefficient k.
      const end = Math.min(half, (n + taps) >> 1);
      for (let k = n >> 1; k < end; k++) {
        const tap = 2 * k + 1 - n;
        sum += this.#low[tap]! * coarse[k]! + this.#high[tap]! * details[k]!;
      }
      output[n] = sum;
    }
  }
}

/** Number of levels before a filter of `taps` becomes longer than the remaining series. */
const deepest = (count: number, taps: number): number =>
  count < taps ? 0 : Math.floor(Math.log2(count / (taps - 1)));

/** Index into a series extended by its mirror image: x[-1] = x[0], x[n] = x[n - 1]. */
function mirrored(index: number, length: number): number {
  let i = index;
  while (i < 0 || i >= length) i = i < 0 ? -1 - i : 2 * length - 1 - i;
  return i;
}

/** Denoises a whole series. */
export function denoiseByWavelet(
  series: ArrayLike<number>,
  name: WaveletName,
  levels: number,
): { y: Float64Array; sigma: number; threshold: number; finest: Float64Array } {
  const shrinkage = new WaveletShrinkage(name, levels, series.length);
  const y = new Float64Array(series.length);
  shrinkage.apply(Float64Array.from(series), 0, series.length, y);
  return { y, sigma: shrinkage.sigma, threshold: shrinkage.threshold, finest: shrinkage.finest };
}

export interface SlidingShrinkageState {
  /** [columns, rows], oldest first. */
  readonly history: Float64Array;
}

/**
 * The newest value of the last `history` rows denoised, column by column: causal, at the cost of one
 * transform per value.
 */
export class SlidingShrinkage implements RowFilter<SlidingShrinkageState> {
  readonly #columns: number;
  readonly #history: number;
  readonly #shrinkage: WaveletShrinkage;
  /** [columns, 2 * history]: each value is written twice, so that the last ones are always contiguous. */
  readonly #ring: Float64Array;
  readonly #denoised: Float64Array;
  #count = 0;
  #next = 0;

  constructor(columns: number, name: WaveletName, levels: number, history: number) {
    this.#columns = columns;
    this.#history = history;
    this.#shrinkage = new WaveletShrinkage(name, levels, history);
    this.#ring = new Float64Array(columns * 2 * history);
    this.#denoised = new Float64Array(history);
  }

  apply(row: Float64Array): void {
    this.#push(row);
    for (let column = 0; column < this.#columns; column++) {
      this.#shrinkage.apply(this.#ring, this.#start(column), this.#count, this.#denoised, this.#count - 1);
      row[column] = this.#denoised[this.#count - 1]!;
    }
  }

  snapshot(): SlidingShrinkageState {
    const history = new Float64Array(this.#columns * this.#count);
    for (let column = 0; column < this.#columns; column++) {
      const start = this.#start(column);
      history.set(this.#ring.subarray(start, start + this.#count), column * this.#count);
    }
    return { history };
  }

  restore({ history }: SlidingShrinkageState): void {
    const rows = history.length / this.#columns;
    this.#count = 0;
    this.#next = 0;
    for (let i = 0; i < rows; i++)
      this.#push(Float64Array.from({ length: this.#columns }, (_, column) => history[column * rows + i]!));
  }

  /** Position of a column's oldest value. */
  #start(column: number): number {
    return column * 2 * this.#history + ((this.#next - this.#count + this.#history) % this.#history);
  }

  #push(row: Float64Array): void {
    for (let column = 0; column < this.#columns; column++) {
      const at = column * 2 * this.#history + this.#next;
      this.#ring[at] = row[column]!;
      this.#ring[at + this.#history] = row[column]!;
    }
    this.#next = (this.#next + 1) % this.#history;
    this.#count = Math.min(this.#history, this.#count + 1);
  }
}
