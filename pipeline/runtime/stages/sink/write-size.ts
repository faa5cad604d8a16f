/** Records of one write, at most. */
export const BATCH = 512;
/** What its records may add to the time of a write, so that an alert never waits long behind one. */
const GOAL_MS = 500;

/**
 * How many records a write takes at once: fewer where a store works long on them. Where it only answers late, as over a
 * slow line, fewer would help nobody.
 */
export class WriteSize {
  #value = BATCH;
  /** What a write takes of which the records are no cause: that of a single one, or the quickest since. */
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

  /** A write of `count` records was too much. */
  reduce(count: number): void {
    this.#value = Math.max(1, Math.min(this.#value, count) >> 1);
  }
}
