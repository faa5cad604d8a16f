import { recoveryOf, type AnySink, type Recovery } from '../component/index.js';
import type { Data, Failure } from '../model/index.js';
import type { Outbox, OutboxEntry, SentAlerts } from '../state/index.js';
import { backoff, pause } from './backoff.js';
import { FanIn } from './fan-in.js';
import type { Host, NodeRun } from './host.js';
import { killAt } from './kill.js';
import { isOn } from './live.js';
import { countOf, newestOf, type DataSignal, type Signal } from './signal.js';
import { settles, type SinkConnection } from './sink-connection.js';
import { BATCH, SinkWriter } from './sink-writer.js';
import { text, turn } from './waiting.js';

/** Records that wait, above which the gate is shut. */
const CAPACITY = 4096;
/** A store that keeps the stage waiting for longer gets its records by way of the outbox: nobody else waits for it. */
const SPILL_MS = 1000;
/** Records that were written and not flushed, at most, of which is known what to write again. */
const UNFLUSHED = 20_000;
/** Tries of a write before its records go to the outbox. */
const TRIES = 4;
/** As long as it takes, but no longer than the stage. */
const WEEK_MS = 7 * 86_400_000;
const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 10_000;
/** The same while an alert waits. */
const LONGEST_RETRY_OF_ALERTS_MS = 1000;
/** Delivered records are flushed this often, so that a checkpoint can forget them. */
const FLUSH_MS = 1000;

/** What a sink's stage keeps on disk, and what it waits for. */
export interface SinkStore {
  readonly outbox: Outbox;
  readonly sent: SentAlerts;
  /** Input is lost if it is not taken in: what the outbox has no room for is dropped, oldest first, rather than waited for. */
  readonly live: boolean;
  readonly outboxLimitBytes: number;
  /** Resolves when all input so far is in the journal; undefined where it is already. */
  journalled(): Promise<void> | undefined;
}

/** Records to be written again, and those of which it was wrong to say that people were told. */
interface Undone {
  readonly unflushed: readonly Data[];
  readonly told: readonly Data[];
}

type Item = { readonly signal: DataSignal } | { readonly barrier: number };

/**
 * A sink as an asynchronous stage: a bounded queue, batches with their epoch, retries with backoff, an outbox
 * for a store that is away or slow. It passes a barrier when all before it is in the store or in the outbox.
 *
 * Records go to the store directly while the outbox is empty. Else they go to its end, and `deliver` brings them
 * to the store in order, alerts first.
 */
export class SinkStage {
  readonly run: NodeRun;
  readonly #connection: SinkConnection;
  readonly #writer: SinkWriter;
  readonly #host: Host;
  readonly #store: SinkStore;
  readonly #recovery: Recovery;
  /** What was written and not flushed before a barrier must be undone: it rewinds, or it is a transaction. */
  readonly #strict: boolean;
  /** `rewind` sinks may be ahead of the journal, and so may what people watch live. */
  readonly #waitsForJournal: boolean;
  readonly #fanIn: FanIn;
  readonly #stop = new AbortController();
  #queue: Item[] = [];
  #head = 0;
  #queued = 0;
  #epoch: number;
  #wake: (() => void) | undefined;
  #work: Promise<void> = Promise.resolve();
  #overflow: NodeJS.Timeout | undefined;
  /** While the outbox is delivered. */
  #delivering: Promise<void> | null = null;
  /** The last try to deliver failed, or the store is closed. */
  #failing = false;
  /** What is left of an entry that was delivered in part; an alert may come between, so one of each lane. */
  readonly #rests = new Map<
    OutboxEntry['lane'],
    { readonly number: number; readonly records: readonly Data[] }
  >();
  #opened: () => void = () => undefined;
  /** Written to the store and not flushed; null where they were too many to be known. */
  #unflushed: Data[] | null = [];
  #dirty = false;
  /** Alerts that were delivered from the outbox and not flushed. */
  #deliveredAlerts: Data[] = [];
  /** The step under way at the store: a write and a flush never overlap. */
  #step: Promise<unknown> = Promise.resolve();

