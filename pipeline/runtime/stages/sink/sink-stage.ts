import { recoveryOf, type AnySink } from '../../../component/index.js';
import type { Data, Failure } from '../../../model/index.js';
import type { SentAlerts } from '../../../state/index.js';
import { FanIn } from '../../signals/fan-in.js';
import type { Host, NodeRun } from '../../nodes/host.js';
import { killAt } from '../../../base/kill.js';
import { isOn } from '../../../config/topology/topology.js';
import { OutboxDrain } from './outbox-drain.js';
import { countOf, newestOf, type DataSignal, type Signal } from '../../signals/signal.js';
import type { SinkSnapshot, SinkConnection } from './sink-connection.js';
import { SinkFlush } from './sink-flush.js';
import { SinkOutbox, type OutboxOptions } from './sink-outbox.js';
import { SinkQueue, type SinkBarrier } from './sink-queue.js';
import { SinkWriter, type Untaken } from './sink-writer.js';
import { errorText } from '../../../base/error-text.js';
import { settles, turn } from '../../../base/waiting.js';
import { reported } from '../../shared/returned.js';

/** Waiting records above which the gate is shut. */
const CAPACITY = 4096;
/** Records held for their turn, if order matters, above which the pump waits for the inputs that are behind. */
const HELD_LIMIT = 4096;
/** After this time an input counts as stalled: no more than the limit waits for it. */
const PATIENCE_MS = 2000;
/**
 * A store that blocks the stage for longer receives its records through the outbox, so that nothing else
 * waits for it.
 */
const SPILL_MS = 1000;
/** Attempts of a write before its records go to the outbox. */
const TRIES = 4;
/** Without a limit other than the stage's own life. */
const WEEK_MS = 7 * 86_400_000;

/** A sink stage's data on disk, and the writes that it waits for. */
export interface SinkStore extends OutboxOptions {
  readonly sent: SentAlerts;
  /** Resolves when all input so far is in the journal; undefined if it already is. */
  journalled(): Promise<void> | undefined;
}

/**
 * A sink as an asynchronous stage: a bounded queue, batches with their epoch, retries with backoff, an outbox
 * for a store that is offline or slow. It passes a barrier when everything before it is in the store or in
 * the outbox.
 *
 * Records go directly to the store while the outbox is empty. Otherwise they join its end, and its drain
 * delivers them in order, alerts first.
 */
export class SinkStage {
  readonly run: NodeRun;
  readonly #connection: SinkConnection;
  readonly #writer: SinkWriter;
  readonly #host: Host;
  readonly #store: SinkStore;
  /**
   * Records written but not flushed before a barrier must be undone: the sink rewinds, or uses a transaction.
   */
  readonly #strict: boolean;
  readonly #tries: number;
  /** `rewind` sinks can be ahead of the journal, and so can live viewers. */
  readonly #waitsForJournal: boolean;
  readonly #fanIn: FanIn;
  readonly #stop = new AbortController();
  readonly #queue: SinkQueue;
  readonly #outbox: SinkOutbox;
  readonly #flush: SinkFlush;
  readonly #drain: OutboxDrain;
  #work: Promise<void> = Promise.resolve();
  #overflow: NodeJS.Timeout | undefined;
  #patience: NodeJS.Timeout | undefined;
  #outOfOrder = false;

