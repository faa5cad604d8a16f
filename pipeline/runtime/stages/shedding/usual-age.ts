/** How long the smallest age counts, milliseconds: at least this, at most twice. */
const MEMORY_MS = 30_000;

/** How old records are at best on arrival: all of them after a restart, or if a sender's clock is behind. */
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
