/** The newest of a stream, oldest first: what a client that was away for a moment has missed. Bounded. */
export class Recent<T> {
  /** How many are retained. */
  limit: number;
  #items: T[] = [];
  #total = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  push(item: T): void {
    this.#items.push(item);
    this.#total++;
    // Cut seldom: an array that is cut with each frame is copied with each frame.
    if (this.#items.length >= 2 * this.limit) this.#items = this.#items.slice(-this.limit);
  }

  get items(): readonly T[] {
    return this.#items.slice(-this.limit);
  }

  /** How many there have been so far. */
  get total(): number {
    return this.#total;
  }

  /** Those that came after the first `total`, as far as they are still here. */
  since(total: number): readonly T[] {
    const wanted = Math.min(this.#total - total, this.limit);
    return wanted > 0 ? this.#items.slice(-wanted) : [];
  }
}
