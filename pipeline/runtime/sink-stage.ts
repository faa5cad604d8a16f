import { recoveryOf, type AnySink, type Recovery, type Sink } from '../component/index.js';
import type { Data, Failure } from '../model/index.js';
import type { Outbox, SentAlerts } from '../state/index.js';
import { backoff, pause, startTimer } from './backoff.js';
import { FanIn } from './fan-in.js';
import type { Host, NodeRun } from './host.js';
import { killAt } from './kill.js';
import { countOf, newestOf, type DataSignal, type Signal } from './signal.js';

/** Records of one write, at most. */
const BATCH = 512;
/** Records that wait, above which the gate is shut. */
const CAPACITY = 4096;
/** Records kept for a store that is away, at most; then the gate is shut. */
const OUTBOX_LIMIT = 1_000_000;
/** Tries of a write before its records go to the outbox, or to the dead letters. */
const TRIES = 4;
const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 10_000;

/** What a sink's stage keeps on disk, and what it waits for. */
export interface SinkStore {
  readonly outbox: Outbox;
  readonly sent: SentAlerts;
  /** Resolves when all input so far is in the journal; undefined where it is already. */
  journalled(): Promise<void> | undefined;
}

type Item = { readonly signal: DataSignal } | { readonly barrier: number };

/**
 * A sink as an asynchronous stage: a bounded queue, batches with their epoch, retries with backoff, an
 * outbox for a store that is away. It passes a barrier when all before it is in the store or in the outbox.
 */
export class SinkStage {
  readonly run: NodeRun;
  readonly #sink: Sink;
  readonly #host: Host;
  readonly #store: SinkStore;
  readonly #recovery: Recovery;
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
  /** While records of the outbox are undelivered: the last delivered one, and when to try again. */
  #delivered = 0;
  #deliveredRecords = 0;
  #away: { attempt: number; at: number } | null = null;
  /** Something was written since the last flush. */
  #unflushed = false;

