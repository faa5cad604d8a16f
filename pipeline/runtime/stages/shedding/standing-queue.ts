/** Shares of the lag that results may have: for waiting, and for how long it may take to catch up. */
const [WAIT, CATCH_UP] = [0.125, 0.25];

/**
 * Tells a queue that never empties from one that a pause has filled: only what waits too long although there has been
 * time to catch up is to be left out (as CoDel does it: Nichols and Jacobson, Controlling Queue Delay, 2012).
 */
export class StandingQueue {
  readonly #maxLagMs: number;
  #lateSince: number | null = null;

  constructor(maxLagMs: number) {
    this.#maxLagMs = maxLagMs;
  }

  /** Whether a batch is to be left out. @param received when it came @param now both monotonic milliseconds */
  isTooLate(received: number, now: number): boolean {
    if (now - received <= WAIT * this.#maxLagMs) {
      this.#lateSince = null;
      return false;
    }
    this.#lateSince ??= now;
    return now - this.#lateSince > CATCH_UP * this.#maxLagMs;
  }
}
