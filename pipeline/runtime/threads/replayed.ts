import type { Data } from '../../model/index.js';

/** Replayed records in a thread, by number: until a barrier after them has passed. */
export class Replayed {
  readonly #records = new Map<number, Data>();
  #last = 0;
  /** Replayed before the barrier that is in progress. */
  #beforeBarrier = 0;

  /** @returns its number */
  add(record: Data): number {
    this.#records.set(++this.#last, record);
    return this.#last;
  }

  get(number: number): Data | undefined {
    return this.#records.get(number);
  }

  barrierBegan(): void {
    this.#beforeBarrier = this.#last;
  }

  /** The barrier has passed the last node. */
  barrierPassed(): void {
    for (const number of this.#records.keys())
      if (number <= this.#beforeBarrier) this.#records.delete(number);
  }
}
