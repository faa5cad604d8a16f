import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../component/index.js';

/** Longer than checkpoints are apart, in seconds: what a kill took back is simulated again. */
export const CATCH_UP_S = 30;

/** Microseconds. */
export const SECOND = 1_000_000;

/** Time that passed while a live simulation stood still. */
export class Missed {
  /** Seconds that are simulated as fast as they can be. */
  readonly simulated: number;
  #skipped: number;

  constructor(microseconds: number) {
    this.simulated = Math.min(microseconds / SECOND, CATCH_UP_S);
    // In whole seconds, so that a seed lies alike on the grids of windows at each start.
    this.#skipped = Math.floor(microseconds / SECOND - this.simulated) * SECOND;
  }

  /** Microseconds that event time leaves out, once. */
  takeSkipped(): number {
    const skipped = this.#skipped;
    this.#skipped = 0;
    return skipped;
  }
}

/** Waits until the simulation's time has come. */
export class Pace {
  readonly #context: Context;
  readonly #signal: AbortSignal;
  readonly #speed: number;
  readonly #from: number;
  readonly #began: number;

  constructor(context: Context, signal: AbortSignal, speed: number, from: number) {
    this.#context = context;
    this.#signal = signal;
    this.#speed = speed;
    this.#from = from;
    this.#began = context.clock.elapsed();
  }

  /** Resolves when `seconds` of the simulation are due, or the source is to stop. */
  async until(seconds: number): Promise<void> {
    if (this.#speed === 0) {
      await nextTurn();
      return;
    }
    const due = this.#began + (1000 * (seconds - this.#from)) / this.#speed;
    const left = due - this.#context.clock.elapsed();
    if (left < 1) await nextTurn();
    else await sleep(left, undefined, { signal: this.#signal }).catch(ignoreAbort);
  }
}

function ignoreAbort(error: unknown): void {
  if (!(error instanceof Error && error.name === 'AbortError')) throw error;
}

/** Reads the signal anew: it may have been aborted while a promise was awaited. */
export const signalled = (signal: AbortSignal): boolean => signal.aborted;
