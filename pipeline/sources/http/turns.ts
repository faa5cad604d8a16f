import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long the event loop is held at a time. */
const SLICE_MS = 10;

/** Lets others have their turn during long work. */
export class Turns {
  #last = performance.now();

  /** Resolves immediately, or after a turn of the event loop if this work has used its time. */
  async giveWay(): Promise<void> {
    if (performance.now() - this.#last < SLICE_MS) return;
    await nextTurn();
    this.#last = performance.now();
  }
}
