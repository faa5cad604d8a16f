import type { Window } from '../../../pipeline/model/index.js';

/** The event time that windows cover: time in which no frames came does not count. */
export class Coverage {
  #last: number | undefined;
  #covered = 0;

  /** From one window to the next; where no frames came, only the windows themselves count. */
  add({ start, step, points }: Window): void {
    const since = start - (this.#last ?? start);
    this.#covered += Math.max(0, Math.min(since, step * points));
    this.#last = start;
  }

  get seconds(): number {
    return this.#covered / 1e6;
  }
}
