/**
 * Quantiles of a stream in bounded memory: counts in bins of equal width. Old values decay: all counts are
 * halved when they reach a limit.
 */
export class Histogram {
  readonly #least: number;
  readonly #width: number;
  readonly #limit: number;
  readonly #counts: Uint16Array;
  #total = 0;

  /**
   * `bins` bins from `least` to `most`; values outside fall into the outermost bins. Counts at most `limit`
   * values, 65,535 or fewer.
   */
  constructor(least: number, most: number, bins: number, limit: number) {
    this.#least = least;
    this.#width = (most - least) / bins;
    this.#limit = limit;
    this.#counts = new Uint16Array(bins);
  }

  /** Number of counted values, without decayed ones. */
  get total(): number {
    return this.#total;
  }

  add(value: number): void {
    const bin = Math.floor((value - this.#least) / this.#width);
    this.#counts[Math.min(this.#counts.length - 1, Math.max(0, bin))]!++;
    this.#total++;
    if (this.#total >= this.#limit) this.#fade();
  }

  #fade(): void {
    this.#total = 0;
    for (let i = 0; i < this.#counts.length; i++) {
      this.#counts[i]! >>= 1;
      this.#total += this.#counts[i]!;
    }
  }

  /**
   * The value below which the share `q` of the counted values lies, linear within a bin; NaN before the first
   * value.
   */
  quantile(q: number): number {
    if (this.#total === 0) return NaN;
    const wanted = q * this.#total;
    let below = 0;
    for (let bin = 0; bin < this.#counts.length; bin++) {
      const count = this.#counts[bin]!;
      if (count > 0 && below + count >= wanted) {
        return this.#least + (bin + (wanted - below) / count) * this.#width;
      }
      below += count;
    }
    return this.#least + this.#counts.length * this.#width;
  }

  snapshot(): Uint16Array {
    return this.#counts.slice();
  }

  restore(counts: Uint16Array): void {
    this.#counts.set(counts);
    this.#total = counts.reduce((a, b) => a + b, 0);
  }
}
