/** Waiting numbers, in one line per name. Lines take turns, so a long one does not hold up the others. */
export class FairQueue {
  /** In order of their turns; none is empty. */
  readonly #lines = new Map<string, Set<number>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(name: string, number: number): void {
    const line = this.#lines.get(name);
    if (line) line.add(number);
    else this.#lines.set(name, new Set([number]));
    this.#size++;
  }

  delete(name: string, number: number): void {
    const line = this.#lines.get(name);
    if (!line?.delete(number)) return;
    this.#size--;
    if (line.size === 0) this.#lines.delete(name);
  }

  /** Removes and returns the next ones, at most `count`. */
  take(count: number): number[] {
    const taken: number[] = [];
    while (taken.length < count && this.#size > 0) {
      const [name, line] = first(this.#lines);
      const number = first(line);
      taken.push(number);
      this.delete(name, number);
      // Moves to the end, if any are left.
      if (this.#lines.delete(name)) this.#lines.set(name, line);
    }
    return taken;
  }

  clear(): void {
    this.#lines.clear();
    this.#size = 0;
  }
}

function first<T>(some: Iterable<T>): T {
  for (const one of some) return one;
  throw new Error('A line of the queue is empty.');
}
