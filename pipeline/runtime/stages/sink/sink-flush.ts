import type { Recovery } from '../../../component/index.js';
import type { Data } from '../../../model/index.js';
import type { Outbox } from '../../../state/index.js';
import type { NodeRun } from '../../nodes/host.js';
import type { SinkConnection } from './sink-connection.js';
import type { SinkOutbox } from './sink-outbox.js';
import type { SinkWriter } from './sink-writer.js';
import { Unflushed } from './unflushed.js';
import { errorText } from '../../../base/error-text.js';

export interface SinkFlushOptions {
  readonly run: NodeRun;
  readonly connection: SinkConnection;
  readonly writer: SinkWriter;
  readonly outbox: Outbox;
  readonly sinkOutbox: SinkOutbox;
  readonly recovery: Recovery;
  readonly strict: boolean;
  /** Writes may overlap each other and a flush. */
  readonly parallel: boolean;
  readonly epoch: number;
  /** Written records are not safe and are about to go to the outbox. */
  readonly onUndone: () => void;
  /** They are in the outbox. */
  readonly onStored: () => void;
}

/** Records to write again, and those wrongly reported as sent to people. */
interface Undone {
  readonly unflushed: readonly Data[];
  readonly reported: readonly Data[];
}

/**
 * Makes written records safe: flushes, the epoch that they end, and the outbox, which receives everything
 * written since the last flush if one fails.
 */
export class SinkFlush {
  readonly unflushed = new Unflushed();
  readonly #options: SinkFlushOptions;
  #epoch: number;
  /** The current step at the store: unless the store allows overlap, a write and a flush never overlap. */
  #step: Promise<unknown> = Promise.resolve();

  constructor(options: SinkFlushOptions) {
    this.#options = options;
    this.#epoch = options.epoch;
  }

  /** The epoch of current writes. */
  get epoch(): number {
    return this.#epoch;
  }

  /** A barrier has passed. */
  beginEpoch(epoch: number): void {
    this.#epoch = epoch;
  }

  /** A step at the store; one at a time, unless the store allows overlap. A flush covers all steps that ended before it. */
  step<T>(step: () => Promise<T>): Promise<T> {
    if (this.#options.parallel) return step();
    const result = this.#step.then(step);
    this.#step = result.catch(() => undefined);
    return result;
  }

  /**
   * False if it failed: everything written since the last one is in the outbox then.
   * @param next the epoch from now on, at a barrier
   */
  async flush(next?: number): Promise<boolean> {
    const undone = await this.step(() => this.#tryFlush(next));
    if (undone) await this.#spill(undone);
    return undone === null;
  }

  /**
   * A strict store failed: records written since the last barrier go to the outbox.
   * @throws the error if it cannot
   */
  async writeAgain(error: unknown): Promise<void> {
    await this.#spill(this.#undo(error));
  }

  async #tryFlush(next: number | undefined): Promise<Undone | null> {
    const { connection, writer, outbox, run, strict } = this.#options;
    const { sink } = connection;
    // It was abandoned, and the records that it had accepted are in the outbox.
    if (!sink) return null;
    const marks = [this.unflushed.marker(), outbox.marker()];
    try {
      await writer.timed(sink.flush());
    } catch (error) {
      run.meter.count('store_errors_total', 1);
      return this.#undo(error);
    }
    // Records that a strict store accepted since the last barrier can still be undone.
    if (strict && next === undefined) return null;
    for (const mark of marks) mark();
    if (next !== undefined) this.#epoch = next;
    return null;
  }

  /**
   * Records written since the last flush may be missing from the store: all must be written again. Returns
   * those that the outbox does not hold.
   * @throws the error if they are unknown
   */
  #undo(error: unknown): Undone {
    const { run, connection, sinkOutbox, recovery, strict, onUndone } = this.#options;
    const { records, reported } = this.unflushed;
    // A transaction is undone as a whole; if there were too many records, only the last checkpoint knows
    // them.
    if ((strict && recovery !== 'rewind') || records === null) throw error;
    onUndone();
    this.unflushed.clear();
    sinkOutbox.reset();
    run.problem = `its store cannot be written: ${errorText(error)}`;
    if (strict) connection.again(this.#epoch - 1, errorText(error));
    run.context.log.warn('what was written since the last flush is written again', {
      error: errorText(error),
    });
    return { unflushed: records, reported };
  }

  async #spill({ unflushed, reported }: Undone): Promise<void> {
    const { writer, sinkOutbox, onStored } = this.#options;
    await writer.takeBack(reported);
    if (unflushed.length > 0) await sinkOutbox.put(this.#epoch, unflushed, true);
    onStored();
  }
}
