import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long the event loop is held at a time. */
const SLICE_MS = 10;

/** Lets others have their turn during long work. */
export class Turns {
  #last = performance.now();

  /** Whether this work has used its time. */
  get isOver(): boolean {
    return performance.now() - this.#last >= SLICE_MS;
  }

  /** Resolves immediately, or after a turn of the event loop if this work has used its time. */
  async giveWay(): Promise<void> {
    if (!this.isOver) return;
    await nextTurn();
    this.#last = performance.now();
  }
}
