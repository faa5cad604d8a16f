import type { Clock, Logger, Partitions } from '../../component/index.js';
import { backoff, pause } from '../../base/backoff.js';
import { errorText } from '../../base/error-text.js';

const FIRST_RETRY_MS = 1000;
const MAX_RETRY_MS = 30_000;

export interface MembershipOptions {
  readonly log: Logger;
  readonly clock: Clock;
  readonly random: () => number;
  /** Called at each change of the partitions that this process has. */
  readonly onShare: (partitions: readonly number[]) => void;
  readonly onFailure: (error: Error, final: boolean) => void;
  readonly onChange: () => void;
}

/**
 * This process' membership of the group that shares the partitions. While the group is unreachable, it keeps
 * trying to join.
 */
export class Membership {
  /** Why the group is not joined; null if it is. */
  problem: string | null = null;
  readonly #partitions: Partitions;
  readonly #options: MembershipOptions;
  readonly #ending = new AbortController();
  #trying: Promise<void> = Promise.resolve();

  constructor(partitions: Partitions, options: MembershipOptions) {
    this.#partitions = partitions;
    this.#options = options;
  }

  /** Also resolves if there is no answer: `problem` then says so. @throws Error if no retry can succeed */
  async join(): Promise<void> {
    try {
      await this.#joinNow();
    } catch (error) {
      if (isFinal(error)) throw error;
      this.#tell(error);
      this.#trying = this.#tryOn();
    }
  }

  /** Later events of the group are ignored. */
  end(): void {
    this.#ending.abort();
  }

  async leave(): Promise<void> {
    this.end();
    await this.#trying;
    await this.#partitions.leave();
  }

  async #tryOn(): Promise<void> {
    const { clock, random, onFailure } = this.#options;
    const { signal } = this.#ending;
    for (let attempt = 1; ; attempt++) {
      await pause(backoff(attempt, FIRST_RETRY_MS, MAX_RETRY_MS, random), signal, clock);
      if (this.#isOver) return;
      try {
        await this.#joinNow();
        return;
      } catch (error) {
        if (isFinal(error)) {
          onFailure(error, false);
          return;
        }
        this.#tell(error);
      }
    }
  }

  async #joinNow(): Promise<void> {
    const { onShare, onFailure, onChange } = this.#options;
    await this.#partitions.join(
      (share) => {
        if (!this.#isOver) onShare(share);
      },
      (error) => {
        if (!this.#isOver) onFailure(error, isFinal(error));
      },
    );
    this.problem = null;
    onChange();
  }

  #tell(error: unknown): void {
    if (this.#isOver) return;
    this.problem = `the group could not be joined and csiflow retries: ${errorText(error)}`;
    this.#options.log.warn('the group could not be joined; retrying', { error: errorText(error) });
    this.#options.onChange();
  }

  get #isOver(): boolean {
    return this.#ending.signal.aborted;
  }
}

/** See {@link Partitions.join}. */
const isFinal = (error: unknown): error is Error =>
  error instanceof Error && 'final' in error && error.final === true;
