import { Subject } from 'rxjs';
import {
  isTick,
  rawRecord,
  sliceRaw,
  timingOf,
  type AnySource,
  type Output,
  type Position,
  type RawBatch,
  type Source,
  type SourceBatch,
  type State,
} from '../../component/index.js';
import type { Data, Provenance } from '../../model/index.js';
import type { Anchor, Journal, JournalEntry } from '../../state/index.js';
import type { Host, NodeRun } from '../nodes/host.js';
import { errorText } from '../../base/error-text.js';
import { killAt } from '../../base/kill.js';
import { thrown } from './operator-stage.js';
import { atOnce, reported } from '../shared/returned.js';
import { BoundedQueue } from './queue.js';
import { OverloadWatch } from './shedding/overload-watch.js';
import { StandingQueue } from './shedding/standing-queue.js';
import { countOf, newestOf, type Signal } from '../signals/signal.js';

/** Limit of records in a journal entry. */
const ENTRY_RECORDS = 64;
/** Size of the journal since its last cut above which live input is dropped: checkpoints fail. */
const JOURNAL_LIMIT_BYTES = 4 * 2 ** 30;

/** A batch between a source and the pump. */
interface Queued {
  readonly batch: SourceBatch;
  /** Number of its journal entry; 0 if there is none. */
  readonly entry: number;
  readonly received: number;
  readonly backlog: boolean;
  /** Not a batch: event time jumps here. */
  readonly anchor?: Anchor;
}

/** Drops of a live source when the processor cannot keep up. */
export interface SourceShedding {
  /** Age limit of results, milliseconds. */
  readonly maxLagMs: number;
  /** Id of the node that uses most of the time. */
  readonly busiest: () => string;
}

/** A source's part of a checkpoint. */
export interface SourceSnapshot {
  readonly position: Position;
  readonly entry: number;
  readonly decode: State;
  readonly watermark: number;
  readonly origin: Provenance['origin'];
}

/** A source, its journal and its queue; the pump takes from it. */
export class SourceStage {
  readonly run: NodeRun;
  readonly stream = new Subject<Signal>();
  readonly #source: Source;
  readonly #host: Host;
  readonly #journal: Journal | null;
  readonly #queue: BoundedQueue<Queued>;
  readonly #standing: StandingQueue | null;
  readonly #overload: OverloadWatch | null;
  readonly #wake: () => void;
  readonly #live: boolean;
  readonly #onOrigin: (origin: Provenance['origin']) => void;
  #backlog: Iterator<JournalEntry> | undefined;
  #next: Queued | undefined;
  /** Marks that a full queue pushed out: they take no space, and precede its content. */
  readonly #evicted: Queued[] = [];
  /** Position of the newest batch that was offered. */
  #offered: Position = null;
  /** Event time has jumped in this run: late input from before is treated as arriving now. */
  #jumped = false;
  #position: Position = null;
  #entry = 0;
  #origin: Provenance['origin'] | undefined;
  #unread = false;
  #stopped = false;
  #endOfInput = false;
  #dropStart = 0;
  #dropEnd = 0;
  #ready: () => void = () => undefined;
  /** Resolves when the input is open, as the source reports or its first batch shows. */
  readonly ready = new Promise<void>((resolve) => {
    this.#ready = resolve;
  });
  /** All input was processed and the last watermark sent. */
  ended = false;

  constructor(
    run: NodeRun,
    source: Source,
    host: Host,
    journal: Journal | null,
    wake: () => void,
    onOrigin: (origin: Provenance['origin']) => void,
    snapshot: unknown,
    shedding: SourceShedding | null,
  ) {
    this.run = run;
    this.#source = source;
    this.#host = host;
    this.#journal = journal;
    this.#wake = wake;
    this.#onOrigin = onOrigin;
    this.#live = !(run.node.component as AnySource).replayable;
    this.#queue = new BoundedQueue(
      run.node.queue ?? { capacity: 256, policy: 'block', maxAgeMs: null },
      (item, reason) => {
        if (item.anchor) this.#evicted.push(item);
        else {
          this.#drop(item.batch, item.entry, reason);
          this.#overload?.shed();
        }
      },
    );
    this.#standing = shedding && new StandingQueue(shedding.maxLagMs);
    this.#overload = shedding && this.#watchOverload(shedding);
    if (snapshot !== undefined) this.#restore(snapshot as SourceSnapshot);
    if (journal) {
      journal.continueAfter(this.#entry);
      this.#offered = journal.newest()?.position ?? this.#position;
      this.#backlog = journal.after(this.#entry);
      this.#advanceBacklog();
    }
  }

