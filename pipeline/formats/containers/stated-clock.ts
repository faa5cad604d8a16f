/**
 * Event time of records that each state it: no record is skipped, since records of several senders, or those that
 * come once in some minutes, have times that do not follow from each other. One wrong time must not move those of all
 * records after it, so a time that is more than a minute after that of the next record is not taken.
 */
export class StatedClock {
  /** Negative before the first record. */
  #time = -1;

  /** True if {@link at} needs the time of the next record. The first one of growing input waits for no other. */
  asksForNext(stated: number, isGrowing = false): boolean {
    return this.#time < 0 ? !isGrowing : stated - this.#time > MAX_STEP;
  }

  /**
   * Microseconds since 1970, never decreasing. `next`: what the next record states, at least if {@link asksForNext};
   * null if there is none.
   */
  at(stated: number, next: number | null = null): number {
    const isWrong = next !== null && stated - next > MAX_STEP;
    this.#time = Math.max(this.#time, 0, isWrong ? (this.#time < 0 ? next : this.#time) : stated);
    return this.#time;
  }

  snapshot() {
    return { time: this.#time };
  }

  restore({ time }: ReturnType<StatedClock['snapshot']>): void {
    this.#time = time;
  }
}

/** A time may be this much after that of the next record, microseconds: records out of order. */
const MAX_STEP = 60_000_000;
