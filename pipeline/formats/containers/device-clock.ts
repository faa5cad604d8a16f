/** Properties of a sender's clock, and how far it is trusted. */
export interface ClockKind {
  /** One unit of its stamps, microseconds. */
  readonly unit: number;
  /** The stamps restart from 0 at this number. Undefined: never. */
  readonly period?: number;
  /** This number of consecutive consistent but doubted stamps means that the clock was set. */
  readonly confirm: number;
  /** Steps back of up to this many units are records out of order, and get the newest time. */
  readonly slack?: number;
  /** True if stamps are times of day: a confirmed step ahead is a real gap, however long. */
  readonly absolute?: boolean;
}

/**
 * Event time from the stamps of a log. One damaged stamp must not move the time of everything after it, so a
 * step back, or ahead by more than a minute, is doubted and its record is skipped. {@link ClockKind.confirm}
 * consecutive doubted stamps mean that the clock was set (a restart, joined logs), and time continues {@link
 * STEP_OVER} after the last record. A step ahead that is more than twice as long as is usual is accepted
 * unless the next record contradicts it. A clock that wraps within a minute says nothing
 * by one stamp, because every stamp is ahead of every other: its cutter passes the next one always, and then
 * the first one is checked, too.
 */
export class DeviceClock {
  readonly #kind: ClockKind;
  readonly #period: number;
  #last = -1;
  #time = 0;
  /** Recent length of a step, microseconds; at most doubles from one step to the next. */
  #usual = FIRST_STEP;
  /** The newest doubted stamp, and the number of consecutive ones. */
  #doubted = -1;
  #run = 0;

  constructor(kind: ClockKind) {
    this.#kind = kind;
    this.#period = kind.period ?? Infinity;
  }

  /** True if {@link at} needs the stamp of the next record. */
  asksForNext(stamp: number): boolean {
    if (this.#last < 0) return false;
    const step = this.#step(this.#last, stamp) * this.#kind.unit;
    return step > 2 * this.#usual && step <= MAX_STEP;
  }

  /**
   * Microseconds since 1970, never decreasing; null if the stamp is not trusted. The first stamp counts from
   * 1970 itself. `next`: stamp of the next record, at least if {@link asksForNext}; null if there is none.
   */
  at(stamp: number, next: number | null = null): number | null {
    const { unit, slack = 0 } = this.#kind;
    if (this.#last < 0)
      return next !== null && this.#isBadStart(stamp, next) ? null : this.#believe(stamp, stamp * unit);
    if (stamp <= this.#last && this.#last - stamp <= slack) return this.#time;
    const step = this.#step(this.#last, stamp) * unit;
    if (step < 0 || step > MAX_STEP) return this.#doubt(stamp, step);
    const mayBeLate = slack > 0 && !this.asksForNext(stamp);
    if (next !== null && !mayBeLate && this.#denies(stamp, next)) return null;
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

  /** True if `next` continues from the last stamp, but is before this one. */
  #denies(stamp: number, next: number): boolean {
    const step = this.#step(this.#last, stamp);
    const beyond = this.#step(this.#last, next);
    return beyond >= 0 && beyond < step;
  }

  /** True if a record cannot be the first one: `next` is before it, or so long after it that one of them is wrong. */
  #isBadStart(stamp: number, next: number): boolean {
    const { unit, absolute = false } = this.#kind;
    const step = this.#step(stamp, next);
    const ahead = step > this.#period / 2 ? step - this.#period : step;
    return ahead < 0 || (!absolute && ahead * unit > MAX_STEP);
  }

  #believe(stamp: number, time: number): number {
    // A step of 0 (two records with one time) says nothing about the next.
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

/** The assumed step before the first one, microseconds. */
const FIRST_STEP = 500_000;
/** Longest step ahead that one record can make, microseconds. */
const MAX_STEP = 60_000_000;
/** Gap between the records around a clock change, microseconds. */
const STEP_OVER = 50_000;

/** Limit of bytes read ahead for the stamp of the next record. */
export const READ_AHEAD_BYTES = 131_072;
