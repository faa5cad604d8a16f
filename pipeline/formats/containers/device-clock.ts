/** How a sender's clock counts, and how far it is believed. */
export interface ClockKind {
  /** One unit of its stamps, microseconds. */
  readonly unit: number;
  /** The stamps start again from 0 at this number. Left out: never. */
  readonly period?: number;
  /** So many doubted stamps in a row that follow one another mean that the clock was set. */
  readonly confirm: number;
  /** Steps back of up to so many units are records out of order, and get the newest time. */
  readonly slack?: number;
  /** True where stamps are times of day: a step ahead that is confirmed is a real gap, however long. */
  readonly absolute?: boolean;
}

/**
 * Event time from the stamps of a log. One damaged stamp must not move the time of all that follows, so a step back, or
 * ahead by more than a minute, is doubted: its record is left out. When {@link ClockKind.confirm} doubted stamps follow
 * one another the clock was set (a restart, joined logs), and time continues {@link STEP_OVER} after the last record.
 * A step ahead that is more than twice as long as is usual is believed unless the next record denies it.
 */
export class DeviceClock {
  readonly #kind: ClockKind;
  readonly #period: number;
  #last = -1;
  #time = 0;
  /** A step as the last ones were, microseconds; grows to twice of itself at most from one to the next. */
  #usual = FIRST_STEP;
  /** The newest doubted stamp, and how many have followed one another. */
  #doubted = -1;
  #run = 0;

  constructor(kind: ClockKind) {
    this.#kind = kind;
    this.#period = kind.period ?? Infinity;
  }

  /** True where {@link at} needs the stamp of the next record. */
  asksForNext(stamp: number): boolean {
    if (this.#last < 0) return false;
    const step = this.#step(this.#last, stamp) * this.#kind.unit;
    return step > 2 * this.#usual && step <= MAX_STEP;
  }

  /**
   * Microseconds since 1970, never decreasing; null where the stamp is not believed. The first stamp counts from 1970
   * itself. `next`: stamp of the next record, where {@link asksForNext}; null where there is none.
   */
  at(stamp: number, next: number | null = null): number | null {
    const { unit, slack = 0 } = this.#kind;
    if (this.#last < 0) return this.#believe(stamp, stamp * unit);
    if (stamp <= this.#last && this.#last - stamp <= slack) return this.#time;
    const step = this.#step(this.#last, stamp) * unit;
    if (step < 0 || step > MAX_STEP) return this.#doubt(stamp, step);
    if (next !== null && this.asksForNext(stamp) && this.#denies(stamp, next)) return null;
    return this.#believe(stamp, this.#time + step);
  }

  snapshot() {
    return {
      last: this.#last,
      time: this.#time,
      usual: this.#usual,
      doubted: this.#doubted,
      run: this.#run,
    };
  }

  restore(state: Omit<ReturnType<DeviceClock['snapshot']>, 'usual'> & { readonly usual?: number }): void {
    this.#last = state.last;
    this.#time = state.time;
    // Checkpoints of 0.1.0 have none.
    this.#usual = state.usual ?? FIRST_STEP;
    this.#doubted = state.doubted;
    this.#run = state.run;
  }

  #doubt(stamp: number, step: number): number | null {
    const onward = this.#doubted < 0 ? -1 : this.#step(this.#doubted, stamp) * this.#kind.unit;
    this.#run = onward >= 0 && onward <= MAX_STEP ? this.#run + 1 : 1;
    this.#doubted = stamp;
    if (this.#run < this.#kind.confirm) return null;
    const gap = this.#kind.absolute === true && step > 0 ? step : STEP_OVER;
    return this.#believe(stamp, this.#time + gap);
  }

  /** True where `next` goes on from the last stamp, but lies before this one. */
  #denies(stamp: number, next: number): boolean {
    const step = this.#step(this.#last, stamp);
    const beyond = this.#step(this.#last, next);
    return beyond >= 0 && beyond < step;
  }

  #believe(stamp: number, time: number): number {
    // A step of 0 (two records of one time) says nothing of the next.
    if (this.#last >= 0 && time > this.#time) this.#usual = Math.min(time - this.#time, 2 * this.#usual);
    this.#last = stamp;
    this.#time = time;
    this.#doubted = -1;
    this.#run = 0;
    return time;
  }

  /** Units from one stamp to another; with a period always ahead. */
  #step(from: number, to: number): number {
    const step = to - from;
    return step < 0 && this.#period !== Infinity ? step + this.#period : step;
  }
}

/** The usual step before any was seen, microseconds. */
const FIRST_STEP = 500_000;
/** Longest step ahead that one record can make, microseconds. */
const MAX_STEP = 60_000_000;
/** What lies between the records on both sides of a clock that was set, microseconds. */
const STEP_OVER = 50_000;

/** So many bytes at most are read ahead for the stamp of the next record. */
export const READ_AHEAD_BYTES = 131_072;