  /** Reads until the input ends; rejects if it cannot be read. */
  async open(signal: AbortSignal): Promise<void> {
    const position = this.#journal?.newest()?.position ?? this.#position;
    await this.#source.open(position, {
      signal,
      ready: this.#ready,
      problem: (problem) => {
        this.run.problem = problem;
      },
      offer: (batch) => this.#offer(batch),
      unread: () => {
        this.#unread = true;
      },
      due: () => this.#host.due(),
      journalled: () => this.#journal?.durable(),
      backlog: () => batchesOf(this.#journal?.after(this.#entry) ?? []),
    });
    this.#ready();
    if (signal.aborted) return;
    this.#endOfInput = true;
    this.#wake();
  }

  /** Accepts nothing more. Queued input is still pumped. */
  close(): void {
    this.#stopped = true;
    this.#queue.close();
    this.#overload?.end();
  }

  /** It is uncertain whether its input still belongs to it. */
  get isUnsure(): boolean {
    return this.#source.isUnsure?.() ?? false;
  }

  /** Whether its source has reported since the last call that more input waits. */
  takeUnread(): boolean {
    const unread = this.#unread;
    this.#unread = false;
    return unread;
  }

  get waiting(): boolean {
    return this.#head !== undefined || (this.#endOfInput && !this.ended);
  }

  /** Its times follow the clock. */
  get followsClock(): boolean {
    const { component, config } = this.run.node;
    return timingOf(component as AnySource, config) === 'now';
  }

  /** Event time of the newest record in this run or before; -Infinity if there is none. */
  get newestTime(): number {
    return Math.max(this.run.watermark, this.#journal?.newest()?.time ?? -Infinity);
  }

  /** Ids of jumps that an earlier run has journalled and no checkpoint covers. */
  pendingAnchors(): readonly Anchor[] {
    const entries = [...(this.#journal?.after(this.#entry) ?? [])];
    return entries.flatMap(({ anchor }) => anchor ?? []);
  }

  /** Event time is about to jump: outputs the records gathered before. */
  beforeJump(by: number): void {
    this.#source.reanchor?.(by);
  }

  /** Puts the mark of a jump behind everything offered. */
  mark(anchor: Anchor): void {
    this.#jumped = true;
    const entry = this.#journal?.anchor(anchor, this.#offered) ?? 0;
    const batch = { position: this.#offered };
    this.#queue.put({ batch, entry, received: this.#host.clock.elapsed(), backlog: false, anchor });
    this.#wake();
  }

  /** The jump that is next, before anything else. */
  get anchor(): Anchor | null {
    return this.#head?.anchor ?? null;
  }

  /** Event time jumps in all sources together, between two batches. Synchronous. */
  reanchor(by: number): void {
    const received = this.#host.clock.elapsed();
    if (this.anchor) {
      const { batch, entry } = this.#take()!;
      this.#position = batch.position;
      if (entry > 0) this.#entry = entry;
      this.run.watermark = -Infinity;
      if (this.run.lastRecord !== null) this.run.lastRecord += by;
    }
    this.stream.next({ kind: 'reanchor', by, from: this.run.id, received });
  }

  get #head(): Queued | undefined {
    return this.#next ?? this.#evicted[0] ?? this.#queue.first;
  }

  /** Pushes one batch through the chain, or the end of input. Synchronous. */
  pump(): void {
    const item = this.#take();
    this.run.meter.queueDepth = this.#queue.depth;
    if (item) {
      if (this.#isStale(item) || this.#isTooLate(item)) this.#drop(item.batch, item.entry, 'stale');
      else this.#process(item);
      this.#position = item.batch.position;
      if (item.entry > 0) this.#entry = item.entry;
    } else if (this.#endOfInput && !this.ended) {
      this.ended = true;
      this.run.context.log.info('the input has ended');
      this.#watermark(Infinity, this.#host.clock.elapsed());
    }
  }

  /** Sends a barrier and returns the state before it. */
  barrier(epoch: number): void {
    const snapshot: SourceSnapshot = {
      position: this.#position,
      entry: this.#entry,
      decode: atOnce('snapshot', this.#source.snapshot?.()),
      watermark: this.run.watermark,
      origin: this.#origin ?? 'live',
    };
    const [journal, entry] = [this.#journal, this.#entry];
    this.#host.passed(
      this.run,
      epoch,
      snapshot,
      () => journal?.cut(entry),
      () => {
        const failed = (error: unknown) => {
          this.#host.fail(new Error(`${this.run.id} failed: ${errorText(error)}`, { cause: error }));
        };
        reported(() => this.#source.committed?.(snapshot.position), failed);
      },
    );
    this.stream.next({ kind: 'barrier', epoch, from: this.run.id, received: this.#host.clock.elapsed() });
  }

  #restore(snapshot: SourceSnapshot): void {
    this.#position = snapshot.position;
    this.#entry = snapshot.entry;
    this.run.watermark = snapshot.watermark === Infinity ? -Infinity : snapshot.watermark;
    atOnce('restore', this.#source.restore?.(snapshot.decode));
    this.#setOrigin(snapshot.origin);
  }

  #offer(batch: SourceBatch): boolean | Promise<boolean> {
    killAt('read');
    this.#ready();
    const { raw } = batch;
    if (this.#stopped) {
      // The next start reads it from there.
      if (this.#journal && raw) this.#journal.append(raw, batch.position);
      return this.#journal !== null;
    }
    if (!this.#journal || !raw || raw.count <= ENTRY_RECORDS) return this.#enqueue(batch);
    let taken: boolean | Promise<boolean> = true;
    for (let start = 0; start < raw.count; start += ENTRY_RECORDS) {
      const part = sliceRaw(raw, start, Math.min(raw.count, start + ENTRY_RECORDS));
      taken = this.#enqueue({ ...batch, raw: part });
    }
    return taken;
  }

  #enqueue(offered: SourceBatch): boolean | Promise<boolean> {
    const batch = this.#jumped ? this.#notAhead(offered) : offered;
    this.#offered = batch.position;
    const refused = (reason: string) => {
      this.run.meter.dropped(reason, sizeOf(batch));
    };
    if (this.#journal && this.#journal.bytes > JOURNAL_LIMIT_BYTES) {
      refused('journal_full');
      return false;
    }
    const received = this.#host.clock.elapsed();
    this.#overload?.came(sizeOf(batch));
    const taken = this.#queue.offer(
      () => {
        const entry = this.#journal && batch.raw ? this.#journal.append(batch.raw, batch.position) : 0;
        killAt('enqueued');
        return { batch, entry, received, backlog: false };
      },
      () => {
        refused('queue_full');
      },
    );
    this.run.meter.queueDepth = this.#queue.depth;
    this.#wake();
    return taken;
  }

  /** Input gathered before a jump back that arrives after it. */
  #notAhead(batch: SourceBatch): SourceBatch {
    const { raw } = batch;
    const now = this.run.context.clock.now();
    if (!raw || !this.#live || raw.count === 0 || raw.time[raw.count - 1]! <= now) return batch;
    return { ...batch, isPast: false, raw: { ...raw, time: raw.time.map((time) => Math.min(time, now)) } };
  }

  #take(): Queued | undefined {
    const next = this.#next;
    if (!next) return this.#evicted.shift() ?? this.#queue.take();
    this.#advanceBacklog();
    return next;
  }

  /** Entries of the journal that the last run did not reach, before anything new. */
  #advanceBacklog(): void {
    this.#next = undefined;
    const step = this.#backlog?.next();
    if (!step || step.done) {
      this.#backlog = undefined;
      return;
    }
    const { number, raw, position, anchor } = step.value;
    this.#next = {
      batch: { raw, position },
      entry: number,
      received: this.#host.clock.elapsed(),
      backlog: true,
      ...(anchor && { anchor }),
    };
  }

  #isStale({ batch, backlog }: Queued): boolean {
    const maxAgeMs = this.run.node.queue?.maxAgeMs ?? null;
    // The whole backlog is replayed after a crash: the journal records the drops of the last run.
    if (maxAgeMs === null || !this.#live || backlog || !batch.raw || batch.raw.count === 0) return false;
    return this.run.context.clock.now() - batch.raw.time[batch.raw.count - 1]! > maxAgeMs * 1000;
  }

  /** It arrives faster than it can be processed. If an age is configured, only that counts. */
  #isTooLate({ batch, received, backlog }: Queued): boolean {
    if (!this.#standing || backlog || !batch.raw || (this.run.node.queue?.maxAgeMs ?? null) !== null)
      return false;
    const isLate = this.#standing.isTooLate(received, this.#host.clock.elapsed());
    if (isLate) this.#overload!.shed();
    else this.#overload!.done(batch.raw.count);
    return isLate;
  }

  #watchOverload({ busiest }: SourceShedding): OverloadWatch {
    const consequence = () => `input that waits too long is dropped. Most of the time goes to ${busiest()}`;
    const onChange = (isOverloaded: boolean) => this.#source.overloaded?.(isOverloaded);
    const unit = { name: 'frames', consequence, onChange };
    return new OverloadWatch(this.run, () => this.#host.clock.elapsed(), unit);
  }

  #drop(batch: SourceBatch, entry: number, reason: string): void {
    this.run.meter.dropped(reason, sizeOf(batch));
    if (!this.#journal || entry === 0) return;
    if (entry !== this.#dropEnd + 1) this.#dropStart = entry;
    this.#dropEnd = entry;
    this.#journal.drop(this.#dropStart, entry);
  }

  #process({ batch, received }: Queued): void {
    const { meter } = this.run;
    const started = this.#host.clock.elapsed();
    const { data, failed } = this.#decode(batch);
    meter.operatorSeconds += (this.#host.clock.elapsed() - started) / 1000;
    meter.receivedTotal += sizeOf(batch);
    if (data.length > 0) this.run.failedInRow = 0;
    if (failed && failed.length > 0) this.#host.failures(this.run, 'decode', failed);
    this.#setOrigin(batch.raw?.origin ?? 'simulated');
    const sampled = this.run.traces?.sample(data, this.#host.links, received, started);
    const last = this.#live && batch.raw ? (batch.raw.time[batch.raw.count - 1] ?? -Infinity) : -Infinity;
    let newest = last;
    for (const record of data) {
      meter.sentTotal += countOf(record);
      meter.show?.(record);
      newest = Math.max(newest, newestOf(record));
      const signal: Signal = { kind: 'data', data: record, from: this.run.id, received };
      this.stream.next(sampled?.record === record ? { ...signal, trace: sampled.trace } : signal);
    }
    if (data.length > 0) this.run.lastRecord = Math.max(this.run.lastRecord ?? -Infinity, newest);
    // Usually a later frame may have the same time, so event time has not passed it.
    const isPast = batch.isPast === true && newest === last;
    if (newest > -Infinity) this.#watermark(isPast ? newest : newest - 1, received);
  }

  #decode(batch: SourceBatch): Output<Data> {
    if (!batch.raw) return { data: batch.data ?? [] };
    try {
      if (!this.#source.decode) throw new Error('it hands over raw records but has no decode');
      return atOnce('decode', this.#source.decode(batch.raw));
    } catch (error) {
      const { failed } = thrown(null, error);
      const records = firstRecords(batch.raw);
      return {
        data: [],
        failed: failed!.map((failure) => ({ ...failure, record: records, code: 'decode.threw' })),
      };
    }
  }

  #watermark(time: number, received: number): void {
    if (time <= this.run.watermark) return;
    this.run.watermark = time;
    this.stream.next({ kind: 'watermark', time, from: this.run.id, received });
  }

  #setOrigin(origin: Provenance['origin']): void {
    if (origin === this.#origin) return;
    this.#origin = origin;
    this.#onOrigin(origin);
  }
}

/**
 * Records of a batch: frames of `csi`, otherwise undecoded records. An automatic clock tick counts as none.
 */
function sizeOf({ raw, data = [] }: SourceBatch): number {
  if (!raw) return data.reduce((sum, record) => sum + countOf(record), 0);
  return raw.count === 1 && isTick(raw, 0) ? 0 : raw.count;
}

function* batchesOf(entries: Iterable<JournalEntry>): Generator<RawBatch> {
  for (const { raw } of entries) yield raw;
}

/** Enough of a batch to find the fault. */
const firstRecords = (raw: RawBatch): readonly Uint8Array[] =>
  Array.from({ length: Math.min(raw.count, 4) }, (_, index) => Uint8Array.from(rawRecord(raw, index)));
