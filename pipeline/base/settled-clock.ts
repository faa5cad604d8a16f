import type { Clock } from './clock.js';

const DAY_MS = 86_400_000;
/** A clock that differs by less is followed at once, microseconds. */
const NEAR_US = DAY_MS * 1000;
/** One that differs by more is followed when it has stayed so for this time. */
const LASTING_MS = DAY_MS;

/** What a {@link SettledClock} knows, for the next start. */
export interface SettledTime {
  /** Microseconds since 1970. */
  readonly time: number;
  /** For how long the system's clock has differed, milliseconds of running. */
  readonly waitedMs: number;
}

/**
 * The time for what cannot be undone, such as deleting old records. It follows a system clock that was set by more
 * than a day only when csiflow has run for a day with it: until then it goes on from where it was, and never runs
 * ahead of the system's clock.
 */
export class SettledClock {
  readonly #clock: Clock;
  #time: number;
  #at: number;
  #waitedMs: number;
  /** At the last look of this run; null where they agreed, or before the first. */
  #ahead: number | null = null;

  /** @param known of the last run; undefined: the system's clock is taken to be right */
  constructor(clock: Clock, known?: SettledTime) {
    this.#clock = clock;
    this.#time = known?.time ?? clock.now();
    this.#waitedMs = known?.waitedMs ?? 0;
    this.#at = clock.elapsed();
  }

  now(): number {
    const elapsed = this.#clock.elapsed();
    const passedMs = elapsed - this.#at;
    this.#at = elapsed;
    this.#time += passedMs * 1000;
    const system = this.#clock.now();
    if (!this.#isOff(system - this.#time, passedMs)) {
      this.#time = system;
      this.#waitedMs = 0;
      this.#ahead = null;
    }
    return Math.min(system, Math.round(this.#time));
  }

  /** By how much the system's clock is ahead and not followed, microseconds; null where it is followed. */
  get ahead(): number | null {
    return this.#ahead;
  }

  get snapshot(): SettledTime {
    return { time: this.#time, waitedMs: this.#waitedMs };
  }

  /** It differs, and has not done so for long enough. */
  #isOff(ahead: number, passedMs: number): boolean {
    if (Math.abs(ahead) <= NEAR_US) return false;
    const before = this.#ahead;
    this.#ahead = ahead;
    // While csiflow does not run, nobody can tell a long stop from a clock that was set.
    if (before !== null) this.#waitedMs = Math.abs(ahead - before) > NEAR_US ? 0 : this.#waitedMs + passedMs;
    return this.#waitedMs < LASTING_MS;
  }
}
