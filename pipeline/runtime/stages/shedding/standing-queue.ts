/** Shares of the lag that results may have: for waiting, for how long it may take to catch up, for how long it must be calm. */
const [WAIT, CATCH_UP, CALM] = [0.125, 0.25, 0.5];

/**
 * Tells a queue that never empties from one that a pause has filled: only what waits too long although there has been
 * time to catch up is to be left out (as CoDel does it: Nichols and Jacobson, Controlling Queue Delay, 2012). Once something
 * is left out, no such time is given again until batches have come in time for a while: of those that were seen, since under
 * overload one turn can last longer than that.
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

  /** Whether a batch is to be left out. @param received when it came @param now both monotonic milliseconds */
  isTooLate(received: number, now: number): boolean {
    // Nothing has come for so long: what was before tells nothing.
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
