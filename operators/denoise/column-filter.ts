import { frameSize, type CsiLayout } from '../../pipeline/model/index.js';
import type { FrameFilter } from '../shared/frame-filter.js';

/** Filters rows of numbers in Float64, as if evenly spaced: each column is a signal. */
export interface RowFilter<S> {
  /** Filters the next row in place. */
  apply(row: Float64Array): void;
  snapshot(): S;
  restore(state: S): void;
}

/**
 * Which part of a frame is filtered: amplitudes, with unchanged phases, or real and imaginary parts as
 * separate signals.
 */
export type Part = 'amplitude' | 'complex';

export interface ColumnFilterState<S> {
  /** Event time of the newest frame, microseconds. */
  readonly time: number;
  readonly last: Float64Array;
  readonly rows: S | null;
}

/**
 * Applies a row filter to the amplitudes or the complex values of frames. It restarts after a pause of the
 * link; a value that is not a number counts as the previous one.
 */
export class ColumnFilter<S> implements FrameFilter<ColumnFilterState<S>> {
  readonly #part: Part;
  readonly #maxGap: number;
  readonly #make: () => RowFilter<S>;
  readonly #row: Float64Array;
  /** The newest valid value of each column. */
  readonly #last: Float64Array;
  #rows: RowFilter<S> | null = null;
  #time = -Infinity;

  /** @param make creates a row filter with the number of columns of `part` @param maxGap microseconds */
  constructor(layout: CsiLayout, part: Part, maxGap: number, make: (columns: number) => RowFilter<S>) {
    const columns = part === 'amplitude' ? frameSize(layout) / 2 : frameSize(layout);
    this.#part = part;
    this.#maxGap = maxGap;
    this.#make = () => make(columns);
    this.#row = new Float64Array(columns);
    this.#last = new Float64Array(columns);
  }

  apply(input: Float32Array, output: Float32Array, offset: number, time: number): number {
    if (!this.#rows || Math.abs(time - this.#time) > this.#maxGap) {
      this.#rows = this.#make();
      this.#last.fill(0);
    }
    this.#time = time;
    if (this.#part === 'complex') this.#complex(this.#rows, input, output, offset);
    else this.#amplitude(this.#rows, input, output, offset);
    return 0;
  }

  snapshot(): ColumnFilterState<S> {
    return { time: this.#time, last: this.#last.slice(), rows: this.#rows?.snapshot() ?? null };
  }

  restore({ time, last, rows }: ColumnFilterState<S>): void {
    this.#time = time;
    this.#last.set(last);
    this.#rows = rows === null ? null : this.#make();
    if (rows !== null) this.#rows!.restore(rows);
  }

  #complex(rows: RowFilter<S>, input: Float32Array, output: Float32Array, offset: number): void {
    const row = this.#row;
    for (let i = 0; i < row.length; i++) row[i] = this.#usable(input[offset + i]!, i);
    rows.apply(row);
    for (let i = 0; i < row.length; i++) output[offset + i] = row[i]!;
  }

  /**
   * A value without a phase gets phase 0. A filter that removes the mean yields negative amplitudes: the
   * phase turns by half a circle.
   */
  #amplitude(rows: RowFilter<S>, input: Float32Array, output: Float32Array, offset: number): void {
    const row = this.#row;
    for (let i = 0, at = offset; i < row.length; i++, at += 2)
      row[i] = this.#usable(Math.sqrt(input[at]! ** 2 + input[at + 1]! ** 2), i);
    rows.apply(row);
    for (let i = 0, at = offset; i < row.length; i++, at += 2) {
      const re = input[at]!;
      const im = input[at + 1]!;
      const length = Math.sqrt(re * re + im * im);
      const scale = length > 0 && length < Infinity ? row[i]! / length : NaN;
      output[at] = scale === scale ? re * scale : row[i]!;
      output[at + 1] = scale === scale ? im * scale : 0;
    }
  }

  #usable(value: number, column: number): number {
    if (Math.abs(value) < Infinity) this.#last[column] = value;
    return this.#last[column]!;
  }
}
