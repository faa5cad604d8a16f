import { blend } from '../shared/blend.js';

export interface ResamplerState {
  /** Event time of the newest frame, microseconds. */
  readonly time: number;
  readonly sequence: number;
  readonly last: Float32Array;
}

/** One link's frames on a grid: the points between two frames, once the second one has arrived. */
export class Resampler {
  /** Grid points that the newest frame resolves: `from` to `until`, excluded. */
  from = 0;
  until = 0;
  /** Grid points before it that lie in a gap. */
  skipped = 0;
  /** Number of the next point: counts from the link's first, including points in gaps. */
  sequence = 0;
  /** Microseconds. */
  readonly #period: number;
  readonly #maxGap: number;
  #last: Float32Array;
  #time = -Infinity;
  #before = -Infinity;

  /** @param rate points per second @param maxGap microseconds */
  constructor(size: number, rate: number, maxGap: number) {
    this.#period = 1e6 / rate;
    this.#maxGap = maxGap;
    this.#last = new Float32Array(size);
  }

  /** Adds the next frame, or returns why it is rejected. Call {@link keep} after writing its points. */
  add(time: number, values: Float32Array, at: number): 'late' | 'not_finite' | null {
    if (time <= this.#time) return 'late';
    for (let i = 0; i < this.#last.length; i++)
      if (!(Math.abs(values[at + i]!) < Infinity)) return 'not_finite';
    const gap = time - this.#time > this.#maxGap;
    const first = this.#pointAfter(this.#time);
    this.until = this.#pointAfter(time);
    // In a gap, only the point that coincides with the frame.
    const exact = this.until - 1;
    this.from = !gap ? first : exact * this.#period === time ? exact : this.until;
    this.skipped = gap && first > -Infinity ? this.from - first : 0;
    this.sequence += this.skipped;
    this.#before = this.#time;
    this.#time = time;
    return null;
  }

  /** Microseconds. */
  timeOf(point: number): number {
    return point * this.#period;
  }

  /** The frame at a grid point between the newest frame, which `values` holds from `at`, and the previous one. */
  write(point: number, values: Float32Array, at: number, output: Float32Array, to: number): void {
    const time = this.timeOf(point);
    this.sequence++;
    const weight = this.#before > -Infinity ? (time - this.#before) / (this.#time - this.#before) : 1;
    blend(this.#last, values, at, Math.min(1, Math.max(0, weight)), output, to);
  }

  keep(values: Float32Array, at: number): void {
    for (let i = 0; i < this.#last.length; i++) this.#last[i] = values[at + i]!;
  }

  /** Lower limit of output times once the input's event time is `time`. */
  holds(time: number): number {
    const waits = time < Infinity && time - this.#time <= this.#maxGap;
    return waits ? Math.min(time, this.timeOf(this.#pointAfter(this.#time)) - 1) : time;
  }

  snapshot(): ResamplerState {
    return { time: this.#time, sequence: this.sequence, last: this.#last.slice() };
  }

  restore({ time, sequence, last }: ResamplerState): void {
    this.#time = time;
    this.sequence = sequence;
    this.#last = last.slice();
  }

  /** Number of the first grid point after a time. */
  #pointAfter(time: number): number {
    return Math.floor(time / this.#period) + 1;
  }
}
