/** For which latencies are looked at, milliseconds. */
const SPAN_MS = 60_000;
/** Kept at most; at higher rates the window is shorter. */
const LIMIT = 8192;

/** Latencies of the last minute. */
export class LatencyWindow {
  readonly #elapsed: () => number;
  readonly #values = new Float64Array(LIMIT);
  readonly #at = new Float64Array(LIMIT).fill(-Infinity);
  #next = 0;

  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  add(milliseconds: number): void {
    this.#values[this.#next] = milliseconds;
    this.#at[this.#next] = this.#elapsed();
    this.#next = (this.#next + 1) % LIMIT;
  }

  /** Null where there were none. */
  quantiles(): { readonly p50: number; readonly p99: number } | null {
    const since = this.#elapsed() - SPAN_MS;
    const recent = this.#values.filter((_, index) => this.#at[index]! >= since).sort();
    if (recent.length === 0) return null;
    const at = (share: number) => recent[Math.min(recent.length - 1, Math.floor(share * recent.length))]!;
    return { p50: at(0.5), p99: at(0.99) };
  }
}
