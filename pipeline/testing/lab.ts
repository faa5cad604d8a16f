import { setImmediate as turn } from 'node:timers/promises';
import type { NodeMeter } from '../telemetry/node-meter.js';
import { TestClock } from './clock.js';

/** Default start of captures and scenes: 2026-01-01T00:00:00Z, microseconds. */
export const TEST_START = Date.UTC(2026, 0, 1) * 1000;

/** Real time without progress after which the clock advances by itself, milliseconds: while input is read, and after it. */
const STILL_MS = 250;
const STILL_AFTER_MS = 4;
/** Real time limit of one part of the input, milliseconds. */
const PATIENCE_MS = 60_000;

/** A node that must finish before the next part of the input is read. */
export interface Busy {
  readonly meter: NodeMeter;
  /** The replacement of a sink; null for an operator. */
  readonly mock: { readonly faults: object | null; readonly writing: number } | null;
}

/**
 * The time of a test. Sources take turns by event time, and the next part of the input is read only when
 * everything that follows from the previous one has passed through. This makes the output time of each record
 * the same in every run. The clock follows the input; while that waits, and after its end, the clock advances
 * by its timers.
 */
export class Lab {
  readonly clock = new TestClock(TEST_START);
  /** Start of the input, microseconds since 1970; undefined before the first record. */
  start: number | undefined;
  /** How much of the input has been read, milliseconds after its start. */
  readMs = 0;
  readonly #sources: Map<string, { next: number; starts: number }>;
  readonly #beforeMove: () => void;
  #busy: readonly Busy[] = [];
  #waiting: (() => void)[] = [];
  #stirred = performance.now();

  /** @param beforeMove is called before each advance of the clock, to see what lasts for any time at all */
  constructor(sources: readonly string[], beforeMove: () => void) {
    this.#beforeMove = beforeMove;
    this.#sources = new Map(sources.map((id) => [id, { next: -Infinity, starts: Infinity }]));
  }

  watch(busy: readonly Busy[]): void {
    this.#busy = busy;
  }

  /** Something has moved. */
  stir(): void {
    this.#stirred = performance.now();
  }

  /** A source begins, again after a recovery: others wait until it announces its next time. */
  enter(source: string): void {
    this.#sources.set(source, { next: -Infinity, starts: Infinity });
  }

  /** Waits until `time` (microseconds) of `source` is the earliest announced by any source. */
  async turnOf(source: string, time: number, starts: number, signal: AbortSignal): Promise<void> {
    this.#sources.set(source, { next: time, starts });
    this.#wake();
    await this.#whileOthersAreEarlier(time, signal);
    this.start ??= this.#begin();
    this.readMs = Math.max(this.readMs, (time - this.start) / 1000);
    this.#beforeMove();
    this.clock.advance(this.readMs);
    this.stir();
  }

  leave(source: string): void {
    this.#sources.set(source, { next: Infinity, starts: Infinity });
    this.stir();
    this.#wake();
  }

  get ended(): boolean {
    return [...this.#sources.values()].every(({ next }) => next === Infinity);
  }

  /**
   * Waits until everything read has passed through; not for sinks that are meant to fail. @throws Error if it
   * does not
   */
  async settled(taken: () => boolean, signal: AbortSignal): Promise<void> {
    const deadline = performance.now() + PATIENCE_MS;
    for (let quiet = 0; quiet < 2 && !signal.aborted;) {
      if (performance.now() > deadline)
        throw new Error(
          `input up to ${Math.round(this.readMs)} ms has not passed through after ${PATIENCE_MS / 1000} s of real time: a node hangs, or this machine is far too slow for the test`,
        );
      await turn();
      quiet = taken() && this.#quiet() ? quiet + 1 : 0;
    }
    this.stir();
  }

  /** Lets the clock advance by itself if there is no progress; true if it did. */
  goOn(): boolean {
    const { next } = this.clock;
    const still = this.ended ? STILL_AFTER_MS : STILL_MS;
    if (next === undefined || performance.now() - this.#stirred < still) return false;
    this.#beforeMove();
    this.clock.advance(next);
    return true;
  }

  async #whileOthersAreEarlier(time: number, signal: AbortSignal): Promise<void> {
    const wake = () => {
      this.#wake();
    };
    signal.addEventListener('abort', wake);
    try {
      while (!signal.aborted && [...this.#sources.values()].some(({ next }) => next < time))
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } finally {
      signal.removeEventListener('abort', wake);
    }
  }

  #quiet(): boolean {
    return this.#busy.every(
      ({ meter, mock }) => mock?.faults != null || (meter.queueDepth === 0 && (mock?.writing ?? 0) === 0),
    );
  }

  #begin(): number {
    const start = Math.min(...[...this.#sources.values()].flatMap(({ next, starts }) => [next, starts]));
    this.clock.beginAt(start);
    return start;
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}
