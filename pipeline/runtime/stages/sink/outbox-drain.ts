import type { Data } from '../../../model/index.js';
import type { Outbox, OutboxEntry } from '../../../state/index.js';
import { backoff, pause } from '../../../base/backoff.js';
import type { Host, NodeRun } from '../../nodes/host.js';
import { killAt } from '../../../base/kill.js';
import type { SinkConnection } from './sink-connection.js';
import type { SinkFlush } from './sink-flush.js';
import type { SinkOutbox } from './sink-outbox.js';
import type { SinkWriter, Untaken } from './sink-writer.js';
import { turn } from '../../../base/waiting.js';

const FIRST_RETRY_MS = 50;
const MAX_RETRY_MS = 10_000;
/** The same while an alert waits. */
const MAX_ALERT_RETRY_MS = 1000;
const NONE: ReadonlyMap<Data, string> = new Map();
/** Delivered records are flushed this often, so that a checkpoint can forget them. */
const FLUSH_MS = 1000;

export interface OutboxDrainOptions {
  readonly run: NodeRun;
  readonly host: Host;
  readonly connection: SinkConnection;
  readonly writer: SinkWriter;
  readonly flush: SinkFlush;
  readonly outbox: Outbox;
  readonly sinkOutbox: SinkOutbox;
  readonly strict: boolean;
  /** Writes in flight at the same time. */
  readonly maxInFlight: number;
  /** Ends it after the writes in flight. */
  readonly signal: AbortSignal;
  /** The outbox has shrunk. */
  readonly onDelivered: () => void;
  readonly onFailure: (error: unknown) => void;
}

/**
 * Delivers the outbox to the store, in writes as large as it accepts, until everything is delivered and
 * flushed. Alerts precede other records, which still have a share. Records that are rejected for now wait
 * separately.
 */
export class OutboxDrain {
  readonly #options: OutboxDrainOptions;
  readonly #underWay = new Set<Promise<void>>();
  #draining: Promise<void> | null = null;
  #isFailing = false;
  /** Failed writes since the last success. */
  #failures = 0;
  #flushedAt = 0;
  /** Something was delivered since the last flush; until then, people may not have been alerted. */
  #dirty: 'no' | 'data' | 'alerts' = 'no';
  #wake = new AbortController();

  constructor(options: OutboxDrainOptions) {
    this.#options = options;
    const wake = () => {
      this.#wake.abort();
    };
    options.connection.onOpen(wake);
    options.sinkOutbox.onPut(wake);
    options.signal.addEventListener('abort', wake);
  }

  /** All records go through the outbox. */
  get isUnderWay(): boolean {
    return this.#draining !== null;
  }

  /** The last attempt failed, the store is closed, or it rejects everything left for now. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  /** The store has just failed. */
  failed(): void {
    this.#isFailing = true;
  }

