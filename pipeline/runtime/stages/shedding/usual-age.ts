/** For how long the least of the ages counts, milliseconds: at least, and at most twice as long. */
const MEMORY_MS = 30_000;

/** How old records are at best when they come: all of them after a restart, or where a sender's clock is behind. */
export class UsualAge {
  #least = Infinity;
  #before = Infinity;
  #since = -Infinity;

  /** Adds a record's age and gives by how much it exceeds that. @param now monotonic milliseconds */
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
