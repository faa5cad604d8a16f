/** Reports when a backlog grows too long, and when it has shrunk to half of that. */
export class LagLimit {
  readonly #limit: number;
  readonly #tell: (problem: string | null) => void;
  #exceeded = false;

  /** @param limit messages @param tell called with why the source is degraded; null when it no longer is */
  constructor(limit: number, tell: (problem: string | null) => void) {
    this.#limit = limit;
    this.#tell = tell;
  }

  /** @param where the partition with the largest lag */
  see(lag: number, where: string): void {
    const exceeds = lag > (this.#exceeded ? this.#limit / 2 : this.#limit);
    if (exceeds === this.#exceeded) return;
    this.#exceeded = exceeds;
    this.#tell(exceeds ? `${lag} messages of ${where} are unread; max_lag is ${this.#limit}` : null);
  }
}
