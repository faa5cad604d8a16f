import type { Context } from '../../component/index.js';
import type { Settings } from '../../config/topology/topology.js';
import type { Data, Failure, LinkTable } from '../../model/index.js';
import type { NewLetter } from '../../state/index.js';
import type { NodeRun } from '../nodes/host.js';
import { causeOf } from '../../base/cause.js';
import { redact } from '../../base/secrets.js';
import { toPortable } from '../../model/portable.js';

/** Dead letters of input stored per second; the rest is only counted, so that a flooded port cannot push out other letters. */
const LETTERS_A_SECOND = 200;

export interface FailuresOptions {
  readonly settings: Settings;
  readonly links: LinkTable;
  readonly clock: Context['clock'];
  /** Stores a letter and returns how many old ones it pushed out. */
  readonly store: (letter: NewLetter) => number;
  /** True if the record came from a dead letter, which stays, with its new reason. */
  readonly failedAgain: (record: unknown, code: string, reason: string) => boolean;
  /** The epoch of a node. */
  readonly epochOf: (run: NodeRun) => number;
  readonly onDegraded: () => void;
  readonly onTooMany: (error: Error) => void;
}

/**
 * Handles records that a node rejected: counts them, stores them as dead letters, and reports a problem after
 * too many in a row.
 */
export class Failures {
  readonly #options: FailuresOptions;
  /** None yet; 0 is the first second of the clock. */
  #second = -1;
  #left = 0;

  constructor(options: FailuresOptions) {
    this.#options = options;
  }

  report(run: NodeRun, stage: string, failures: readonly Failure[]): void {
    // A server's answer may repeat the request.
    const failed = failures.map((failure) => ({ ...failure, reason: redact(failure.reason) }));
    const { settings, onDegraded, onTooMany } = this.#options;
    run.meter.failed(stage, failed.length);
    run.failedInRow += failed.length;
    for (const failure of failed) this.#bury(run, stage, failure);
    logCauses(run, stage, failed);
    const threw = failed.some(({ code }) => code.endsWith('.threw'));
    if (run.failedInRow >= settings.degradedAfterFailures || threw) {
      run.problem = `${run.failedInRow} records in a row failed (${stage}): ${failed[0]!.reason}`;
      onDegraded();
    }
    // Network input must not be able to stop a topology: bad input only degrades it.
    const { stopAfterFailures } = settings;
    if (stopAfterFailures !== null && run.failedInRow >= stopAfterFailures && stage !== 'decode') {
      onTooMany(
        new Error(
          `${run.id}: ${run.failedInRow} records in a row failed, the last one: ${failed.at(-1)!.reason}`,
        ),
      );
    }
  }

  #bury(run: NodeRun, stage: string, { code, reason, record }: Failure): void {
    const { links, clock, store, failedAgain, epochOf } = this.#options;
    if (failedAgain(record, code, reason)) return;
    const second = Math.floor(clock.elapsed() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#left = LETTERS_A_SECOND;
    }
    if (stage === 'decode' && this.#left-- <= 0) {
      run.meter.count('dead_letters_not_kept_total', 1);
      return;
    }
    const portable = isData(record) ? toPortable(record, links) : record;
    const letter = {
      node: run.id,
      stage,
      code,
      reason,
      record: portable,
      at: clock.now(),
      epoch: epochOf(run),
    };
    const pushedOut = store(letter);
    if (pushedOut > 0) run.meter.count('dead_letters_dropped_total', pushedOut);
  }
}

const isData = (record: unknown): record is Data =>
  typeof record === 'object' && record !== null && 'port' in record;

/** One line for each cause, with the reason of its first record. */
function logCauses({ context: { log } }: NodeRun, stage: string, failed: readonly Failure[]): void {
  const causes = new Map<string, { readonly first: Failure; records: number }>();
  let further = 0;
  for (const failure of failed) {
    const key = `${failure.code} ${causeOf(failure.reason)}`;
    const cause = causes.get(key);
    if (cause) cause.records++;
    else if (causes.size < MAX_CAUSES) causes.set(key, { first: failure, records: 1 });
    else further++;
  }
  for (const { first, records } of causes.values())
    log.warn('records failed', { stage, code: first.code, reason: first.reason, records });
  if (further > 0) log.warn('records failed for further reasons', { stage, records: further });
}

/** Causes that are logged of the failures of one moment. */
const MAX_CAUSES = 8;
