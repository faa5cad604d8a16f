import { setImmediate as nextTurn } from 'node:timers/promises';

/** The event loop is held for so long at most. */
const SLICE_MS = 10;

/** Lets others have their turn during long work. */
export class Turns {
  #last = performance.now();

  /** Resolves at once, or after a turn of the event loop where this work has had its time. */
  async giveWay(): Promise<void> {
    if (performance.now() - this.#last < SLICE_MS) return;
    await nextTurn();
    this.#last = performance.now();
  }
}
