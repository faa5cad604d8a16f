import type { Clock } from './clock.js';

const DAY_MS = 86_400_000;
/** A smaller difference is applied immediately, microseconds. */
const NEAR_US = DAY_MS * 1000;
/** A larger one is applied when it has lasted for this long. */
const LASTING_MS = DAY_MS;

/** What a {@link SettledClock} saves for the next start. */
export interface SettledTime {
  /** Microseconds since 1970. */
  readonly time: number;
  /** How long the system's clock has differed, milliseconds of running. */
  readonly waitedMs: number;
}

/**
 * The time for irreversible actions, such as deleting old records. If the system's clock is set by more than
 * a day, this clock follows only after csiflow has run with it for a day. Until then it continues from where
 * it was, and never runs ahead of the system's clock.
 */
export class SettledClock {
  readonly #clock: Clock;
  #time: number;
  #at: number;
  #waitedMs: number;
  /** At the last reading of this run; null if they agreed, or before the first. */
  #ahead: number | null = null;

  /** @param known from the last run; undefined: the system's clock is assumed to be right */
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

  /** How far the system's clock is ahead without being followed, microseconds; null if it is followed. */
  get ahead(): number | null {
    return this.#ahead;
  }

  get snapshot(): SettledTime {
    return { time: this.#time, waitedMs: this.#waitedMs };
  }

  /** It differs, but not for long enough yet. */
  #isOff(ahead: number, passedMs: number): boolean {
    if (Math.abs(ahead) <= NEAR_US) return false;
    const before = this.#ahead;
    this.#ahead = ahead;
    // While csiflow is stopped, a long stop and a changed clock look the same.
    if (before !== null) this.#waitedMs = Math.abs(ahead - before) > NEAR_US ? 0 : this.#waitedMs + passedMs;
    return this.#waitedMs < LASTING_MS;
  }
}
