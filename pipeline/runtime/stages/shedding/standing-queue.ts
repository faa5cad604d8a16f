/** Shares of the allowed lag: for waiting, for catching up, for staying calm. */
const [WAIT, CATCH_UP, CALM] = [0.125, 0.25, 0.5];

/**
 * Distinguishes a standing queue from one that a pause has filled: a batch is dropped only if it waits too
 * long although there was time to catch up (as in CoDel: Nichols and Jacobson, Controlling Queue Delay,
 * 2012). After a drop, there is no such time again until batches have been on time for a while, counted by
 * batches seen, since under overload one turn can last longer than that.
 */
export class StandingQueue {
  readonly #maxLagMs: number;
  #isOverloaded = false;
  #lateSince: number | null = null;
  #inTimeSince: number | null = null;
  #lastReceived = -Infinity;

  constructor(maxLagMs: number) {
    this.#maxLagMs = maxLagMs;
  }

  /** Whether to drop a batch. @param received when it came @param now both monotonic milliseconds */
  isTooLate(received: number, now: number): boolean {
    // No batch for this long: earlier ones say nothing.
    if (received - this.#lastReceived > this.#maxLagMs) this.#isOverloaded = false;
    this.#lastReceived = received;
    if (now - received <= WAIT * this.#maxLagMs) this.#inTime(now);
    else this.#late(now);
    return this.#lateSince !== null && this.#isOverloaded;
  }

  #inTime(now: number): void {
    this.#lateSince = null;
    this.#inTimeSince ??= now;
    if (now - this.#inTimeSince > CALM * this.#maxLagMs) this.#isOverloaded = false;
  }

  #late(now: number): void {
    this.#inTimeSince = null;
    this.#lateSince ??= now;
    if (now - this.#lateSince > CATCH_UP * this.#maxLagMs) this.#isOverloaded = true;
  }
}
