/** Used before the node's speed is known. */
const FIRST = 16;

/**
 * How many records may be in flight so that one takes about `targetMs`: batches grow while they stay below
 * it. Waiting records can still be replaced by newer ones; records in flight cannot.
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

  /** @param ms that a record took @param inFlight records in flight then, itself included */
  done(ms: number, inFlight: number): void {
    const now = this.#elapsed();
    if (ms <= this.#targetMs) {
      if (inFlight >= this.#limit) this.#limit = Math.min(this.#most, this.#limit + 1);
    } else if (now - ms >= this.#reducedAt) {
      // Records that were already in flight say nothing about the new limit.
      this.#reducedAt = now;
      this.#limit = Math.max(1, Math.min(this.#limit, Math.floor((this.#limit * this.#targetMs) / ms)));
    }
  }
}
