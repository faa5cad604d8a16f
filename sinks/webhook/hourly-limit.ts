/**
 * Limits the events of an endpoint in any hour, counted by the minute: a minute's events count until an hour
 * after its end.
 */
export class HourlyLimit {
  readonly #limit: number;
  readonly #counts = new Map<number, number>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** True if one more may be sent, which is then counted. `now` in milliseconds of a monotonic clock. */
  take(now: number): boolean {
    const minute = Math.floor(now / 60_000);
    let sum = 0;
    for (const [at, count] of this.#counts) {
      if (at < minute - 60) this.#counts.delete(at);
      else sum += count;
    }
    if (sum >= this.#limit) return false;
    this.#counts.set(minute, (this.#counts.get(minute) ?? 0) + 1);
    return true;
  }
}