  /**
   * From now on all records go through the outbox, until it is empty. @param first the step still in progress
   * at the store
   */
  start(first?: Promise<unknown>): void {
    const { connection, signal, onFailure } = this.#options;
    if (this.#draining || signal.aborted) return;
    this.#isFailing ||= !connection.sink;
    this.#draining = this.#drain(first).catch((error: unknown) => {
      onFailure(error);
    });
  }

  /** The same, with a step still in progress at the store that settles entries already handed out. */
  startWith(step: Promise<void>): void {
    if (this.#draining) this.#follow(step.catch(this.#options.onFailure));
    else this.start(step);
  }

  /** Resolves when none of its work is in progress. */
  async ended(): Promise<void> {
    await this.#draining;
  }

  /** Entries were written. */
  settle(entries: readonly OutboxEntry[], { left, refused }: Untaken): void {
    const { sinkOutbox, flush, strict, host } = this.#options;
    // A store that accepted something is not dead.
    if (left.length < entries.reduce((sum, { records }) => sum + records.length, 0)) this.#failures = 0;
    this.#count(left.length > 0);
    const untaken = new Set([...left, ...refused.keys()]);
    for (const entry of entries) {
      const own = new Set(entry.records);
      const again = untaken.size === 0 ? [] : [...untaken].filter((record) => own.has(record));
      if (!strict) flush.unflushed.addAlertsOf(entry.records.filter((record) => !untaken.has(record)));
      if (again.length === 0) {
        sinkOutbox.delivered(entry);
        this.#dirty = isAlerts(entry) ? 'alerts' : this.#dirty === 'no' ? 'data' : this.#dirty;
      } else {
        const refusal = again.map((record) => refused.get(record)).find((reason) => reason !== undefined);
        sinkOutbox.giveBack(
          entry,
          again,
          host.clock.elapsed() + this.#pauseOf(entry, refusal),
          refusal ?? null,
        );
      }
    }
  }

  async #drain(first: Promise<unknown> | undefined): Promise<void> {
    const { host, connection, outbox, sinkOutbox, signal, maxInFlight } = this.#options;
    if (maxInFlight === 1) await first;
    else if (first) this.#follow(first.then(() => undefined));
    this.#flushedAt = host.clock.elapsed();
    while (!signal.aborted) {
      if (!connection.sink) await this.#rest(() => (connection.sink ? 0 : Infinity));
      else if (this.#failures > 0 && this.#underWay.size === 0) await this.#probe();
      else if (this.#callNext()) continue;
      else if (this.#underWay.size > 0) await this.#settledOrMore();
      else if (outbox.records === 0 && this.#dirty === 'no') break;
      else if (this.#dirty !== 'no') await this.#flush();
      else await this.#await();
      if (this.#isDue) await this.#flush();
    }
    await Promise.all(this.#underWay);
    this.#isFailing = false;
    this.#draining = null;
    sinkOutbox.show();
  }

  /** False if there is nothing to write now, or enough is in flight. */
  #callNext(): boolean {
    const { outbox, writer, host, maxInFlight } = this.#options;
    if (this.#underWay.size >= maxInFlight || this.#failures > 0) return false;
    const entries = outbox.take(writer.size, host.clock.elapsed());
    if (entries.length === 0) return false;
    this.#follow(this.#deliver(entries));
    return true;
  }

  /** Until a write has ended or, if another may begin, there is something to write. */
  async #settledOrMore(): Promise<void> {
    const { outbox, host, maxInFlight } = this.#options;
    if (this.#underWay.size >= maxInFlight || this.#failures > 0) {
      await Promise.race(this.#underWay);
      return;
    }
    const more = this.#sleep(outbox.nextDue - host.clock.elapsed());
    await Promise.race([...this.#underWay, more]);
    this.#wake.abort();
  }

  #follow(work: Promise<void>): void {
    const call = work.finally(() => this.#underWay.delete(call));
    this.#underWay.add(call);
  }

  /** After a pause, one write to test whether the store has recovered. */
  async #probe(): Promise<void> {
    const { outbox, writer, run, host } = this.#options;
    const wait = backoff(this.#failures, FIRST_RETRY_MS, MAX_RETRY_MS, run.context.random);
    await this.#rest(() => (outbox.hasUrgent ? Math.min(wait, MAX_ALERT_RETRY_MS) : wait));
    const { signal, connection } = this.#options;
    if (signal.aborted || !connection.sink) return;
    const due = outbox.take(writer.size, host.clock.elapsed());
    const entries = due.length > 0 ? due : outbox.take(writer.size, Infinity);
    if (entries.length > 0) await this.#deliver(entries);
    // A flush had failed, and there is nothing left to write.
    else this.#failures = 0;
  }

  /**
   * Writes the remaining records of entries, in the current epoch: until a checkpoint has cut them, a crash
   * undoes that or writes it again.
   */
  async #deliver(entries: readonly OutboxEntry[]): Promise<void> {
    const { connection, writer, flush, sinkOutbox, onDelivered } = this.#options;
    const records = entries.flatMap((entry) => entry.records.filter((record) => !writer.wasSent(record)));
    flush.unflushed.addFromOutbox();
    await flush.step(async () => {
      const { sink } = connection;
      let untaken: Untaken = { left: records, refused: NONE };
      try {
        if (sink) untaken = await writer.write(sink, records, flush.epoch, 1);
      } catch (error) {
        for (const entry of entries) sinkOutbox.giveBack(entry, entry.records, 0, null);
        this.#count(true);
        await flush.writeAgain(error);
        return;
      }
      killAt('written');
      this.settle(entries, await this.#safe(records, untaken));
    });
    onDelivered();
  }

  /**
   * If a strict store accepted part of an entry, the rest goes to the end: a flush makes the accepted part
   * safe, so a crash must not write it again.
   */
  async #safe(records: readonly Data[], untaken: Untaken): Promise<Untaken> {
    const { flush, sinkOutbox, strict } = this.#options;
    const { left } = untaken;
    if (!strict || left.length === 0 || left.length === records.length) return untaken;
    await sinkOutbox.put(flush.epoch, left);
    return { left: [], refused: NONE };
  }

  #count(failed: boolean): void {
    this.#failures = failed ? this.#failures + 1 : 0;
    this.#isFailing = failed;
  }

  get #isDue(): boolean {
    const { strict, host, outbox } = this.#options;
    if (strict || this.#dirty === 'no' || this.#failures > 0) return false;
    if (this.#dirty === 'alerts' && !outbox.hasUrgent) return true;
    return host.clock.elapsed() - this.#flushedAt > FLUSH_MS;
  }

  async #flush(): Promise<void> {
    const { flush, host } = this.#options;
    this.#dirty = 'no';
    const isSafe = await flush.flush();
    if (!isSafe) this.#count(true);
    this.#flushedAt = host.clock.elapsed();
  }

  /** Until something can be handed out: it is being written to disk, or is not due. */
  async #await(): Promise<void> {
    const { outbox, host } = this.#options;
    const due = outbox.nextDue;
    if (due === Infinity) {
      await outbox.settled();
      await turn();
      return;
    }
    this.#isFailing = true;
    await this.#sleep(due - host.clock.elapsed());
  }

  /** Milliseconds until an entry is retried: in its turn, unless it was itself rejected. */
  #pauseOf(entry: OutboxEntry, refusal: string | undefined): number {
    const { tries } = entry;
    const { maxInFlight, run } = this.#options;
    if (refusal !== undefined) return backoff(tries + 1, FIRST_RETRY_MS, MAX_RETRY_MS, run.context.random);
    if (!isAlerts(entry) && maxInFlight === 1) return 0;
    return backoff(tries + 1, FIRST_RETRY_MS, MAX_ALERT_RETRY_MS, run.context.random);
  }

  /** Waits this long; recomputes the time whenever something arrives or the store opens. */
  async #rest(longest: () => number): Promise<void> {
    const { host, signal } = this.#options;
    const began = host.clock.elapsed();
    for (let left = longest(); left > 0 && !signal.aborted; left = began + longest() - host.clock.elapsed())
      await this.#sleep(left);
  }

  /** Until something arrives or the store opens, for at most this long. */
  async #sleep(ms: number): Promise<void> {
    const { host, signal } = this.#options;
    this.#wake = new AbortController();
    if (!signal.aborted) await pause(Math.min(ms, MAX_RETRY_MS), this.#wake.signal, host.clock);
  }
}

const isAlerts = ({ lane }: OutboxEntry): boolean => lane === 'severe' || lane === 'urgent';
