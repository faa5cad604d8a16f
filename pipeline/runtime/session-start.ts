import type { Clock } from '../base/clock.js';

/** If the clock was set back by more, microseconds, it was wrong at the start. Smaller differences are corrections. */
const SET_BACK = 10_000_000;

/**
 * Start of a session by the current clock: if the clock was ahead then and was set back since, the start must
 * not be in the future.
 */
export class SessionStart {
  readonly #clock: Clock;
  readonly #at: number;
  readonly #elapsed: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#at = clock.now();
    this.#elapsed = clock.elapsed();
  }

  /** Microseconds since 1970. */
  get time(): number {
    const passed = (this.#clock.elapsed() - this.#elapsed) * 1000;
    const began = Math.round(this.#clock.now() - passed);
    return began < this.#at - SET_BACK ? began : this.#at;
  }
}
