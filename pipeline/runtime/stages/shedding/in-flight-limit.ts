/** Before anything is known of the node's speed. */
const FIRST = 16;

/**
 * How many records may be under way, so that one takes about `targetMs`: batches grow while they stay below it.
 * What waits outside can still be replaced by newer records; what is under way cannot.
 */
export class InFlightLimit {
  readonly #targetMs: number;
  readonly #most: number;
  readonly #elapsed: () => number;
  #limit: number;
  #reducedAt = -Infinity;

  constructor(targetMs: number, most: number, elapsed: () => number) {
    this.#targetMs = targetMs;
    this.#most = most;
    this.#elapsed = elapsed;
    this.#limit = Math.min(most, FIRST);
  }

  get value(): number {
    return this.#limit;
  }

  /** @param ms that a record took @param inFlight that were under way, itself included */
  done(ms: number, inFlight: number): void {
    const now = this.#elapsed();
    if (ms <= this.#targetMs) {
      if (inFlight >= this.#limit) this.#limit = Math.min(this.#most, this.#limit + 1);
    } else if (now - ms >= this.#reducedAt) {
      // Records that were under way already tell nothing of the new limit.
      this.#reducedAt = now;
      this.#limit = Math.max(1, Math.min(this.#limit, Math.floor((this.#limit * this.#targetMs) / ms)));
    }
  }
}
