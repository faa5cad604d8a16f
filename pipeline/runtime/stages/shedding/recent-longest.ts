/** The weight of a value halves after this time, milliseconds. */
const HALF_LIFE_MS = 2000;

/** The longest of recently measured times. */
export class RecentLongest {
  readonly #elapsed: () => number;
  #longest = 0;
  #at = 0;

  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** Milliseconds. */
  get value(): number {
    return this.#longest * 0.5 ** ((this.#elapsed() - this.#at) / HALF_LIFE_MS);
  }

  add(ms: number): void {
    if (ms < this.value) return;
    this.#longest = ms;
    this.#at = this.#elapsed();
  }
}
