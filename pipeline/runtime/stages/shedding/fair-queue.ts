import type { Work } from './work.js';

/** Waiting records by environment. Environments take turns, so that none starves. */
export class FairQueue {
  /** In the order of their turns; only those with waiting records. */
  readonly #waiting = new Map<string, Work[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  put(environment: string, work: Work): void {
    const waiting = this.#waiting.get(environment);
    if (waiting) waiting.push(work);
    else this.#waiting.set(environment, [work]);
    this.#size++;
  }

  /** The oldest record of an environment; undefined if none waits. */
  oldest(environment: string): Work | undefined {
    return this.#waiting.get(environment)?.[0];
  }

  /** The environment whose turn it is. */
  get next(): string | undefined {
    for (const environment of this.#waiting.keys()) return environment;
    return undefined;
  }

  /** Removes the oldest record of an environment. The environment keeps its turn unless `served`. */
  take(environment: string, served: boolean): Work {
    const waiting = this.#waiting.get(environment)!;
    const work = waiting.shift()!;
    this.#size--;
    if (waiting.length === 0 || served) this.#waiting.delete(environment);
    if (waiting.length > 0 && served) this.#waiting.set(environment, waiting);
    return work;
  }

  /** Number of records waiting in an environment. */
  count(environment: string): number {
    return this.#waiting.get(environment)?.length ?? 0;
  }
}