  constructor(run: NodeRun, sink: Sink, host: Host, store: SinkStore, committed: number) {
    this.#recovery = recoveryOf(run.node.component as AnySink, run.node.config);
    this.run = run;
    this.#sink = sink;
    this.#host = host;
    this.#store = store;
    this.#waitsForJournal = this.#recovery !== 'rewind' && !sink.feed;
    this.#epoch = committed + 1;
    if (store.outbox.size > 0) this.#away = { attempt: 0, at: 0 };
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
    this.#work = this.#write().catch((error: unknown) => {
      this.#host.fail(new Error(`${this.run.id} failed: ${text(error)}`, { cause: error }));
    });
  }

  next(signal: Signal): void {
    this.#fanIn.push(signal);
  }

  /** Ends writing after the write under way; what is queued is not written: a checkpoint was taken before, or recovery reads it again. */
  async end(): Promise<void> {
    this.#stop.abort();
    this.#wake?.();
    await this.#work;
  }

  #add(signal: DataSignal): void {
    this.run.meter.receivedTotal += countOf(signal.data);
    this.run.lastRecord = Math.max(this.run.lastRecord ?? -Infinity, newestOf(signal.data));
    this.#queued++;
    this.#enqueue({ signal }, signal.data.port === 'event' && this.#sink.feed !== undefined);
    if (this.#queued > CAPACITY) this.#host.gate.shut(this.run.id);
  }

  /** @param first overtakes all that waits: an alert of people is worth nothing late */
  #enqueue(item: Item, first = false): void {
    if (first) {
      let place = this.#head;
      while (isEvent(this.#queue[place])) place++;
      this.#queue.splice(place, 0, item);
    } else this.#queue.push(item);
    this.run.meter.queueDepth = this.#queued;
    this.#wake?.();
  }

  async #write(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      if (this.#away && this.#host.clock.elapsed() >= this.#away.at) await this.#deliver();
      const item = this.#queue[this.#head];
      if (!item) await this.#nothing();
      else if ('barrier' in item) {
        this.#advance(1);
        await this.#pass(item.barrier);
      } else await this.#writeBatch(this.#take());
    }
  }

  /** Waits for something to write, or for the next try of a store that is away. */
  async #nothing(): Promise<void> {
    const { clock } = this.#host;
    let cancel: (() => void) | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (this.#away) cancel = startTimer(clock, Math.max(1, this.#away.at - clock.elapsed()), resolve);
      if (this.#stop.signal.aborted) resolve();
    });
    this.#wake = undefined;
    cancel?.();
  }

  #take(): readonly DataSignal[] {
    const signals: DataSignal[] = [];
    for (let at = this.#head; at < this.#queue.length && signals.length < BATCH; at++) {
      const item = this.#queue[at]!;
      if ('barrier' in item) break;
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

  async #writeBatch(signals: readonly DataSignal[]): Promise<void> {
    if (this.#waitsForJournal) await this.#store.journalled();
    const started = this.#host.clock.elapsed();
    const records = signals.map(({ data }) => data).filter((data) => !this.#wasSent(data));
    if (records.length > 0) {
      if (this.#away) await this.#keep(records);
      else if (!(await this.#tryWrite(records))) {
        if (this.#stop.signal.aborted) return;
        this.#away = { attempt: 1, at: this.#host.clock.elapsed() + FIRST_RETRY_MS };
        await this.#keep(records);
      }
      killAt('written');
    }
    const seconds = (this.#host.clock.elapsed() - signals[0]!.received) / 1000;
    this.run.meter.latency(seconds);
    this.run.traces?.written(signals, started, this.#away ? 'kept in the outbox' : 'written');
    if (this.#queued < CAPACITY / 2 && this.#store.outbox.size < OUTBOX_LIMIT)
      this.#host.gate.release(this.run.id);
  }

  #wasSent(data: Data): boolean {
    return data.port === 'event' && this.#told && this.#store.sent.has(data.id);
  }

  /** People are told by sinks that can neither overwrite nor rewind. */
  get #told(): boolean {
    return this.#recovery === 'at-least-once';
  }

  /** False where the store took nothing after some tries. */
  async #tryWrite(records: readonly Data[]): Promise<boolean> {
    let left = records;
    for (let attempt = 1; ; attempt++) {
      let failed: readonly Failure[];
      try {
        const started = this.#host.clock.elapsed();
        failed = await this.#timed(this.#sink.write(left, this.#epoch));
        this.run.meter.operatorSeconds += (this.#host.clock.elapsed() - started) / 1000;
      } catch (error) {
        // What hangs may still be written. A store that rewinds is put right by a recovery; a second try would write twice.
        if (this.#rewinds(error)) throw error;
        this.run.meter.failed('write', 1);
        this.run.problem = `its store cannot be written: ${text(error)}`;
        this.run.context.log.warn('a write failed', { attempt, error: text(error) });
        if (attempt >= TRIES || this.#stop.signal.aborted) return false;
        await this.#backoff(attempt);
        continue;
      }
      this.run.problem = null;
      this.#unflushed = true;
      await this.#took(left, failed);
      const again = failed.filter(({ retriable }) => retriable && attempt < TRIES);
      const dead = failed.filter((failure) => !again.includes(failure));
      if (dead.length > 0) this.#host.failures(this.run, 'write', dead);
      if (again.length === 0 || this.#stop.signal.aborted) return true;
      await this.#backoff(attempt);
      left = again.map(({ record }) => record as Data);
    }
  }

  async #took(records: readonly Data[], failed: readonly Failure[]): Promise<void> {
    const good =
      failed.length === 0
        ? records
        : records.filter((record) => failed.every((failure) => failure.record !== record));
    if (good.length === 0) return;
    this.run.failedInRow = 0;
    for (const record of good) {
      this.run.meter.sentTotal += countOf(record);
      if (record.port === 'event' && this.#told) await this.#store.sent.add(record.id, this.#epoch);
    }
  }

  /** Waits for the store, but not for ever. */
  async #timed<T>(work: Promise<T>): Promise<T> {
    const { clock, patience } = this.#host;
    let cancel: (() => void) | undefined;
    const limit = new Promise<never>((_, reject) => {
      cancel = startTimer(clock, patience.writeMs, () => {
        reject(new TimeoutError(patience.writeMs));
      });
    });
    try {
      return await Promise.race([work, limit]);
    } finally {
      cancel?.();
    }
  }

  #rewinds(error: unknown): boolean {
    return error instanceof TimeoutError && this.#recovery === 'rewind';
  }

  #backoff(attempt: number): Promise<void> {
    return pause(
      backoff(attempt, FIRST_RETRY_MS, LONGEST_RETRY_MS, this.run.context.random),
      this.#stop.signal,
      this.#host.clock,
    );
  }

  async #keep(records: readonly Data[]): Promise<void> {
    await this.#store.outbox.append(this.#epoch, records);
    if (this.#store.outbox.size >= OUTBOX_LIMIT) this.#host.gate.shut(this.run.id);
  }

  /**
   * Writes what the outbox holds, in the epoch of now: entries are forgotten with the next checkpoint, and
   * until then a crash rewinds what was written of them.
   */
  async #deliver(): Promise<void> {
    for (const { number, records } of this.#store.outbox.entries(this.#delivered)) {
      const fresh = records.filter((record) => !this.#wasSent(record));
      if (fresh.length > 0 && !(await this.#tryWrite(fresh))) {
        const attempt = (this.#away?.attempt ?? 0) + 1;
        const wait = backoff(attempt, FIRST_RETRY_MS, LONGEST_RETRY_MS, this.run.context.random);
        this.#away = { attempt, at: this.#host.clock.elapsed() + wait };
        return;
      }
      this.#delivered = number;
      this.#deliveredRecords += records.length;
    }
    this.#away = null;
  }

  async #pass(epoch: number): Promise<void> {
    for (let attempt = 1; this.#unflushed; attempt++) {
      try {
        await this.#timed(this.#sink.flush());
        this.#unflushed = false;
      } catch (error) {
        if (this.#rewinds(error) || attempt >= TRIES || this.#stop.signal.aborted) throw error;
        await this.#backoff(attempt);
      }
    }
    killAt('flushed');
    const { outbox, sent } = this.#store;
    const [number, records] = [this.#delivered, this.#deliveredRecords];
    this.#deliveredRecords = 0;
    this.#epoch = epoch + 1;
    const cut = () => {
      if (records > 0) outbox.cut(number, records);
      sent.cut(epoch);
    };
    this.#host.passed(this.run, epoch, undefined, cut, () => this.#sink.committed?.(epoch));
  }
}

class TimeoutError extends Error {
  constructor(ms: number) {
    super(`its store has not answered for ${ms} ms`);
    this.name = 'TimeoutError';
  }
}

const isEvent = (item: Item | undefined): boolean =>
  item !== undefined && 'signal' in item && item.signal.data.port === 'event';

const text = (error: unknown) => (error instanceof Error ? error.message : String(error));
