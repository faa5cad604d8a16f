import type { Clock, Reader } from '../../../../pipeline/component/index.js';
import type { PoseAnswer, PoseQuestion } from './summarise.js';

/** Longest lifetime of cached answers, milliseconds: data stored later (from dead letters) appears then. */
const MAX_AGE_MS = 600_000;
/** Limits of cached answers, and of all results in them. */
const [MAX_ANSWERS, MAX_RESULTS] = [64, 50_000];
/**
 * A range is closed when the newest stored pose frame is this far behind its end: minutes of activities follow
 * with the next minute.
 */
const SETTLED_US = 120_000_000;

interface Held {
  readonly answer: PoseAnswer;
  /** The first moment of the range with stored pose frames when it was answered. */
  readonly from: number;
  /** Monotonic milliseconds. */
  readonly until: number;
}

/**
 * Cached answers about the past of one store; the least recently used ones are evicted first. Only for closed
 * ranges: their stored data changes by retention, which changes the store's first pose frame, or by a rewind,
 * which changes its last.
 */
export class Answers {
  readonly #held = new Map<string, Held>();
  readonly #clock: Clock;
  #results = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * The answer, and whether it was there already. `answer` asks the store.
   * @param until event time reached so far, microseconds
   */
  async of(
    environment: string,
    question: PoseQuestion,
    reader: Reader,
    until: number,
    answer: () => Promise<PoseAnswer>,
  ): Promise<{ readonly answer: PoseAnswer; readonly hit: boolean }> {
    const key = JSON.stringify([environment, question]);
    const stored = await reader.range(environment, until);
    const closed = stored !== undefined && question.end + SETTLED_US <= stored.end;
    const from = Math.max(question.start, stored?.start ?? 0);
    const held = this.#held.get(key);
    if (held) {
      this.#forget(key);
      if (closed && held.from === from && held.until > this.#clock.elapsed()) {
        this.#hold(key, held);
        return { answer: held.answer, hit: true };
      }
    }
    const fresh = await answer();
    if (closed) this.#hold(key, { answer: fresh, from, until: this.#clock.elapsed() + MAX_AGE_MS });
    return { answer: fresh, hit: false };
  }

  #hold(key: string, held: Held): void {
    this.#forget(key);
    this.#held.set(key, held);
    this.#results += held.answer.results.length;
    for (const oldest of this.#held.keys()) {
      if (this.#held.size <= MAX_ANSWERS && this.#results <= MAX_RESULTS) break;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    this.#results -= this.#held.get(key)?.answer.results.length ?? 0;
    this.#held.delete(key);
  }
}
