import { filter, merge, Subject, type Observable } from 'rxjs';
import type {
  AnySink,
  AnySource,
  Context,
  LiveFeed,
  Operator,
  Reader,
  Sink,
  Source,
  State,
} from '../component/index.js';
import type { CheckedNode, CheckedTopology } from '../config/topology.js';
import { LinkTable, type Data, type Failure, type Provenance } from '../model/index.js';
import {
  Checkpoints,
  DeadLetters,
  encodeNode,
  Journal,
  Outbox,
  SentAlerts,
  StateStore,
  type Checkpoint,
} from '../state/index.js';
import type { Log } from '../telemetry/log.js';
import type { Metrics } from '../telemetry/metrics.js';
import { asynchronous } from './async-stage.js';
import { Gate } from './gate.js';
import type { Host, NodeRun, Patience } from './host.js';
import { killAt } from './kill.js';
import { synchronous, type KeptOperator } from './operator-stage.js';
import { toPortable } from './portable.js';
import { seededRandom } from './random.js';
import type { Signal, Stream } from './signal.js';
import { SinkStage } from './sink-stage.js';
import { SourceStage } from './source-stage.js';

/** The pump yields to the event loop after this time. */
const SLICE_MS = 5;
/** Dead letters of a second that are kept; the rest is counted alone. */
const LETTERS_A_SECOND = 200;

export interface ShardOptions {
  readonly topology: CheckedTopology;
  readonly links: LinkTable;
  readonly clock: Context['clock'];
  readonly log: Log;
  readonly metrics: Metrics;
  readonly patience: Patience;
  /** It cannot go on: recover it from its last checkpoint. Called once. */
  readonly onFailure: (error: Error, final: boolean) => void;
  readonly onStep: (step: string, progress: number) => void;
  readonly onLatency: (milliseconds: number) => void;
  readonly onChange: () => void;
}

/** The last checkpoint, as a status shows it. */
export interface CheckpointFigures {
  readonly epoch: number;
  readonly at: number;
  readonly pauseMs: number;
}

/**
 * One run of a topology, from its last checkpoint: sources, journal, pump, operators, sinks. It is used
 * once: another start makes another shard.
 */
export class Shard implements Host {
  readonly clock: Context['clock'];
  readonly links: LinkTable;
  readonly gate: Gate;
  readonly settings: CheckedTopology['settings'];
  readonly patience: Patience;
  readonly readers = new Map<string, Reader>();
  readonly feeds = new Map<string, LiveFeed>();
  readonly runs: ReadonlyMap<string, NodeRun>;
  checkpoint: CheckpointFigures | null = null;
  /** Why checkpoints do not get through. */
  problem: string | null = null;

  readonly #options: ShardOptions;
  readonly #sources: SourceStage[] = [];
  readonly #sinks: SinkStage[] = [];
  readonly #instances = new Map<string, Source | Operator | Sink>();
  readonly #provenance = new Map<string, { origin: Provenance['origin'] }>();
  readonly #origins = new Map<string, Provenance['origin']>();
  readonly #journals: Journal[] = [];
  readonly #abort = new AbortController();
  readonly #opens: Promise<void>[] = [];
  #store: StateStore | undefined;
  #checkpoints: Checkpoints | undefined;
  #letters: DeadLetters | undefined;
  #epoch = 0;
  #barrier: Barrier | null = null;
  #checkpointDue = false;
  #timer: NodeJS.Timeout | undefined;
  #wakePump: (() => void) | undefined;
  #pumping: Promise<void> = Promise.resolve();
  #pumpEnds = false;
  #turn = 0;
  #lastYield = 0;
  #failed = false;
  #failure: Error | undefined;
  #complete = false;
  #finish: () => void = () => undefined;
  /** None yet: 0 is the first second of the clock. */
  #lettersSecond = -1;
  #lettersLeft = 0;
  /** Resolves when all input has ended and the last barrier has passed. */
  readonly finished: Promise<void>;

