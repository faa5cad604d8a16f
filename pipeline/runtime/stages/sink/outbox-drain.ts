import type { Data } from '../../../model/index.js';
import type { Outbox, OutboxEntry } from '../../../state/index.js';
import { backoff, pause } from '../../../base/backoff.js';
import type { Host, NodeRun } from '../../host.js';
import { killAt } from '../../../base/kill.js';
import type { SinkConnection } from './sink-connection.js';
import type { SinkFlush } from './sink-flush.js';
import type { SinkOutbox } from './sink-outbox.js';
import type { SinkWriter } from './sink-writer.js';
import { turn } from '../../../base/waiting.js';

const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 10_000;
/** The same while an alert waits. */
const LONGEST_RETRY_OF_ALERTS_MS = 1000;
/** Delivered records are flushed this often, so that a checkpoint can forget them. */
const FLUSH_MS = 1000;

export interface OutboxDrainOptions {
  readonly run: NodeRun;
  readonly host: Host;
  readonly connection: SinkConnection;
  readonly writer: SinkWriter;
  readonly flush: SinkFlush;
  readonly outbox: Outbox;
  readonly kept: SinkOutbox;
  readonly strict: boolean;
  /** Ends it after the write under way. */
  readonly signal: AbortSignal;
  /** The outbox has become smaller. */
  readonly onDelivered: () => void;
  readonly onFailure: (error: unknown) => void;
}

type Outcome = 'none' | 'failed' | 'delivered' | 'alerted';

/** Brings what waits in the outbox to the store, in order, alerts first, until nothing is left and all is flushed. */
export class OutboxDrain {
  readonly #options: OutboxDrainOptions;
  #draining: Promise<void> | null = null;
  #isFailing = false;
  #opened: () => void = () => undefined;

  constructor(options: OutboxDrainOptions) {
    this.#options = options;
    options.connection.onOpen(() => {
      this.#opened();
    });
    options.signal.addEventListener('abort', () => {
      this.#opened();
    });
  }

  /** All records go by way of the outbox. */
  get isUnderWay(): boolean {
    return this.#draining !== null;
  }

  /** The last try to deliver failed, or the store is closed. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  /** The store has just failed. */
  failed(): void {
    this.#isFailing = true;
  }

  /** From now on all records go by way of the outbox, until it is empty. @param first what is still under way at the store */
  start(first?: Promise<unknown>): void {
    const { connection, signal, onFailure } = this.#options;
    if (this.#draining || signal.aborted) return;
    this.#isFailing ||= !connection.sink;
    this.#draining = this.#drain(first).catch((error: unknown) => {
      onFailure(error);
    });
  }

  /** Resolves when nothing of it is under way. */
  async ended(): Promise<void> {
    await this.#draining;
  }

  /** @param left of the records, those that the store has not taken */
  delivered(entry: OutboxEntry, records: readonly Data[], left: readonly Data[]): void {
    const { kept, flush, strict } = this.#options;
    if (left.length > 0) {
      kept.deliveredInPart(entry, left);
      return;
    }
    if (!strict) flush.unflushed.addAlertsOf(records);
    kept.delivered(entry);
  }

  async #drain(first: Promise<unknown> | undefined): Promise<void> {
    await first;
    const { host, connection, flush, outbox, kept, strict, signal } = this.#options;
    let flushed = host.clock.elapsed();
    let clean = false;
    for (let attempt = 0; !signal.aborted;) {
      if (!connection.sink) {
        await this.#open();
        continue;
      }
      let outcome = await flush.alone(() => this.#deliverNext());
      if (outcome === 'none') {
        if (outbox.records > 0) {
          await outbox.settled();
          await turn();
          continue;
        }
        if (clean) break;
      }
      clean = false;
      const due = !strict && host.clock.elapsed() - flushed > FLUSH_MS;
      if (outcome === 'none' || outcome === 'alerted' || (outcome === 'delivered' && due)) {
        clean = await flush.flush();
        if (!clean) outcome = 'failed';
        flushed = host.clock.elapsed();
      }
      this.#isFailing = outcome === 'failed';
      attempt = outcome === 'failed' ? attempt + 1 : 0;
      if (attempt > 0) await this.#backoff(attempt);
    }
    this.#isFailing = false;
    this.#draining = null;
    kept.show();
  }

  /** Writes what is left of the next entry, in the epoch of now: until a checkpoint has cut it, a crash undoes that or writes it again. */
  async #deliverNext(): Promise<Outcome> {
    const { connection, writer, flush, outbox, kept, strict, onDelivered } = this.#options;
    const { sink } = connection;
    const entry = outbox.next();
    if (!entry || !sink) return sink ? 'none' : 'failed';
    const records = kept.leftOf(entry).filter((record) => !writer.wasSent(record));
    flush.unflushed.addKept();
    let left: readonly Data[];
    try {
      left = await writer.write(sink, records, flush.epoch, 1);
    } catch (error) {
      await flush.writeAgain(error);
      return 'failed';
    }
    killAt('written');
    if (strict && left.length > 0 && left.length < records.length) {
      // A flush makes the others safe, so a crash must not write them again.
      await kept.keep(flush.epoch, left);
      this.delivered(entry, records, []);
      return 'failed';
    }
    this.delivered(entry, records, left);
    onDelivered();
    if (left.length > 0) return 'failed';
    return entry.lane === 'urgent' ? 'alerted' : 'delivered';
  }

  #open(): Promise<void> {
    const { connection, signal } = this.#options;
    return new Promise((resolve) => {
      this.#opened = resolve;
      if (connection.sink || signal.aborted) resolve();
    });
  }

  #backoff(attempt: number): Promise<void> {
    const { run, host, outbox, signal } = this.#options;
    const longest = outbox.hasUrgent ? LONGEST_RETRY_OF_ALERTS_MS : LONGEST_RETRY_MS;
    const wait = backoff(attempt, FIRST_RETRY_MS, longest, run.context.random);
    return pause(wait, signal, host.clock);
  }
}