  constructor(run: NodeRun, connection: SinkConnection, host: Host, store: SinkStore, committed: number) {
    const component = run.node.component as AnySink;
    const recovery = recoveryOf(component, run.node.config);
    this.run = run;
    this.#recovery = recovery;
    this.#connection = connection;
    this.#host = host;
    this.#store = store;
    this.#strict =
      recovery === 'rewind' || (component.transactional === true && run.context.transaction !== undefined);
    this.#waitsForJournal = recovery !== 'rewind' && !connection.feeds;
    this.#writer = new SinkWriter(
      run,
      host,
      store.sent,
      { strict: this.#strict, tells: recovery === 'at-least-once' },
      this.#stop.signal,
    );
    this.#epoch = committed + 1;
    this.#fanIn = new FanIn(
      run.node.inputs.map(({ from }) => from),
      {
        data: (signal) => {
          this.#add(signal);
        },
        watermark: (time) => {
          run.watermark = time;
        },
        barrier: ({ epoch }) => {
          this.#enqueue({ barrier: epoch });
        },
      },
      false,
    );
  }

  /** Starts writing. */
  start(): void {
    this.#connection.onOpen(() => {
      this.#opened();
    });
    if (!this.#connection.sink || this.#store.outbox.records > 0) this.#deliver();
    this.#work = this.#write().catch((error: unknown) => {
      this.#fail(error);
    });
  }

  next(signal: Signal): void {
    this.#fanIn.push(signal);
  }

  /** It need not wait for a write that may still come to be written. */
  get #spills(): boolean {
    return !this.#strict && this.#store.outbox.isAvailable;
  }

  /** Takes a record that it has refused before. */
  replay(data: Data): void {
    this.#add({ kind: 'data', data, from: this.run.id, received: this.#host.clock.elapsed() });
  }

  /** It had taken these over, and could not deliver them: a replay is to reach it. */
  notTold(failures: readonly Failure[]): void {
    this.#writer.takeBack(failures.map(({ record }) => record as Data)).catch((error: unknown) => {
      this.#fail(error);
    });
  }

  /** Ends writing after the write under way; what is queued is not written: a checkpoint was taken before, or recovery reads it again. */
  async end(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#overflow);
    this.#wake?.();
    this.#opened();
    await this.#work;
    await this.#delivering;
    await this.#connection.end();
  }

  // ------------------------------------------------------------------ the queue

  #add(signal: DataSignal): void {
    this.run.meter.receivedTotal += countOf(signal.data);
    this.run.meter.show?.(signal.data);
    this.run.lastRecord = Math.max(this.run.lastRecord ?? -Infinity, newestOf(signal.data));
    if (!isOn(this.run.node)) {
      this.run.meter.dropped('switched_off', countOf(signal.data));
      return;
    }
    this.#queued++;
    // An alert that overtook a barrier would belong to two epochs, so strict sinks keep the order.
    this.#enqueue({ signal }, signal.data.port === 'event' && !this.#strict);
    if (this.#queued > CAPACITY) {
      this.#host.gate.shut(this.run.id);
      if (this.#store.outbox.isAvailable)
        this.#overflow ??= setTimeout(() => {
          this.#deliver();
        }, SPILL_MS);
    }
  }

  /** @param first overtakes all that waits: an alert is worth nothing late */
  #enqueue(item: Item, first = false): void {
    if (first) {
      let place = this.#head;
      while (isEvent(this.#queue[place])) place++;
      this.#queue.splice(place, 0, item);
    } else this.#queue.push(item);
    this.run.meter.queueDepth = this.#queued;
    this.#wake?.();
  }

  /** Up to the next barrier; alerts that overtook go alone. */
  #take(): readonly DataSignal[] {
    const signals: DataSignal[] = [];
    const alerts = !this.#strict && isEvent(this.#queue[this.#head]);
    for (let at = this.#head; at < this.#queue.length && signals.length < BATCH; at++) {
      const item = this.#queue[at]!;
      if ('barrier' in item || (alerts && !isEvent(item))) break;
      signals.push(item.signal);
    }
    this.#advance(signals.length);
    this.#queued -= signals.length;
    this.run.meter.queueDepth = this.#queued;
    return signals;
  }

  #advance(by: number): void {
    this.#head += by;
    if (this.#head > 1024 || this.#head === this.#queue.length) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
  }

  async #write(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const item = this.#queue[this.#head];
      if (!item) await this.#nothing();
      else if ('barrier' in item) {
        this.#advance(1);
        await this.#pass(item.barrier);
      } else await this.#writeBatch(this.#take());
    }
  }

  async #nothing(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (this.#stop.signal.aborted) resolve();
    });
    this.#wake = undefined;
  }

  async #writeBatch(signals: readonly DataSignal[]): Promise<void> {
    const journalled = this.#waitsForJournal ? this.#store.journalled() : undefined;
    if (journalled) await settles(journalled, WEEK_MS, this.#stop.signal);
    if (this.#stop.signal.aborted) return;
    const started = this.#host.clock.elapsed();
    const records = signals.map(({ data }) => data).filter((data) => !this.#writer.wasSent(data));
    if (records.length > 0) {
      if (this.#delivering) await this.#keep(records);
      else await this.#writeDirectly(records);
      killAt('written');
    }
    this.run.meter.latency((this.#host.clock.elapsed() - signals[0]!.received) / 1000);
    this.run.traces?.written(signals, started, this.#delivering ? 'kept in the outbox' : 'written');
    this.#relieve();
  }

  /** Lets the pump go on. */
  #relieve(): void {
    if (this.#queued >= CAPACITY / 2 || (this.#isFull && !this.#store.live)) return;
    clearTimeout(this.#overflow);
    this.#overflow = undefined;
    this.#host.gate.release(this.run.id);
  }

  // ------------------------------------------------------------------ to the store

  async #writeDirectly(records: readonly Data[]): Promise<void> {
    this.#remember(records);
    const writing = this.#alone(() =>
      this.#writer.write(this.#connection.sink!, records, this.#epoch, TRIES),
    );
    // Nobody waits for it where the stage ends, or the outbox cannot be written, before the store has answered.
    writing.catch(() => undefined);
    if (!this.#spills) {
      try {
        await this.#keepLeft(await writing);
      } catch (error) {
        await this.#writeAgain(this.#undo(error));
      }
    } else if (await settles(writing, SPILL_MS, this.#stop.signal)) {
      await this.#keepLeft(await writing);
    } else if (!this.#stop.signal.aborted) {
      // It may still succeed. Until that is known the records wait in the outbox, and all others behind them.
      await this.#hand(records);
      const entry = this.#store.outbox.next();
      this.#deliver(
        writing.then((left) => {
          if (entry) this.#delivered(entry, records, left);
        }),
      );
    }
  }

  async #keepLeft(left: readonly Data[]): Promise<void> {
    if (left.length === 0 || this.#stop.signal.aborted) return;
    this.#failing = true;
    await this.#hand(left);
    this.#deliver();
  }

  /** Records that were to be written directly go by way of the outbox. */
  async #hand(records: readonly Data[]): Promise<void> {
    const handed = new Set(records);
    this.#unflushed = this.#unflushed && this.#unflushed.filter((record) => !handed.has(record));
    await this.#keep(records);
  }

  #remember(records: readonly Data[]): void {
    this.#dirty = true;
    if (this.#unflushed && this.#unflushed.length + records.length <= UNFLUSHED)
      this.#unflushed.push(...records);
    else this.#unflushed = null;
  }

  /**
   * False where it failed: what was written since the last one is in the outbox then.
   * @param next the epoch from now on, at a barrier
   */
  async #flush(next?: number): Promise<boolean> {
    const undone = await this.#alone(async () => {
      const { sink } = this.#connection;
      // It was given up, and what it had taken is in the outbox.
      if (!sink) return null;
      try {
        await this.#writer.timed(sink.flush());
      } catch (error) {
        this.run.meter.failed('flush', 1);
        return this.#undo(error);
      }
      // What a strict store took since the last barrier can still be undone.
      if (this.#strict && next === undefined) return null;
      this.#unflushed = [];
      this.#deliveredAlerts = [];
      this.#dirty = false;
      this.#store.outbox.flushed();
      if (next !== undefined) this.#epoch = next;
      return null;
    });
    if (undone) await this.#writeAgain(undone);
    return undone === null;
  }

  /**
   * What was written since the last flush is not known to be in the store: all of it is to be written again.
   * Gives what the outbox does not hold. @throws the error where that is not known
   */
  #undo(error: unknown): Undone {
    const unflushed = this.#unflushed;
    // A transaction is undone as a whole; of too many records only the last checkpoint knows.
    if ((this.#strict && this.#recovery !== 'rewind') || unflushed === null) throw error;
    const undone = { unflushed, told: [...unflushed, ...this.#deliveredAlerts] };
    this.#failing = true;
    this.#unflushed = [];
    this.#deliveredAlerts = [];
    this.#dirty = false;
    this.#rests.clear();
    this.#store.outbox.reset();
    this.run.problem = `its store cannot be written: ${text(error)}`;
    if (this.#strict) this.#connection.again(this.#epoch - 1, text(error));
    this.run.context.log.warn('what was written since the last flush is written again', {
      error: text(error),
    });
    return undone;
  }

  async #writeAgain({ unflushed, told }: Undone): Promise<void> {
    await this.#writer.takeBack(told);
    if (unflushed.length > 0) await this.#keep(unflushed, true);
    this.#deliver();
  }

  /** One step at the store at a time: what a flush says holds for all before it. */
  #alone<T>(step: () => Promise<T>): Promise<T> {
    const result = this.#step.then(step);
    this.#step = result.catch(() => undefined);
    return result;
  }

  // ------------------------------------------------------------------ the outbox

  get #isFull(): boolean {
    return this.#store.outbox.bytes > this.#store.outboxLimitBytes;
  }

  async #keep(records: readonly Data[], again = false): Promise<void> {
    const { outbox, live } = this.#store;
    const urgent = !this.#strict && records.every(({ port }) => port === 'event');
    await outbox.append(this.#epoch, records, urgent ? 'urgent' : again ? 'again' : 'rest');
    while (this.#isFull && live) {
      const dropped = await outbox.dropOldest();
      if (dropped === 0) break;
      this.run.meter.dropped('outbox_full', dropped);
    }
    if (this.#isFull && !live) this.#host.gate.shut(this.run.id);
    this.#show();
  }

  /** What waits in the outbox lives no longer than what the stores keep. @param time microseconds since 1970 */
  async forgetBefore(time: number): Promise<void> {
    const dropped = await this.#store.outbox.dropBefore(time);
    if (dropped === 0) return;
    this.run.meter.dropped('outbox_expired', dropped);
    this.#show();
  }

  #show(): void {
    this.run.meter.gauge('outbox_records', this.#store.outbox.records);
    this.run.meter.gauge('outbox_bytes', this.#store.outbox.bytes);
  }

  /** From now on all records go by way of the outbox, until it is empty. @param first what is still under way at the store */
  #deliver(first?: Promise<unknown>): void {
    if (this.#delivering || this.#stop.signal.aborted) return;
    this.#failing ||= !this.#connection.sink;
    this.#delivering = this.#deliverAll(first).catch((error: unknown) => {
      this.#fail(error);
    });
  }

  async #deliverAll(first: Promise<unknown> | undefined): Promise<void> {
    await first;
    const { outbox } = this.#store;
    let flushed = this.#host.clock.elapsed();
    let clean = false;
    for (let attempt = 0; !this.#stop.signal.aborted;) {
      if (!this.#connection.sink) {
        await this.#open();
        continue;
      }
      let outcome = await this.#alone(() => this.#deliverNext());
      if (outcome === 'none') {
        if (outbox.records > 0) {
          await outbox.settled();
          await turn();
          continue;
        }
        if (clean) break;
      }
      clean = false;
      const due = !this.#strict && this.#host.clock.elapsed() - flushed > FLUSH_MS;
      if (outcome === 'none' || outcome === 'alerted' || (outcome === 'delivered' && due)) {
        clean = await this.#flush();
        if (!clean) outcome = 'failed';
        flushed = this.#host.clock.elapsed();
      }
      this.#failing = outcome === 'failed';
      attempt = outcome === 'failed' ? attempt + 1 : 0;
      if (attempt > 0) await this.#backoff(attempt);
    }
    this.#failing = false;
    this.#delivering = null;
    this.#show();
  }

  /** Writes what is left of the next entry, in the epoch of now: until a checkpoint has cut it, a crash undoes that or writes it again. */
  async #deliverNext(): Promise<'none' | 'failed' | 'delivered' | 'alerted'> {
    const { sink } = this.#connection;
    const entry = this.#store.outbox.next();
    if (!entry || !sink) return sink ? 'none' : 'failed';
    const rest = this.#rests.get(entry.lane);
    const open = rest?.number === entry.number ? rest.records : entry.records;
    const records = open.filter((record) => !this.#writer.wasSent(record));
    this.#dirty = true;
    let left: readonly Data[];
    try {
      left = await this.#writer.write(sink, records, this.#epoch, 1);
    } catch (error) {
      await this.#writeAgain(this.#undo(error));
      return 'failed';
    }
    killAt('written');
    if (this.#strict && left.length > 0 && left.length < records.length) {
      // A flush makes the others safe, so a crash must not write them again.
      await this.#keep(left);
      this.#delivered(entry, records, []);
      return 'failed';
    }
    this.#delivered(entry, records, left);
    this.#relieve();
    if (left.length > 0) return 'failed';
    return entry.lane === 'urgent' ? 'alerted' : 'delivered';
  }

  #delivered(entry: OutboxEntry, records: readonly Data[], left: readonly Data[]): void {
    if (left.length > 0) {
      this.#rests.set(entry.lane, { number: entry.number, records: left });
      return;
    }
    this.#rests.delete(entry.lane);
    if (!this.#strict) this.#deliveredAlerts.push(...records.filter(({ port }) => port === 'event'));
    this.#store.outbox.delivered(entry);
    this.#show();
  }

  #open(): Promise<void> {
    return new Promise((resolve) => {
      this.#opened = resolve;
      if (this.#connection.sink || this.#stop.signal.aborted) resolve();
    });
  }

  #backoff(attempt: number): Promise<void> {
    const longest = this.#store.outbox.hasUrgent ? LONGEST_RETRY_OF_ALERTS_MS : LONGEST_RETRY_MS;
    const wait = backoff(attempt, FIRST_RETRY_MS, longest, this.run.context.random);
    return pause(wait, this.#stop.signal, this.#host.clock);
  }

  // ------------------------------------------------------------------ barriers

  async #pass(epoch: number): Promise<void> {
    await this.#secure(epoch + 1);
    if (this.#stop.signal.aborted) return;
    killAt('flushed');
    const { outbox, sent } = this.#store;
    const cut = outbox.cutter();
    this.#epoch = epoch + 1;
    const commit = () => {
      cut();
      sent.cut(epoch, outbox.oldestEpoch);
    };
    this.#host.passed(this.run, epoch, this.#connection.kept, commit, () => {
      this.#connection.sink?.committed?.(epoch);
      // The outbox has become smaller.
      this.#show();
      this.#relieve();
    });
  }

  /** All so far is in the store or in the outbox. */
  async #secure(next: number): Promise<void> {
    // Input has ended: nobody is kept waiting, and what the store takes is brought there.
    while (this.#isLast && this.#delivering && !this.#failing && !this.#stop.signal.aborted) await turn();
    if (!this.#dirty || (!this.#strict && this.#delivering && this.#unflushed?.length === 0)) return;
    const unflushed = this.#unflushed;
    const flushing = this.#flush(next);
    flushing.catch(() => undefined);
    if (!this.#spills || !unflushed || (await settles(flushing, SPILL_MS, this.#stop.signal))) await flushing;
    else if (!this.#stop.signal.aborted) await this.#keepUntil(flushing, unflushed);
  }

  /** What a slow flush is about waits in the outbox: it is written again unless the flush turns out well. */
  async #keepUntil(flushing: Promise<boolean>, unflushed: readonly Data[]): Promise<void> {
    const { outbox } = this.#store;
    // Where the flush fails people were not told of them.
    this.#deliveredAlerts.push(...unflushed.filter(({ port }) => port === 'event'));
    this.#unflushed = [];
    await this.#keep(unflushed, true);
    // Delivered by now, or about to be.
    if (this.#delivering) return;
    const entry = outbox.next();
    this.#deliver(
      flushing.then((isSafe) => {
        if (!entry || !isSafe) return;
        outbox.delivered(entry);
        outbox.flushed();
        this.#show();
      }),
    );
  }

  get #isLast(): boolean {
    return this.run.watermark === Infinity;
  }

  #fail(error: unknown): void {
    this.#host.fail(new Error(`${this.run.id} failed: ${text(error)}`, { cause: error }));
  }
}

const isEvent = (item: Item | undefined): boolean =>
  item !== undefined && 'signal' in item && item.signal.data.port === 'event';
