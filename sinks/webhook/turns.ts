/** Admits a limited number at a time; waiting callers go by rank, then in order of arrival. */
export class Turns {
  #free: number;
  readonly #waiting: { readonly rank: number; readonly go: () => void }[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** @param rank lower ones go first */
  async take<T>(rank: number, work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await this.#turn(rank);
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next.go();
      else this.#free++;
    }
  }

  #turn(rank: number): Promise<void> {
    return new Promise((go) => {
      const behind = this.#waiting.findIndex((other) => other.rank > rank);
      this.#waiting.splice(behind < 0 ? this.#waiting.length : behind, 0, { rank, go });
    });
  }
}
