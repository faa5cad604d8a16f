import type { Clock } from '../../base/clock.js';

/** Share of real time by which it may run faster or slower to return to the system's clock. */
const SLEW = 0.01;
/** A difference is corrected within this time, as far as that share allows, microseconds. */
const SETTLE_US = 10_000_000;

/**
 * The clock of arrival times of live input. It follows the monotonic clock, so setting the system's clock
 * neither stops nor repeats time: a small difference is slewed away, a large one is a jump, by which event
 * time is re-anchored.
 */
export class ArrivalClock implements Clock {
  readonly timer?: NonNullable<Clock['timer']>;
  readonly #system: Clock;
  readonly #limit: number;
  /** Event time, microseconds, at a moment of the monotonic clock, milliseconds, and its pace since then. */
  #time: number;
  #at: number;
  #pace = 1;

  /** @param limitMs a difference above it is a jump */
  constructor(system: Clock, limitMs: number) {
    this.#system = system;
    this.#limit = limitMs * 1000;
    this.#time = system.now();
    this.#at = system.elapsed();
    if (system.timer) this.timer = system.timer.bind(system);
  }

  now(): number {
    return Math.round(this.#time + (this.#system.elapsed() - this.#at) * 1000 * this.#pace);
  }

  elapsed(): number {
    return this.#system.elapsed();
  }

  /** Arrival times must not be before `time`, which an earlier run has used already. */
  continueAfter(time: number): void {
    if (time > this.now()) this.#set(time);
  }

  /** The jump, microseconds, that would correct event time; 0 if slewing is enough. */
  follow(): number {
    const behind = this.#system.now() - this.now();
    if (Math.abs(behind) > this.#limit) return behind;
    this.#set(this.now());
    this.#pace = 1 + Math.max(-SLEW, Math.min(SLEW, behind / SETTLE_US));
    return 0;
  }

  jump(by: number): void {
    this.#set(this.now() + by);
    this.#pace = 1;
  }

  #set(time: number): void {
    this.#time = time;
    this.#at = this.#system.elapsed();
  }
}
