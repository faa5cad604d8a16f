import { sortedDeviation, sortedMedian } from '../shared/median.js';

/** Scales the median absolute deviation to the standard deviation of a normal distribution: 1 / Phi^-1(3/4). */
const MAD_TO_SIGMA = 1.4826;

export interface HampelWindow {
  /** Samples before and after the judged one; truncated at the ends of the series. */
  readonly before: number;
  readonly after: number;
  /** Distance from the median, in standard deviations, from which a sample is an outlier. */
  readonly threshold: number;
}

/**
 * The Hampel filter of a whole series: a sample further than `threshold * 1.4826 * MAD` from the median of
 * its window becomes that median (Davies and Gather 1993; Pearson et al. 2016). Centred or causal, depending
 * on the window.
 */
export function hampel(series: ArrayLike<number>, { before, after, threshold }: HampelWindow): Float64Array {
  const all = Float64Array.from(series);
  return all.map((value, index) => {
    const window = all.slice(Math.max(0, index - before), index + after + 1).sort();
    const median = sortedMedian(window, 0, window.length);
    const sigma = MAD_TO_SIGMA * sortedDeviation(window, 0, window.length, median);
    return Math.abs(value - median) > threshold * sigma ? median : value;
  });
}

export interface SlidingHampelState {
  /** [frames, columns], oldest first: the unfiltered amplitudes. */
  readonly history: Float32Array;
}

/**
 * The causal Hampel filter on the amplitude of complex columns (subcarriers of all antennas), with unchanged
 * phase: each value is judged by the last `window` frames of its column, including itself, fewer at the
 * start.
 *
 * Each column's window stays sorted, so a frame costs one removal and one insertion in a short array, and
 * most values are accepted after two or three comparisons.
 */
export class SlidingHampel {
  readonly #columns: number;
  readonly #window: number;
  readonly #limit: number;
  /** [window, columns], a ring. */
  readonly #history: Float32Array;
  /** [columns, window], each column ascending. */
  readonly #sorted: Float32Array;
  #frames = 0;
  #next = 0;

  /** @param window frames, odd @param threshold standard deviations */
  constructor(columns: number, window: number, threshold: number) {
    this.#columns = columns;
    this.#window = window;
    this.#limit = threshold * MAD_TO_SIGMA;
    this.#history = new Float32Array(window * columns);
    this.#sorted = new Float32Array(window * columns);
  }

  /**
   * Filters one frame of `columns` pairs (re, im) from `input` to `output`, both from `offset`. Returns the
   * number of replaced values.
   */
  apply(input: Float32Array, output: Float32Array, offset: number): number {
    const full = this.#frames === this.#window;
    const replaced = full ? this.#slide(input, output, offset) : this.#fill(input, output, offset);
    if (!full) this.#frames++;
    this.#next = (this.#next + 1) % this.#window;
    return replaced;
  }

  snapshot(): SlidingHampelState {
    const used = this.#frames * this.#columns;
    const oldest = this.#frames === this.#window ? this.#next * this.#columns : 0;
    const history = new Float32Array(used);
    history.set(this.#history.subarray(oldest, used));
    history.set(this.#history.subarray(0, oldest), used - oldest);
    return { history };
  }

  restore({ history }: SlidingHampelState): void {
    this.#history.set(history);
    this.#frames = history.length / this.#columns;
    this.#next = this.#frames % this.#window;
    for (let column = 0; column < this.#columns; column++) {
      const sorted = this.#sorted.subarray(column * this.#window, column * this.#window + this.#frames);
      for (let frame = 0; frame < this.#frames; frame++)
        sorted[frame] = history[frame * this.#columns + column]!;
      sorted.sort();
    }
  }

  /** A frame before the window is full. */
  #fill(input: Float32Array, output: Float32Array, offset: number): number {
    const sorted = this.#sorted;
    let replaced = 0;
    for (let column = 0; column < this.#columns; column++) {
      const at = offset + 2 * column;
      const start = column * this.#window;
      const amplitude = amplitudeOf(input[at]!, input[at + 1]!);
      const usable = amplitude < Infinity;
      const value = usable ? amplitude : this.#frames === 0 ? 0 : sorted[start + (this.#frames >> 1)]!;
      this.#history[this.#next * this.#columns + column] = value;

      let slot = start + this.#frames;
      while (slot > start && sorted[slot - 1]! > value) sorted[slot] = sorted[--slot]!;
      sorted[slot] = value;

      const median = sortedMedian(sorted, start, this.#frames + 1);
      const deviation = sortedDeviation(sorted, start, this.#frames + 1, median);
      if (usable && !(Math.abs(value - median) > this.#limit * deviation)) {
        output[at] = input[at]!;
        output[at + 1] = input[at + 1]!;
      } else {
        rescale(input, output, at, usable ? amplitude : 0, median);
        replaced++;
      }
    }
    return replaced;
  }

  /** A frame once the window is full: the oldest sample of each column is replaced by the new one. */
  #slide(input: Float32Array, output: Float32Array, offset: number): number {
    const sorted = this.#sorted;
    const history = this.#history;
    const window = this.#window;
    const limit = this.#limit;
    const half = window >> 1;
    const row = this.#next * this.#columns;
    let replaced = 0;
    for (let column = 0, start = 0, at = offset; column < this.#columns; column++, start += window, at += 2) {
      const re = input[at]!;
      const im = input[at + 1]!;
      const amplitude = amplitudeOf(re, im);
      const usable = amplitude < Infinity;
      const value = usable ? amplitude : sorted[start + half]!;
      const oldest = history[row + column]!;
      history[row + column] = value;

      // The new value moves from the position of the oldest one to its own.
      const last = start + window - 1;
      let slot = start;
      while (sorted[slot] !== oldest) slot++;
      if (value > oldest) while (slot < last && sorted[slot + 1]! < value) sorted[slot] = sorted[++slot]!;
      else while (slot > start && sorted[slot - 1]! > value) sorted[slot] = sorted[--slot]!;
      sorted[slot] = value;

      // distance > limit * MAD, without computing the MAD: true if more than half of the deviations are that
      // small.
      const middle = start + half;
      const median = sorted[middle]!;
      const distance = Math.abs(value - median);
      let nearer = 0;
      for (let i = middle; i >= start && nearer <= half && limit * (median - sorted[i]!) < distance; i--)
        nearer++;
      for (let i = middle + 1; i <= last && nearer <= half && limit * (sorted[i]! - median) < distance; i++)
        nearer++;

      if (usable && nearer <= half) {
        output[at] = re;
        output[at + 1] = im;
      } else {
        rescale(input, output, at, usable ? amplitude : 0, median);
        replaced++;
      }
    }
    return replaced;
  }
}

/**
 * As a Float32, so that the sorted window and the history hold equal numbers. NaN or Infinity if it is not a
 * number.
 */
const amplitudeOf = (re: number, im: number): number => Math.fround(Math.sqrt(re * re + im * im));

/** Sets the amplitude of the value at `at` and leaves its phase; a value without a phase gets phase 0. */
function rescale(input: Float32Array, output: Float32Array, at: number, from: number, to: number): void {
  output[at] = from > 0 ? (input[at]! * to) / from : to;
  output[at + 1] = from > 0 ? (input[at + 1]! * to) / from : 0;
}
