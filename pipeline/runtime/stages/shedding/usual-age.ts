/** How long the smallest age counts, milliseconds: at least this, at most twice. */
const MEMORY_MS = 30_000;

/**
 * The usual age of records on arrival. After a restart, or if a sender's clock is behind, it is high for all.
 */
export class UsualAge {
  #least = Infinity;
  #before = Infinity;
  #since = -Infinity;

  /** Adds a record's age and returns how far it exceeds the usual one. @param now monotonic milliseconds */
  exceeded(ageMs: number, now: number): number {
    if (now - this.#since > MEMORY_MS) {
      this.#before = this.#least;
      this.#least = Infinity;
      this.#since = now;
    }
    this.#least = Math.min(this.#least, ageMs);
    return ageMs - Math.min(this.#least, this.#before);
  }
}
