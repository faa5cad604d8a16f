import type { Clock } from '../component/index.js';

interface Timer {
  readonly at: number;
  readonly then: () => void;
}

/** A clock that a test moves: it stops between the records of the input, and its timers take no time. */
export class TestClock implements Clock {
  #start: number;
  #elapsed = 0;
  #timers: readonly Timer[] = [];

  /** @param start its first time, microseconds since 1970 */
  constructor(start: number) {
    this.#start = start;
  }

  now(): number {
    return this.#start + this.#elapsed * 1000;
  }

  elapsed(): number {
    return this.#elapsed;
  }

  timer(ms: number, then: () => void): () => void {
    const timer = { at: this.#elapsed + Math.max(0, ms), then };
    this.#timers = [...this.#timers, timer].sort((a, b) => a.at - b.at);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** From now on `elapsed` counts from `start`, microseconds since 1970; timers keep their distance. */
  beginAt(start: number): void {
    this.#timers = this.#timers.map(({ at, then }) => ({ at: at - this.#elapsed, then }));
    this.#start = start;
    this.#elapsed = 0;
  }

  /** Moves to `elapsed` milliseconds, never back; calls timers on the way at their time. */
  advance(elapsed: number): void {
    for (let next = this.#timers[0]; next && next.at <= elapsed; next = this.#timers[0]) {
      this.#timers = this.#timers.slice(1);
      this.#elapsed = Math.max(this.#elapsed, next.at);
      next.then();
    }
    this.#elapsed = Math.max(this.#elapsed, elapsed);
  }

  /** When the next timer is due; undefined if none waits. */
  get next(): number | undefined {
    return this.#timers[0]?.at;
  }
}
