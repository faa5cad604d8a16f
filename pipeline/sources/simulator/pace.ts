import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '../../component/index.js';
import { ignoreAbort } from '../../base/waiting.js';
import type { LaggingPace } from '../lagging-pace.js';

/**
 * Longer than the interval between checkpoints, in seconds: everything lost in a crash is simulated again.
 */
const CATCH_UP_S = 30;

/** Microseconds. */
export const SECOND = 1_000_000;

/** Time that passed while a live simulation was stopped. */
export class Missed {
  /** Seconds to simulate at full speed. */
  readonly simulated: number;
  #skipped: number;

  constructor(microseconds: number) {
    this.simulated = Math.min(microseconds / SECOND, CATCH_UP_S);
    // In whole seconds, so that every start of a seed aligns with the grids of windows in the same way.
    this.#skipped = Math.floor(microseconds / SECOND - this.simulated) * SECOND;
  }

  /** Microseconds that event time skips, once. */
  takeSkipped(): number {
    const skipped = this.#skipped;
    this.#skipped = 0;
    return skipped;
  }
}

/** Waits until the simulation's time is due. */
export class Pace {
  readonly #context: Context;
  readonly #signal: AbortSignal;
  readonly #speed: number;
  readonly #from: number;
  readonly #began: number;
  readonly #lagging: LaggingPace | null;

  /** @param lagging null: the room is live, and its lateness is watched as that of real ones */
  constructor(
    context: Context,
    signal: AbortSignal,
    speed: number,
    from: number,
    lagging: LaggingPace | null,
  ) {
    this.#context = context;
    this.#signal = signal;
    this.#speed = speed;
    this.#from = from;
    this.#began = context.clock.elapsed();
    this.#lagging = lagging;
  }

  /** Resolves when `seconds` of the simulation are due, or the source is asked to stop. */
  async until(seconds: number): Promise<void> {
    if (this.#speed === 0) {
      await nextTurn();
      return;
    }
    const played = 1000 * (seconds - this.#from);
    const elapsed = this.#context.clock.elapsed() - this.#began;
    this.#lagging?.see(played, elapsed);
    const left = played / this.#speed - elapsed;
    if (left < 1) await nextTurn();
    else await sleep(left, undefined, { signal: this.#signal }).catch(ignoreAbort);
  }
}

/** Reads the signal again: it may have been aborted during an await. */
export const signalled = (signal: AbortSignal): boolean => signal.aborted;
