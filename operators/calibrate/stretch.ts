import { linkMotion, type LinkMotion } from '../shared/link-motion.js';

/** The grid of windows in the shipped topologies: two seconds in 100 points. */
const POINTS = 100;
const STEP = 20_000;
/** Pause after which a stretch restarts, microseconds: the default `idle_ms` of `window`. */
const PAUSE = 500_000;

export interface StretchState {
  readonly time: number;
  readonly begin: number;
  readonly filled: number;
  readonly frames: number;
  readonly last: Float64Array;
  readonly values: Float32Array;
}

/**
 * Amplitudes of one link on a grid, interpolated like those of `window`, and what `detect-motion` would
 * report for them.
 */
export class Stretch {
  readonly #columns: number;
  /** [points, columns, (amplitude, 0)] */
  readonly #values: Float32Array;
  readonly #last: Float64Array;
  #time = -Infinity;
  /** Time of the first point. */
  #begin = 0;
  #filled = 0;
  #frames = 0;

  constructor(columns: number) {
    this.#columns = columns;
    this.#values = new Float32Array(2 * POINTS * columns);
    this.#last = new Float64Array(columns);
  }

  /** Adds a frame; returns the result of a full stretch, after which the next one begins. */
  add(time: number, amplitude: Float64Array): LinkMotion | null {
    const elapsed = time - this.#time;
    if (elapsed > 0 && elapsed <= PAUSE) this.#fill(time, amplitude);
    else this.#start(time);
    this.#time = time;
    this.#last.set(amplitude);
    this.#frames++;
    if (this.#filled < POINTS) return null;
    const found = linkMotion(
      { values: this.#values, gaps: new Uint8Array(POINTS), frames: this.#frames },
      { step: STEP, points: POINTS },
    );
    this.#start(time);
    return found;
  }

  snapshot(): StretchState {
    return {
      time: this.#time,
      begin: this.#begin,
      filled: this.#filled,
      frames: this.#frames,
      last: this.#last.slice(),
      values: this.#values.slice(0, 2 * this.#filled * this.#columns),
    };
  }

  restore({ time, begin, filled, frames, last, values }: StretchState): void {
    this.#time = time;
    this.#begin = begin;
    this.#filled = filled;
    this.#frames = frames;
    this.#last.set(last);
    this.#values.set(values);
  }

  #start(time: number): void {
    this.#begin = time;
    this.#filled = 0;
    this.#frames = 0;
  }

  /** All points up to `time`, between the previous frame and this one. */
  #fill(time: number, amplitude: Float64Array): void {
    for (; this.#filled < POINTS; this.#filled++) {
      const at = this.#begin + this.#filled * STEP;
      if (at > time) return;
      const share = (at - this.#time) / (time - this.#time);
      const row = this.#filled * this.#columns;
      for (let k = 0; k < this.#columns; k++)
        this.#values[2 * (row + k)] = this.#last[k]! + share * (amplitude[k]! - this.#last[k]!);
    }
  }
}
