/**
 * Selects a bounded sample of failures for the dead letters: a flood of bad records must not fill the disk.
 */
export class FailureSample {
  readonly #taken = new Map<string, number>();
  #since = -Infinity;

  /**
   * True if a failure of this code at `time` (event time, microseconds) is to be stored. Codes are a bounded
   * set.
   */
  wants(code: string, time: number): boolean {
    // It is earlier if the clock was set back.
    if (time < this.#since || time - this.#since >= PERIOD_US) {
      this.#since = time;
      this.#taken.clear();
    }
    const taken = this.#taken.get(code) ?? 0;
    if (taken >= PER_PERIOD) return false;
    this.#taken.set(code, taken + 1);
    return true;
  }

  snapshot(): FailureSampleState {
    return { since: Number.isFinite(this.#since) ? this.#since : null, taken: [...this.#taken] };
  }

  restore(state: FailureSampleState): void {
    this.#since = state.since ?? -Infinity;
    this.#taken.clear();
    for (const [code, count] of state.taken) this.#taken.set(code, count);
  }
}

export interface FailureSampleState {
  readonly since: number | null;
  readonly taken: readonly (readonly [string, number])[];
}

/** This number of each code is stored ... */
const PER_PERIOD = 8;
/** ... in each minute of event time. */
const PERIOD_US = 60_000_000;
