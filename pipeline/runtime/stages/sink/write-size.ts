/** Limit of records per write. */
export const BATCH = 512;
/** How long records may prolong a write, so that an alert never waits long behind one. */
const GOAL_MS = 500;

/**
 * Records per write: fewer if a store needs long for them. If the store only answers late, as over a slow
 * line, fewer would not help.
 */
export class WriteSize {
  #value = BATCH;
  /**
   * The part of a write's time that does not depend on its records: the time of a single-record write, or the
   * fastest since.
   */
  #answerMs = 0;

  get value(): number {
    return this.#value;
  }

  /** A write of `count` records has ended after `ms`. */
  took(ms: number, count: number): void {
    this.#answerMs = count === 1 ? ms : Math.min(this.#answerMs, ms);
    const work = ms - this.#answerMs;
    if (work > GOAL_MS) this.reduce(count);
    else if (work < GOAL_MS / 2) this.#value = Math.min(BATCH, this.#value * 2);
  }

  /** A write of `count` records was too large. */
  reduce(count: number): void {
    this.#value = Math.max(1, Math.min(this.#value, count) >> 1);
  }
}
