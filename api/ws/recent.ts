/** The newest items of a stream, oldest first: what a briefly disconnected client missed. Bounded. */
export class Recent<T> {
  /** Number of retained items. */
  limit: number;
  #items: T[] = [];
  #total = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  push(item: T): void {
    this.#items.push(item);
    this.#total++;
    // Trimmed rarely: an array trimmed for each record would be copied for each.
    if (this.#items.length >= 2 * this.limit) this.#items = this.#items.slice(-this.limit);
  }

  get items(): readonly T[] {
    return this.#items.slice(-this.limit);
  }

  /** Number of items so far. */
  get total(): number {
    return this.#total;
  }

  /** Items after the first `total`, as far as they are retained. */
  since(total: number): readonly T[] {
    const wanted = Math.min(this.#total - total, this.limit);
    return wanted > 0 ? this.#items.slice(-wanted) : [];
  }
}
