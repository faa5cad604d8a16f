import { setTimeout as sleep } from 'node:timers/promises';
import type { Context, RawBatch } from '../component/index.js';
import type { LaggingPace } from './lagging-pace.js';

/** Releases records at a multiple of their recorded pace. */
export class Pace {
  readonly #speed: number;
  readonly #context: Context;
  readonly #signal: AbortSignal;
  readonly #lagging: LaggingPace;
  #firstTime = NaN;
  #firstElapsed = 0;

  constructor(speed: number, context: Context, signal: AbortSignal, lagging: LaggingPace) {
    this.#speed = speed;
    this.#context = context;
    this.#signal = signal;
    this.#lagging = lagging;
  }

  /** Waits until record `from` is due; returns the end of those that are. Returns at once if the signal aborts. */
  async due(raw: RawBatch, from: number): Promise<number> {
    if (this.#speed === 0) return raw.count;
    if (Number.isNaN(this.#firstTime)) {
      this.#firstTime = raw.time[from]!;
      this.#firstElapsed = this.#context.clock.elapsed();
    }
    const played = (raw.time[from]! - this.#firstTime) / 1000;
    this.#lagging.see(played, this.#context.clock.elapsed() - this.#firstElapsed);
    const wait = this.#dueIn(raw.time[from]!);
    if (wait > 0) await this.#wait(wait);
    let to = from + 1;
    while (to < raw.count && this.#dueIn(raw.time[to]!) <= 0) to++;
    return to;
  }

  #dueIn(time: number): number {
    const due = this.#firstElapsed + (time - this.#firstTime) / 1000 / this.#speed;
    return due - this.#context.clock.elapsed();
  }

  async #wait(milliseconds: number): Promise<void> {
    try {
      await sleep(Math.min(milliseconds, MAX_WAIT_MS), undefined, { signal: this.#signal });
    } catch (error) {
      if (!this.#signal.aborted) throw error;
    }
  }
}

/** A timer accepts at most 31 bits. */
const MAX_WAIT_MS = 2_000_000_000;
