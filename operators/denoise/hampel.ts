import { sortedDeviation, sortedMedian } from '../shared/median.js';
import { Scratch } from '../shared/simd/scratch.js';
import { SimdModule } from '../shared/simd/simd-module.js';
import { CODE } from './sliding-hampel.wasm.js';

/** As in assembly/sliding-hampel.ts; pointers in bytes. */
interface Kernel {
  readonly slide: (
    input: number,
    output: number,
    history: number,
    sorted: number,
    columns: number,
    window: number,
    limit: number,
  ) => number;
}

const kernel = new SimdModule<Kernel>(CODE);

/** Columns that the kernel computes at once. */
const LANES = 4;

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
 * Each column's window stays sorted, so a frame costs one removal and one insertion in a short array. Once the window is
 * full, a kernel does this for four columns at a time.
 */
export class SlidingHampel {
  readonly #columns: number;
  readonly #window: number;
  readonly #limit: number;
  /** [window, columns], a ring. */
  readonly #history: Float32Array;
  /** [column / LANES, window, LANES], each column ascending; columns that fill up the last lanes are 0. */
  readonly #sorted: Float32Array;
  readonly #scratch: Scratch<Record<'input' | 'output' | 'history' | 'sorted', Float32Array>>;
  #frames = 0;
  #next = 0;

  /** @param window frames, odd @param threshold standard deviations */
  constructor(columns: number, window: number, threshold: number) {
    const width = Math.ceil(columns / LANES) * LANES;
    this.#columns = columns;
    this.#window = window;
    this.#limit = threshold * MAD_TO_SIGMA;
    this.#history = new Float32Array(window * columns);
    this.#sorted = new Float32Array(window * width);
    this.#scratch = new Scratch(kernel.shared.memory, {
      input: [Float32Array, 2 * width],
      output: [Float32Array, 2 * columns],
      history: [Float32Array, columns],
      sorted: [Float32Array, window * width],
    });
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
    const sorted = new Float32Array(this.#frames);
    for (let column = 0; column < this.#columns; column++) {
      for (let frame = 0; frame < this.#frames; frame++)
        sorted[frame] = history[frame * this.#columns + column]!;
      sorted.sort();
      this.#keep(column, sorted);
    }
  }

  /** A frame before the window is full. */
  #fill(input: Float32Array, output: Float32Array, offset: number): number {
    const frames = this.#frames;
    const sorted = new Float32Array(frames + 1);
    let replaced = 0;
    for (let column = 0; column < this.#columns; column++) {
      const at = offset + 2 * column;
      const amplitude = amplitudeOf(input[at]!, input[at + 1]!);
      const usable = amplitude < Infinity;
      const first = this.#first(column);
      const value = usable ? amplitude : frames === 0 ? 0 : this.#sorted[first + LANES * (frames >> 1)]!;
      this.#history[this.#next * this.#columns + column] = value;

      for (let frame = 0; frame < frames; frame++) sorted[frame] = this.#sorted[first + LANES * frame]!;
      let slot = frames;
      while (slot > 0 && sorted[slot - 1]! > value) sorted[slot] = sorted[--slot]!;
      sorted[slot] = value;
      this.#keep(column, sorted);

      const median = sortedMedian(sorted, 0, frames + 1);
      const deviation = sortedDeviation(sorted, 0, frames + 1, median);
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
    const columns = this.#columns;
    const oldest = this.#history.subarray(this.#next * columns, (this.#next + 1) * columns);
    const { at, arrays } = this.#scratch;
    arrays.input.set(input.subarray(offset, offset + 2 * columns));
    arrays.input.fill(0, 2 * columns);
    arrays.history.set(oldest);
    arrays.sorted.set(this.#sorted);
    const { slide } = kernel.shared;
    const width = arrays.input.length / 2;
    const replaced = slide(at.input, at.output, at.history, at.sorted, width, this.#window, this.#limit);
    output.set(arrays.output, offset);
    oldest.set(arrays.history);
    this.#sorted.set(arrays.sorted);
    return replaced;
  }

  /** Position of the least amplitude of a column. */
  #first(column: number): number {
    const lane = column % LANES;
    return (column - lane) * this.#window + lane;
  }

  #keep(column: number, sorted: Float32Array): void {
    const first = this.#first(column);
    for (let slot = 0; slot < sorted.length; slot++) this.#sorted[first + LANES * slot] = sorted[slot]!;
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
