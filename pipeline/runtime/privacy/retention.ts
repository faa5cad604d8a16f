import type { Context } from '../../component/index.js';
import type { Settings } from '../../config/topology/topology.js';
import type { DeadLetters } from '../../state/index.js';
import type { Log } from '../../telemetry/log.js';
import { errorText } from '../../base/error-text.js';

const MAX_PAUSE_MS = 3_600_000;
const DAY_US = 86_400_000_000;

/** A sink whose outbox stores records. */
export interface AgingSink {
  readonly run: { readonly id: string };
  /** Deletes its records from before `time`, microseconds. */
  forgetBefore(time: number): Promise<void>;
}

export interface RetentionOptions {
  readonly settings: Settings;
  readonly clock: Context['clock'];
  readonly settledNow: () => number;
  readonly letters: DeadLetters;
  readonly sinks: readonly AgingSink[];
  readonly log: Log;
}

/** Letters and outboxes hold records, so the retention of the stores applies to them too. */
export class Retention {
  readonly #options: RetentionOptions;
  #lookedAt = -Infinity;

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  /**
   * Deletes records older than the retention: once an hour, or every twentieth of a retention under 20 hours.
   * Call it regularly.
   */
  tick(): void {
    const { settings, clock, settledNow, letters, sinks, log } = this.#options;
    const days = settings.privacy?.dataRetentionDays ?? null;
    if (days === null) return;
    const pause = Math.min(MAX_PAUSE_MS, (days * DAY_US) / 20_000);
    if (clock.elapsed() < this.#lookedAt + pause) return;
    this.#lookedAt = clock.elapsed();
    const time = settledNow() - days * DAY_US;
    letters.forgetBefore(time);
    for (const sink of sinks)
      sink.forgetBefore(time).catch((error: unknown) => {
        log.error('old records of an outbox cannot be deleted', {
          node: sink.run.id,
          error: errorText(error),
        });
      });
  }
}