  /** @param snapshot from the last checkpoint, also for another configuration: the input in it was accepted */
  constructor(
    run: NodeRun,
    connection: SinkConnection,
    host: Host,
    store: SinkStore,
    committed: number,
    snapshot: SinkSnapshot | undefined,
  ) {
    const component = run.node.component as AnySink;
    const ordered = component.ordered === true && run.node.inputs.length > 1;
    const recovery = recoveryOf(component, run.node.config);
    const strict =
      recovery === 'rewind' || (component.transactional === true && run.context.transaction !== undefined);
    const { signal } = this.#stop;
    const { outbox } = store;
    const sinkOutbox = new SinkOutbox(run, host, store, strict);
    const tells = recovery === 'at-least-once';
    const maxInFlight = strict ? 1 : (component.maxInFlight?.(run.node.config as never) ?? 1);
    const parallel = maxInFlight > 1;
    const spills = !strict && outbox.isAvailable;
    const writer = new SinkWriter(run, host, store.sent, { strict, tells, parallel, spills }, signal);
    this.run = run;
    this.#connection = connection;
    this.#host = host;
    this.#store = store;
    this.#strict = strict;
    // If nothing has to wait for it, it is retried from the outbox.
    this.#tries = parallel && spills ? 1 : TRIES;
    this.#waitsForJournal = recovery !== 'rewind' && !connection.feeds;
    this.#writer = writer;
    this.#queue = new SinkQueue(strict, signal);
    this.#outbox = sinkOutbox;
    const shared = { run, connection, writer, outbox, sinkOutbox, strict };
    this.#flush = new SinkFlush({
      ...shared,
      recovery,
      parallel,
      epoch: committed + 1,
      onUndone: () => {
        this.#drain.failed();
      },
      onStored: () => {
        this.#drain.start();
      },
    });
    this.#drain = new OutboxDrain({
      ...shared,
      host,
      flush: this.#flush,
      maxInFlight,
      signal,
      onDelivered: () => {
        this.#relieve();
      },
      onFailure: (error) => {
        this.#fail(error);
      },
    });
    this.#fanIn = new FanIn(
      run.node.inputs.map(({ from }) => from),
      {
        data: (data) => {
          this.#add(data);
        },
        watermark: (time) => {
          run.watermark = time;
        },
        barrier: ({ epoch }) => {
          this.#queue.addBarrier({ epoch, held: ordered ? this.#fanIn.snapshot(host.links) : undefined });
        },
        reanchor: ({ by }) => {
          run.watermark = -Infinity;
          if (run.lastRecord !== null) run.lastRecord += by;
        },
      },
      ordered,
    );
    if (snapshot?.held === undefined) return;
    const left = this.#fanIn.restore(snapshot.held, host.links, host.clock.elapsed());
    for (const signal of left) this.#add(signal);
  }

  /** Starts writing. */
  start(): void {
    if (!this.#connection.sink || this.#store.outbox.records > 0) this.#drain.start();
    this.#work = this.#write().catch((error: unknown) => {
      this.#fail(error);
    });
  }

  next(signal: Signal): void {
    this.#fanIn.push(signal);
    if (this.#outOfOrder) this.#fanIn.letGo(HELD_LIMIT);
    if (this.#fanIn.held <= HELD_LIMIT) {
      if (this.#patience) this.#relieve();
      return;
    }
    // Records in other nodes still arrive: they catch up while the pump waits.
    this.#host.gate.shut(this.run.id);
    this.#patience ??= setTimeout(() => {
      this.#giveUpOrder();
    }, PATIENCE_MS);
  }

  /** An input is stalled. If it only has not passed a barrier yet, the pump keeps waiting. */
  #giveUpOrder(): void {
    const { held, behindBarrier } = this.#fanIn;
    if (held - behindBarrier <= HELD_LIMIT) {
      this.#patience?.refresh();
      return;
    }
    this.#outOfOrder = true;
    const { waitsFor = [] } = this.#fanIn.heldBack ?? {};
    const message = `an input is stalled: ${waitsFor.join(', ')}; records are written without waiting for it, out of order`;
    this.run.context.log.warn(message, { held });
    this.#fanIn.letGo(HELD_LIMIT);
    this.#relieve();
  }

  /** It need not wait for a write whose outcome is open. */
  get #spills(): boolean {
    return !this.#strict && this.#store.outbox.isAvailable;
  }

  /** Retries a record that it rejected before. */
  replay(data: Data): void {
    this.#add({ kind: 'data', data, from: this.run.id, received: this.#host.clock.elapsed() });
  }

  /** Forgets that these records were sent: the sink accepted but could not deliver them, and a replay must reach it. */
  takeBack(failures: readonly Failure[]): void {
    this.#writer.takeBack(failures.map(({ record }) => record as Data)).catch((error: unknown) => {
      this.#fail(error);
    });
  }

  /** The retention of the stores applies to the outbox too. @param time microseconds since 1970 */
  async forgetBefore(time: number): Promise<void> {
    await this.#outbox.forgetBefore(time);
    this.#relieve();
  }

  /**
   * Stops writing after the current write. Queued records are not written: a checkpoint was taken before, or
   * recovery reads them again.
   */
  async end(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#overflow);
    clearTimeout(this.#patience);
    await this.#work;
    await this.#drain.ended();
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
    this.#queue.add(signal);
    this.run.meter.queueDepth = this.#queue.length;
    if (this.#queue.length > CAPACITY) {
      this.#host.gate.shut(this.run.id);
      if (this.#store.outbox.isAvailable)
        this.#overflow ??= setTimeout(() => {
          this.#drain.start();
        }, SPILL_MS);
    }
  }

  async #write(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const item = this.#queue.first;
      if (!item) await this.#queue.more();
      else if ('barrier' in item) {
        this.#queue.takeBarrier();
        await this.#pass(item.barrier);
      } else await this.#writeBatch(this.#take());
    }
  }

  #take(): readonly DataSignal[] {
    const signals = this.#queue.take();
    this.run.meter.queueDepth = this.#queue.length;
    return signals;
  }

  async #writeBatch(signals: readonly DataSignal[]): Promise<void> {
    const journalled = this.#waitsForJournal ? this.#store.journalled() : undefined;
    if (journalled) await settles(journalled, WEEK_MS, this.#stop.signal);
    if (this.#stop.signal.aborted) return;
    const started = this.#host.clock.elapsed();
    const records = signals.map(({ data }) => data).filter((data) => !this.#writer.wasSent(data));
    if (records.length > 0) {
      if (this.#drain.isUnderWay) await this.#spill(records);
      else await this.#writeDirectly(records);
      killAt('written');
    }
    this.run.meter.latency((this.#host.clock.elapsed() - signals[0]!.received) / 1000);
    this.run.traces?.written(signals, started, this.#drain.isUnderWay ? 'moved to the outbox' : 'written');
    this.#relieve();
  }

  /** Lets the pump continue. */
  #relieve(): void {
    if (this.#fanIn.held > HELD_LIMIT) return;
    clearTimeout(this.#patience);
    this.#patience = undefined;
    if (this.#queue.length >= CAPACITY / 2 || this.#outbox.holdsUp) return;
    clearTimeout(this.#overflow);
    this.#overflow = undefined;
    this.#host.gate.release(this.run.id);
  }

  // ------------------------------------------------------------------ to the store

  async #writeDirectly(records: readonly Data[]): Promise<void> {
    this.#flush.unflushed.add(records);
    const writing = this.#flush.step(() =>
      this.#writer.write(this.#connection.sink!, records, this.#flush.epoch, this.#tries),
    );
    // Unhandled only if the stage ends, or if the outbox cannot be written, before the store has answered.
    writing.catch(() => undefined);
    if (!this.#spills) {
      try {
        await this.#spillUntaken(await writing);
      } catch (error) {
        await this.#flush.writeAgain(error);
      }
    } else if (await settles(writing, SPILL_MS, this.#stop.signal)) {
      await this.#spillUntaken(await writing);
    } else if (!this.#stop.signal.aborted) {
      // It may still succeed. Until that is known, the records wait in the outbox, and all others behind
      // them.
      this.#flush.unflushed.remove(records);
      const entries = await this.#outbox.hold(this.#flush.epoch, records, false);
      this.#drain.startWith(
        writing.then((untaken) => {
          this.#drain.settle(entries, untaken);
        }),
      );
    }
  }

  async #spillUntaken({ left, refused }: Untaken): Promise<void> {
    const untaken = [...refused.keys(), ...left];
    if (untaken.length === 0 || this.#stop.signal.aborted) return;
    if (left.length > 0) this.#drain.failed();
    this.#flush.unflushed.remove(untaken);
    await this.#spill(untaken);
    this.#drain.start();
  }

  async #spill(records: readonly Data[]): Promise<void> {
    await this.#outbox.put(this.#flush.epoch, records);
  }

  // ------------------------------------------------------------------ barriers

  async #pass({ epoch, held }: SinkBarrier): Promise<void> {
    await this.#secure(epoch + 1);
    if (this.#stop.signal.aborted) return;
    killAt('flushed');
    const { outbox, sent } = this.#store;
    const cut = outbox.cutter();
    this.#flush.beginEpoch(epoch + 1);
    const commit = () => {
      cut();
      sent.cut(epoch, outbox.oldestEpoch);
    };
    const snapshot: SinkSnapshot = { ...this.#connection.snapshot(), ...(held !== undefined && { held }) };
    this.#host.passed(this.run, epoch, snapshot, commit, () => {
      const { sink } = this.#connection;
      reported(
        () => sink?.committed?.(epoch),
        (error) => {
          this.#fail(error);
        },
      );
      // The outbox has shrunk.
      this.#outbox.show();
      this.#relieve();
    });
  }

  /** Everything so far is in the store or in the outbox. */
  async #secure(next: number): Promise<void> {
    // Input has ended: nothing else waits, and all records that the store accepts are delivered.
    while (this.#isLast && this.#drain.isUnderWay && !this.#drain.isFailing && !this.#stop.signal.aborted)
      await turn();
    const { any, records } = this.#flush.unflushed;
    if (!any || (!this.#strict && this.#drain.isUnderWay && records?.length === 0)) return;
    const flushing = this.#flush.flush(next);
    flushing.catch(() => undefined);
    if (!this.#spills || !records || (await settles(flushing, SPILL_MS, this.#stop.signal))) await flushing;
    else if (!this.#stop.signal.aborted) await this.#spillUntil(flushing, records);
  }

  /** Records of a slow flush wait in the outbox: they are written again unless the flush succeeds. */
  async #spillUntil(flushing: Promise<boolean>, unflushed: readonly Data[]): Promise<void> {
    // If the flush fails, people were not alerted.
    this.#flush.unflushed.moveToOutbox(unflushed);
    const entries = await this.#outbox.hold(this.#flush.epoch, unflushed, true);
    this.#drain.startWith(
      flushing.then((isSafe) => {
        for (const entry of entries)
          if (isSafe) this.#outbox.safe(entry);
          else this.#outbox.giveBack(entry, entry.records, 0, null);
      }),
    );
  }

  get #isLast(): boolean {
    return this.run.watermark === Infinity;
  }

  #fail(error: unknown): void {
    this.#host.fail(new Error(`${this.run.id} failed: ${errorText(error)}`, { cause: error }));
  }
}
