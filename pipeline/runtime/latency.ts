/** The period that latencies cover, milliseconds. */
const SPAN_MS = 60_000;
/** Limit of stored values; at higher rates the period is shorter. */
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

  /** Null if there were none. */
  quantiles(): { readonly p50: number; readonly p99: number } | null {
    const recent = this.#recent().sort();
    if (recent.length === 0) return null;
    const at = (share: number) => recent[Math.min(recent.length - 1, Math.floor(share * recent.length))]!;
    return { p50: at(0.5), p99: at(0.99) };
  }

  /** Newest first, so that the loop can stop after the last minute. */
  #recent(): Float64Array {
    const since = this.#elapsed() - SPAN_MS;
    const found: number[] = [];
    for (
      let at = this.#before(this.#next);
      found.length < LIMIT && this.#at[at]! >= since;
      at = this.#before(at)
    )
      found.push(this.#values[at]!);
    return Float64Array.from(found);
  }

  #before(index: number): number {
    return (index + LIMIT - 1) % LIMIT;
  }
}
