import type { Parameters } from './parameters.js';

/** Counts that are cached; the oldest entry is evicted first. */
const MAX_COUNTS = 256;

/**
 * Caches counts of rows until the next commit: counting millions of rows takes longer than reading a page,
 * and clients that read page by page request the same count with each.
 */
export class Counts {
  readonly #counts = new Map<string, number>();
  #version = 0;

  /** The result of a query that counts, from the cache or from `count`. */
  async of(sql: string, parameters: Parameters, count: () => Promise<number>): Promise<number> {
    const key = JSON.stringify([sql, parameters], (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    const known = this.#counts.get(key);
    if (known !== undefined) return known;
    const version = this.#version;
    const found = await count();
    // It may lack what was committed meanwhile.
    if (version === this.#version) this.#store(key, found);
    return found;
  }

  /** Call after a commit: the rows have changed. */
  forget(): void {
    this.#version++;
    this.#counts.clear();
  }

  #store(key: string, count: number): void {
    this.#counts.set(key, count);
    if (this.#counts.size > MAX_COUNTS) this.#counts.delete(this.#counts.keys().next().value!);
  }
}
