import { backoff, pause } from '../base/backoff.js';
import type { Clock } from '../base/clock.js';

const FIRST_MS = 500;
const MAX_MS = 30_000;
/** After running for this time, a new failure counts as the first. */
const STEADY_MS = 60_000;

/** What a recovery needs of its topology. */
export interface Recoverable {
  /** True while nothing but the recovery decides what the topology does. */
  recovering(): boolean;
  /** Ends the run that failed, without saving state. */
  end(): Promise<void>;
  /** Starts from the last checkpoint. */
  run(): Promise<void>;
  /** An attempt has failed; another follows. */
  onFailure(error: unknown, attempt: number): void;
}

/** Brings a topology back from its last checkpoint, with growing pauses, until it runs or is stopped. */
export class Recovery {
  readonly #of: Recoverable;
  readonly #clock: Clock;
  readonly #random: () => number;
  #failures = 0;
  #runsSince = 0;
  /** Ends the pause before the next attempt. */
  #wanted = new AbortController();

  constructor(of: Recoverable, clock: Clock, random: () => number) {
    this.#of = of;
    this.#clock = clock;
    this.#random = random;
  }

  /** The topology starts on request: a recovery in progress ends, and earlier failures do not count. */
  reset(): void {
    this.abort();
    this.#wanted = new AbortController();
    this.#failures = 0;
  }

  /** Ends a recovery in progress before its next attempt. */
  abort(): void {
    this.#wanted.abort();
  }

  /** A run has begun. */
  began(): void {
    this.#runsSince = this.#clock.elapsed();
  }

  /** Resolves when the topology runs, or something else decides what it does. */
  async recover(): Promise<void> {
    const { signal } = this.#wanted;
    if (this.#clock.elapsed() - this.#runsSince > STEADY_MS) this.#failures = 0;
    await this.#of.end();
    while (!signal.aborted) {
      await pause(backoff(++this.#failures, FIRST_MS, MAX_MS, this.#random), signal, this.#clock);
      if (!this.#continues(signal)) return;
      try {
        await this.#of.run();
        return;
      } catch (error) {
        if (!this.#continues(signal)) return;
        this.#of.onFailure(error, this.#failures);
      }
    }
  }

  /** The topology has not been stopped or restarted since. */
  #continues(signal: AbortSignal): boolean {
    return this.#wanted.signal === signal && !signal.aborted && this.#of.recovering();
  }
}
