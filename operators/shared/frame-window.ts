import { frameSize, type CsiLayout } from '../../pipeline/model/index.js';
import type { DopplerSpectrum } from './doppler-spectrum.js';
import { MAX_MEASURED } from './max-measured.js';

export interface FrameWindowState {
  readonly time: number;
  /** [frames, columns, (re, im)], oldest first. */
  readonly frames: Float32Array;
}

/** The last frames of one link, assumed evenly spaced. Restarts after a pause. */
export class FrameWindow {
  readonly #maxGap: number;
  readonly #size: number;
  readonly #frames: number;
  /** [frames, columns, (re, im)], a ring. */
  readonly #ring: Float32Array;
  #count = 0;
  #next = 0;
  #time = -Infinity;

  /** @param maxGap pause after which it restarts, microseconds */
  constructor(layout: CsiLayout, frames: number, maxGap: number) {
    this.#maxGap = maxGap;
    this.#size = frameSize(layout);
    this.#frames = frames;
    this.#ring = new Float32Array(frames * this.#size);
  }

  /** Time of the newest frame. */
  get time(): number {
    return this.#time;
  }

  get full(): boolean {
    return this.#count === this.#frames;
  }

  /** Adds the next frame; invalid values count as 0. @returns false if it restarted */
  add(time: number, values: Float32Array, at: number): boolean {
    const goesOn = Math.abs(time - this.#time) <= this.#maxGap;
    if (!goesOn) this.#count = 0;
    this.#time = time;
    const start = this.#next * this.#size;
    for (let i = 0; i < this.#size; i++) {
      const value = values[at + i]!;
      this.#ring[start + i] = Math.abs(value) < MAX_MEASURED ? value : 0;
    }
    this.#next = (this.#next + 1) % this.#frames;
    this.#count = Math.min(this.#frames, this.#count + 1);
    return goesOn;
  }

  /** Powers of a full window without the mean of each column, summed over columns, in `spectrum`. */
  look(spectrum: DopplerSpectrum): void {
    spectrum.clear();
    for (let column = 0; column < this.#size; column += 2) {
      const at = (i: number): number => this.#slot(i) * this.#size + column;
      let [re, im] = [0, 0];
      for (let i = 0; i < this.#frames; i++) {
        re += this.#ring[at(i)]!;
        im += this.#ring[at(i) + 1]!;
      }
      spectrum.add(this.#ring, at, re / this.#frames, im / this.#frames);
    }
  }

  snapshot(): FrameWindowState {
    const frames = new Float32Array(this.#count * this.#size);
    for (let age = 0; age < this.#count; age++) {
      const start = this.#slot(age) * this.#size;
      frames.set(this.#ring.subarray(start, start + this.#size), age * this.#size);
    }
    return { time: this.#time, frames };
  }

  restore({ time, frames }: FrameWindowState): void {
    this.#time = time;
    this.#ring.set(frames);
    this.#count = frames.length / this.#size;
    this.#next = this.#count % this.#frames;
  }

  /** Position of the frame with a given age, oldest first. */
  #slot(age: number): number {
    return (this.#next - this.#count + age + this.#frames) % this.#frames;
  }
}
