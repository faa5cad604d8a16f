/** Tells when a backlog becomes too long, and when it has shrunk to half of that. */
export class LagLimit {
  readonly #limit: number;
  readonly #tell: (problem: string | null) => void;
  #exceeded = false;

  /** @param limit messages @param tell told why the source is degraded; null when it is no longer */
  constructor(limit: number, tell: (problem: string | null) => void) {
    this.#limit = limit;
    this.#tell = tell;
  }

  /** @param where the partition that lags most */
  see(lag: number, where: string): void {
    const exceeds = lag > (this.#exceeded ? this.#limit / 2 : this.#limit);
    if (exceeds === this.#exceeded) return;
    this.#exceeded = exceeds;
    this.#tell(
      exceeds
        ? `${lag} messages of ${where} are still to be read; the limit is the ${this.#limit} of max_lag`
        : null,
    );
  }
}