  constructor(options: ShardOptions) {
    const { topology, links, clock, metrics } = options;
    this.#options = options;
    this.clock = clock;
    this.links = links;
    this.settings = topology.settings;
    this.patience = options.patience;
    this.gate = new Gate(
      () => clock.elapsed(),
      (node, seconds) => {
        metrics.node(topology.id, node).gateClosedSeconds += seconds;
      },
    );
    this.gate.onOpen(() => {
      this.#wake();
    });
    this.finished = new Promise((resolve) => {
      this.#finish = resolve;
    });
    this.runs = new Map(topology.nodes.map((node) => [node.id, this.#run(node)]));
  }

  /** Restores the last checkpoint, rewinds, opens all, and reads on. Rejects with what kept it from that; all is closed then. */
  async start(): Promise<void> {
    try {
      await this.#start();
    } catch (error) {
      await this.stop(false);
      throw error;
    }
  }

  /** @param save takes a checkpoint of what was taken in, first */
  async stop(save: boolean): Promise<void> {
    clearInterval(this.#timer);
    this.#abort.abort();
    for (const source of this.#sources) source.close();
    if (save && !this.#failed) {
      this.#options.onStep('data_pipeline_stop', 0.2);
      await this.#lastCheckpoint();
    }
    this.#pumpEnds = true;
    this.#failed = true;
    this.#wake();
    await this.#pumping;
    this.#options.onStep('data_pipeline_stop', 0.6);
    await this.#inTime(
      this.#sinks.map((sink) => ({ node: sink.run.id, work: sink.end() })),
      'writing',
    );
    await this.#inTime(
      this.#sources.map(({ run }, index) => ({ node: run.id, work: this.#opens[index] })),
      'reading',
    );
    this.#options.onStep('data_pipeline_stop', 1);
    this.#options.onStep('model_unloading', 0);
    for (const [id, instance] of this.#instances)
      await this.#inTime([{ node: id, work: this.#close(id, instance) }], 'closing');
    this.#options.onStep('model_unloading', 1);
    await this.#store?.close();
    for (const run of this.runs.values()) run.status = 'stopped';
  }

  describe(node: string): Readonly<Record<string, unknown>> {
    try {
      return this.#instances.get(node)?.describe?.() ?? {};
    } catch (error) {
      return { error: text(error) };
    }
  }

  deadLetters(): DeadLetters | undefined {
    return this.#letters;
  }

  // ------------------------------------------------------------------ as the host of its stages

  failures(run: NodeRun, stage: string, failed: readonly Failure[]): void {
    run.meter.failed(stage, failed.length);
    run.failedInRow += failed.length;
    for (const { record, code, reason } of failed) this.#bury(run, stage, code, reason, record);
    const { degradedAfterFailures, stopAfterFailures } = this.settings;
    run.context.log.warn('records failed', { stage, code: failed[0]!.code, reason: failed[0]!.reason });
    const threw = failed.some(({ code }) => code.endsWith('.threw'));
    if (run.failedInRow >= degradedAfterFailures || threw) {
      run.problem = `${run.failedInRow} records in a row failed (${stage}): ${failed[0]!.reason}`;
      this.#options.onChange();
    }
    // What comes over the network must not be able to stop a topology: bad input only degrades it.
    if (stopAfterFailures !== null && run.failedInRow >= stopAfterFailures && stage !== 'decode') {
      this.#giveUp(
        new Error(
          `${run.id}: ${run.failedInRow} records in a row failed, the last one because: ${failed.at(-1)!.reason}`,
        ),
        true,
      );
    }
  }

  passed(run: NodeRun, epoch: number, state: State, commit?: () => void): void {
    const barrier = this.#barrier;
    if (barrier?.epoch !== epoch) return;
    barrier.states.set(run.id, state);
    if (commit) barrier.commits.push(commit);
    if (barrier.states.size < this.runs.size) return;
    this.#commit(barrier).catch((error: unknown) => {
      this.fail(new Error(`the checkpoint could not be written: ${text(error)}`, { cause: error }));
    });
  }

  fail(error: Error): void {
    this.#giveUp(error, false);
  }

  // ------------------------------------------------------------------ start

  async #start(): Promise<void> {
    const { topology, onStep } = this.#options;
    onStep('hardware_initialization', 0);
    this.#store = new StateStore(this.settings.stateFolder, topology.id);
    this.#checkpoints = new Checkpoints(this.#store);
    this.#letters = new DeadLetters(this.#store);
    const last = await this.#lastOrFirst();
    this.#epoch = last.epoch + 1;
    await this.#letters.rewind(last.epoch);
    for (const node of topology.nodes) this.#create(node);
    onStep('hardware_initialization', 1);

    onStep('model_loading', 0);
    const outboxes = await this.#openSinks(last.epoch);
    await this.#openOperators();
    onStep('model_loading', 1);

    onStep('data_pipeline_start', 0);
    this.#compile(last, outboxes);
    for (const sink of this.#sinks) sink.start();
    this.#pumping = this.#pump().catch((error: unknown) => {
      this.fail(new Error(`the pump failed: ${text(error)}`, { cause: error }));
    });
    await this.#openSources();
    this.#timer = setInterval(() => {
      this.#tick();
    }, this.settings.checkpointIntervalMs);
    if (this.#failure) throw this.#failure;
    for (const run of this.runs.values()) run.status = 'active';
    onStep('data_pipeline_start', 1);
  }

  /**
   * The last checkpoint. A new store begins with an epoch that no earlier one of this topology had (the
   * seconds since 1970), so that rewinding never takes rows from before the store was lost.
   */
  async #lastOrFirst(): Promise<Checkpoint> {
    const last = this.#checkpoints!.last();
    if (last) return last;
    const first = { epoch: Math.floor(this.clock.now() / 1e6), at: this.clock.now(), nodes: new Map() };
    await this.#store!.transaction(() => {
      this.#checkpoints!.write(first.epoch, first.at, new Map());
    });
    return first;
  }

  #run(node: CheckedNode): NodeRun {
    const { topology, log, metrics } = this.#options;
    const meter = metrics.node(topology.id, node.id);
    const provenance = { origin: this.#firstOrigin(node) };
    this.#provenance.set(node.id, provenance);
    const run: NodeRun = {
      node,
      id: node.id,
      meter,
      lastRecord: null,
      failedInRow: 0,
      problem: null,
      status: 'starting',
      watermark: -Infinity,
      crowded: false,
      context: {
        topology: topology.id,
        node: node.id,
        environments: topology.environments,
        links: this.links,
        clock: this.clock,
        random: seededRandom(this.settings.seed, `${topology.id}/${node.id}`),
        log: log.child({ topology: topology.id, node: node.id }),
        metrics: meter,
        folder: topology.folder,
        stateFolder: this.settings.stateFolder,
        provenance,
      },
    };
    meter.watermarkLag = () =>
      Number.isFinite(run.watermark) ? Math.max(0, (this.clock.now() - run.watermark) / 1e6) : null;
    return run;
  }

  #firstOrigin(node: CheckedNode): Provenance['origin'] {
    if (node.component.kind === 'source') {
      const origin = node.component.replayable ? 'replay' : 'live';
      this.#origins.set(node.id, origin);
      return origin;
    }
    return this.#originOf(node);
  }

  /** A result is live only if all its input is. */
  #originOf(node: CheckedNode): Provenance['origin'] {
    const origins = node.inputs.map(({ from }) => this.#provenance.get(from)?.origin ?? 'live');
    return (
      origins.find((origin) => origin === 'simulated') ??
      origins.find((origin) => origin === 'replay') ??
      'live'
    );
  }

  #setOrigin(source: string, origin: Provenance['origin']): void {
    this.#provenance.get(source)!.origin = origin;
    for (const node of this.#options.topology.nodes) {
      if (node.component.kind !== 'source') this.#provenance.get(node.id)!.origin = this.#originOf(node);
    }
  }

  #create(node: CheckedNode): void {
    const { context } = this.runs.get(node.id)!;
    try {
      this.#instances.set(node.id, node.component.create(node.config as never, context));
    } catch (error) {
      throw new Error(`${node.id} (${node.component.name}) could not be made: ${text(error)}`, {
        cause: error,
      });
    }
  }

  async #openSinks(epoch: number): Promise<ReadonlyMap<string, Outbox>> {
    const outboxes = new Map<string, Outbox>();
    for (const node of this.#nodes('sink')) {
      const sink = this.#instances.get(node.id) as Sink;
      const { recovery } = node.component as AnySink;
      await named(node, sink.open());
      if (recovery === 'rewind') await named(node, rewind(node, sink, epoch));
      const outbox = new Outbox(this.#store!, node.id);
      await outbox.rewind(epoch);
      outboxes.set(node.id, outbox);
      if (sink.reader) this.readers.set(node.id, sink.reader);
      if (sink.feed) this.feeds.set(node.id, sink.feed);
    }
    return outboxes;
  }

  async #openOperators(): Promise<void> {
    const nodes = this.#nodes('operator');
    let opened = 0;
    for (const node of nodes) {
      const operator = this.#instances.get(node.id) as Operator;
      if (operator.open) await named(node, operator.open());
      this.#options.onStep('model_loading', ++opened / nodes.length);
    }
  }

  /** Nodes as RxJS chains. Edges let through the ports they name, and all marks. */
  #compile(last: Checkpoint, outboxes: ReadonlyMap<string, Outbox>): void {
    const streams = new Map<string, Observable<Signal>>();
    for (const node of this.#options.topology.nodes) {
      const run = this.runs.get(node.id)!;
      const found = last.nodes.get(node.id);
      const kept =
        found?.hash === node.hash && found.stateVersion === stateVersion(node) ? found.state : undefined;
      if (node.component.kind === 'source') {
        const stage = this.#source(run, kept);
        streams.set(node.id, stage.stream);
        continue;
      }
      const input: Stream = merge(
        ...node.inputs.map(({ from, ports }) =>
          streams
            .get(from)!
            .pipe(filter((signal) => signal.kind !== 'data' || ports.includes(signal.data.port))),
        ),
      );
      if (node.component.kind === 'sink') {
        this.#sink(run, input, outboxes.get(node.id)!, last.epoch);
        continue;
      }
      const operator = this.#instances.get(node.id) as Operator;
      const lifted =
        node.component.asynchronous === undefined
          ? synchronous(run, operator, this, kept as KeptOperator | undefined)
          : asynchronous(
              run,
              operator,
              this,
              kept as KeptOperator | undefined,
              node.component.asynchronous.maxInFlight(node.config as never),
            );
      // A subject runs the node once for all that read from it.
      const output = new Subject<Signal>();
      streams.set(node.id, output);
      input.pipe(lifted).subscribe(output);
      if (node.component.outputs.includes('pose')) {
        output.subscribe((signal) => {
          if (signal.kind === 'data' && signal.data.port === 'pose') {
            this.#options.onLatency(this.clock.elapsed() - signal.received);
          }
        });
      }
    }
  }

  #source(run: NodeRun, kept: State): SourceStage {
    const journalled = !(run.node.component as AnySource).replayable && this.settings.journal;
    const journal = journalled
      ? new Journal(this.#store!, run.id, (error) => {
          this.fail(error);
        })
      : null;
    if (journal) this.#journals.push(journal);
    const stage = new SourceStage(
      run,
      this.#instances.get(run.id) as Source,
      this,
      journal,
      () => {
        this.#wake();
      },
      (origin) => {
        this.#setOrigin(run.id, origin);
      },
      kept,
    );
    this.#sources.push(stage);
    return stage;
  }

  #sink(run: NodeRun, input: Stream, outbox: Outbox, committed: number): void {
    const store = {
      outbox,
      sent: new SentAlerts(this.#store!, run.id),
      journalled: () => this.#journalled(),
    };
    const stage = new SinkStage(run, this.#instances.get(run.id) as Sink, this, store, committed);
    this.#sinks.push(stage);
    input.subscribe((signal) => {
      stage.next(signal);
    });
  }

  #journalled(): Promise<void> | undefined {
    const waits = this.#journals
      .map((journal) => journal.durable(journal.written))
      .filter((wait) => wait !== undefined);
    return waits.length === 0 ? undefined : Promise.all(waits).then(() => undefined);
  }

  /** Waits until each says that it is open; rejects with what kept one from it. */
  async #openSources(): Promise<void> {
    const opened = this.#sources.map((source) => {
      const open = source.open(this.#abort.signal);
      this.#opens.push(open);
      open.catch((error: unknown) => {
        source.run.status = 'unavailable';
        source.run.problem = text(error);
        this.fail(new Error(`${source.run.id}: ${text(error)}`, { cause: error }));
      });
      return { node: source.run.id, work: Promise.race([source.ready, named(source.run.node, open)]) };
    });
    const late = await withinTime(
      opened.map(({ work }) => work),
      this.patience.openMs,
    );
    for (const index of late)
      this.#options.log.warn('a source has not said that it is open', { node: opened[index]!.node });
  }

  /** Waits for nodes to end, but not for ever: who hangs is named and left behind. */
  async #inTime(
    works: readonly { readonly node: string; readonly work: Promise<void> | undefined }[],
    doing: string,
  ): Promise<void> {
    const settled = works.map(async ({ work }) => {
      await Promise.allSettled([work]);
    });
    for (const index of await withinTime(settled, this.patience.stopMs))
      this.#options.log.error(`stopped without waiting for a node that has not ended ${doing}`, {
        node: works[index]!.node,
        after_ms: this.patience.stopMs,
      });
  }

  // ------------------------------------------------------------------ pump

  async #pump(): Promise<void> {
    while (!this.#pumpEnds) {
      if (this.#checkpointDue && !this.#barrier) this.#inject();
      const source = this.gate.open ? this.#next() : undefined;
      if (source) {
        source.pump();
        if (source.ended && this.#sources.every(({ ended }) => ended)) this.#checkpointDue = true;
      } else await this.#idle();
      if (this.clock.elapsed() - this.#lastYield >= SLICE_MS) {
        await new Promise<void>((resolve) => setImmediate(resolve));
        this.#lastYield = this.clock.elapsed();
      }
    }
  }

  /** Sources take turns; while a node holds much of one, the one that is furthest behind goes first, or is waited for. */
  #next(): SourceStage | undefined {
    const count = this.#sources.length;
    if (count > 1 && this.#crowded()) {
      const open = this.#sources.filter(({ ended }) => !ended);
      const last = open.reduce<SourceStage | undefined>(
        (a, b) => (a && a.run.watermark <= b.run.watermark ? a : b),
        undefined,
      );
      return last?.waiting ? last : undefined;
    }
    for (let step = 0; step < count; step++) {
      const source = this.#sources[(this.#turn + step) % count]!;
      if (!source.waiting) continue;
      this.#turn = (this.#turn + step + 1) % count;
      return source;
    }
    return undefined;
  }

  #crowded(): boolean {
    for (const run of this.runs.values()) if (run.crowded) return true;
    return false;
  }

  #idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#wakePump = resolve;
    });
  }

  #wake(): void {
    const wake = this.#wakePump;
    this.#wakePump = undefined;
    wake?.();
  }

  // ------------------------------------------------------------------ checkpoints

  #tick(): void {
    if (this.#barrier && this.clock.elapsed() - this.#barrier.started > this.patience.barrierMs) {
      const missing = [...this.runs.keys()].filter((id) => !this.#barrier!.states.has(id));
      this.problem = `a checkpoint has been waiting for ${missing.join(', ')} for ${Math.round((this.clock.elapsed() - this.#barrier.started) / 1000)} s`;
      this.#options.onChange();
    }
    if (this.#complete) return;
    this.#checkpointDue = true;
    this.#wake();
  }

  /** Between two batches, into all sources, idle and ended ones too. */
  #inject(): void {
    this.#checkpointDue = false;
    const last = this.#sources.every(({ ended }) => ended);
    const started = this.clock.elapsed();
    const barrier: Barrier = { epoch: this.#epoch, started, last, pause: 0, states: new Map(), commits: [] };
    this.#barrier = barrier;
    for (const source of this.#sources) source.barrier(barrier.epoch);
    barrier.pause = this.clock.elapsed() - started;
  }

  async #commit(barrier: Barrier): Promise<void> {
    const { epoch } = barrier;
    const nodes = new Map<string, Buffer>();
    for (const [id, state] of barrier.states) {
      if (state === undefined) continue;
      const { node } = this.runs.get(id)!;
      const began = this.clock.elapsed();
      nodes.set(id, encodeNode({ hash: node.hash, stateVersion: stateVersion(node), state }));
      barrier.pause = Math.max(barrier.pause, this.clock.elapsed() - began);
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    const at = this.clock.now();
    const began = this.clock.elapsed();
    const written = this.#store!.transaction(() => {
      this.#checkpoints!.write(epoch, at, nodes);
      for (const commit of barrier.commits) commit();
    });
    barrier.pause = Math.max(barrier.pause, this.clock.elapsed() - began);
    killAt('mid_checkpoint');
    await written;
    this.#epoch = epoch + 1;
    this.#barrier = null;
    this.checkpoint = { epoch, at, pauseMs: barrier.pause };
    this.#options.metrics.checkpoint(
      this.#options.topology.id,
      (this.clock.elapsed() - barrier.started) / 1000,
      barrier.pause / 1000,
    );
    if (this.problem !== null) {
      this.problem = null;
      this.#options.onChange();
    }
    if (barrier.last) {
      this.#complete = true;
      this.#finish();
    }
    this.#wake();
  }

  /** Of all that was taken in. Resolves also where it cannot be had in time: the next start recovers. */
  async #lastCheckpoint(): Promise<void> {
    const deadline = this.clock.elapsed() + 3 * this.patience.barrierMs;
    const late = () => this.#failed || this.clock.elapsed() > deadline;
    while (!late() && (this.#sources.some((source) => source.waiting) || this.#barrier)) await turn();
    if (late()) {
      this.#options.log.warn(
        'stopped without a checkpoint: what was taken in since the last one is read again at the next start',
      );
      return;
    }
    this.#inject();
    while (!late() && this.#barrier !== null) await turn();
  }

  // ------------------------------------------------------------------ failures

  #bury(run: NodeRun, stage: string, code: string, reason: string, record: unknown): void {
    const second = Math.floor(this.clock.elapsed() / 1000);
    if (second !== this.#lettersSecond) {
      this.#lettersSecond = second;
      this.#lettersLeft = LETTERS_A_SECOND;
    }
    if (this.#lettersLeft-- <= 0) {
      run.meter.count('dead_letters_not_kept_total', 1);
      return;
    }
    const kept = isData(record) ? toPortable(record, this.links) : record;
    this.#letters?.add({
      node: run.id,
      stage,
      code,
      reason,
      record: kept,
      at: this.clock.now(),
      epoch: this.#epochOf(run),
    });
  }

  /** The epoch that a node is in: it has passed the barrier under way or not. */
  #epochOf(run: NodeRun): number {
    return this.#barrier?.states.has(run.id) ? this.#epoch + 1 : this.#epoch;
  }

  #giveUp(error: Error, final: boolean): void {
    if (this.#failed) return;
    this.#failed = true;
    this.#failure = error;
    this.#pumpEnds = true;
    this.#wake();
    this.#options.onFailure(error, final);
  }

  async #close(id: string, instance: Source | Operator | Sink): Promise<void> {
    try {
      await instance.close?.();
    } catch (error) {
      this.#options.log.warn('a node did not close', { node: id, error: text(error) });
    }
  }

  #nodes(kind: CheckedNode['component']['kind']): readonly CheckedNode[] {
    return this.#options.topology.nodes.filter(({ component }) => component.kind === kind);
  }
}

interface Barrier {
  readonly epoch: number;
  readonly started: number;
  /** All input has ended before it. */
  readonly last: boolean;
  /** The longest that the pump stood still at a time, milliseconds. */
  pause: number;
  readonly states: Map<string, State>;
  readonly commits: (() => void)[];
}

const stateVersion = ({ component }: CheckedNode): number =>
  component.kind === 'operator' ? (component.stateVersion ?? 1) : 1;

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 2));

/** Waits for all, `ms` at most. Gives the indices of those that have not come; rejects with the first that rejects. */
async function withinTime(works: readonly Promise<void>[], ms: number): Promise<readonly number[]> {
  const late = new Set(works.keys());
  const all = Promise.all(
    works.map(async (work, index) => {
      await work;
      late.delete(index);
    }),
  );
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    await Promise.race([all, limit]);
  } finally {
    clearTimeout(timer);
  }
  return [...late];
}

async function rewind(node: CheckedNode, sink: Sink, epoch: number): Promise<void> {
  if (!sink.rewind) throw new Error(`its recovery is rewind, but ${node.component.name} has no rewind`);
  await sink.rewind(epoch);
}

/** An error that says which node it came from. */
async function named<T>(node: CheckedNode, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? { code: error.code } : {};
    throw Object.assign(
      new Error(`${node.id} (${node.component.name}): ${text(error)}`, { cause: error }),
      code,
    );
  }
}

const isData = (record: unknown): record is Data =>
  typeof record === 'object' && record !== null && 'port' in record;

const text = (error: unknown) => (error instanceof Error ? error.message : String(error));
