import {
  timingOf,
  type Component,
  type Context,
  type LiveFeed,
  type Operator,
  type Partition,
  type Reader,
  type State,
} from '../../component/index.js';
import {
  DEFAULT_CLOCK_JUMP_MS,
  DEFAULT_LATE_AFTER_MS,
  type CheckedTopology,
} from '../../config/topology/topology.js';
import type { Failure, LinkTable } from '../../model/index.js';
import {
  LocalState,
  type Checkpoint,
  type DeadLetters,
  type NewLetter,
  type Outbox,
  type ShardState,
} from '../../state/index.js';
import type { Log } from '../../telemetry/log.js';
import type { Metrics } from '../../telemetry/metrics.js';
import type { Tracer } from '../../telemetry/traces/index.js';
import type { CheckpointFigures } from '../checkpoints/barriers.js';
import { snapshotOf } from './compile.js';
import { Dataflow } from './dataflow.js';
import { copyStores } from '../checkpoints/copies.js';
import { ArrivalClock } from './arrival-clock.js';
import { Failures } from '../dead-letters/failures.js';
import { Gate } from '../nodes/gate.js';
import type { Host, NodeRun, Patience } from '../nodes/host.js';
import { Lateness } from './lateness.js';
import { Nodes } from '../nodes/nodes.js';
import { openStateOf } from '../privacy/privacy.js';
import type { Run } from './run.js';
import type { NotReplayed } from '../dead-letters/letter-desk.js';
import { SettledNow } from '../privacy/settled-time.js';
import { SinkConnection, type SinkSnapshot } from '../stages/sink/sink-connection.js';
import { ChainThread } from '../threads/chain-thread.js';
import { chainsOf } from '../threads/chains.js';
import type { SourceStage } from '../stages/source-stage.js';
import { errorText } from '../../base/error-text.js';
import { turn, withinTime } from '../../base/waiting.js';
import { named } from '../nodes/node-error.js';

/** Logs a failure during a stop. Nothing is recovered then: the topology is to end anyway. */
export function logFailedAtStop(log: Log, topology: string, { message }: Error): void {
  log.error(
    'a node failed while the topology stopped: the next start continues from the last checkpoint, and repeats what the node did not do',
    { topology, error: message },
  );
}

/** Interval of checks of the clock and of late results. */
const WATCH_MS = 250;

export interface ShardOptions {
  readonly topology: CheckedTopology;
  readonly links: LinkTable;
  readonly clock: Context['clock'];
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tracer: Tracer | null;
  readonly patience: Patience;
  /** It must be recovered from its last checkpoint. Called once. */
  readonly onFailure: (error: Error, final: boolean) => void;
  readonly onStep: (step: string, progress: number) => void;
  readonly onLatency: (milliseconds: number) => void;
  readonly onChange: () => void;
  /** The source's input in a scaled-out topology. */
  readonly partition?: Partition;
  /** Default: in the topology's state folder. */
  readonly openState?: () => ShardState;
}

/**
 * One run of a topology, from its last checkpoint: the order in which its parts are opened, joined to a
 * {@link Dataflow} and closed again. It is used once: each start creates a new shard.
 */
export class Shard implements Host, Run {
  readonly clock: Context['clock'];
  readonly links: LinkTable;
  readonly #arrival: ArrivalClock;
  readonly gate: Gate;
  readonly settings: CheckedTopology['settings'];
  readonly patience: Patience;
  readonly readers = new Map<string, Reader>();
  readonly feeds = new Map<string, LiveFeed>();
  readonly #options: ShardOptions;
  readonly #threads: readonly ChainThread[];
  readonly #nodes: Nodes;
  readonly #failures: Failures;
  readonly #abort = new AbortController();
  readonly #opens: Promise<void>[] = [];
  readonly #connections = new Map<string, SinkConnection>();
  #state: ShardState | undefined;
  /** From its start on, once everything but the sources is open. */
  #flow: Dataflow | undefined;
  #settled: SettledNow | undefined;
  #pumping: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #watch: NodeJS.Timeout | undefined;
  #stopping: Promise<void> | undefined;
  #stopMs: number;
  #forced = false;
  #failed = false;
  #failure: Error | undefined;
  #finish: () => void = () => undefined;
  /** Resolves when all input has ended and the last barrier has passed. */
  readonly finished: Promise<void>;

  constructor(options: ShardOptions) {
    const { topology, links, clock, metrics } = options;
    this.#options = options;
    this.clock = clock;
    this.links = links;
    this.settings = topology.settings;
    this.patience = options.patience;
    this.#stopMs = options.patience.stopMs;
    this.gate = new Gate(
      () => clock.elapsed(),
      (node, seconds) => {
        metrics.node(topology.id, node).gateClosedSeconds += seconds;
      },
    );
    this.gate.onOpen(() => {
      this.#flow?.pump.wake();
    });
    this.finished = new Promise((resolve) => {
      this.#finish = resolve;
    });
    this.#arrival = new ArrivalClock(clock, topology.settings.clockJumpMs ?? DEFAULT_CLOCK_JUMP_MS);
    this.#threads = this.#makeThreads();
    this.#nodes = new Nodes({
      ...options,
      elsewhere: (node) => this.#threads.find((thread) => thread.runs(node.id))?.operator(node),
      arrival: this.#arrival,
      transaction: options.partition?.transaction,
      partitionNumber: options.partition?.number,
      settledNow: () => this.#settled!.now(),
      onRefused: (run, failures) => {
        this.failures(run, 'deliver', failures);
        this.#flow?.sinks.find((sink) => sink.run === run)?.takeBack(failures);
      },
    });
    this.#failures = new Failures({
      settings: this.settings,
      links,
      clock,
      store: (letter) => this.#storeLetter(letter),
      failedAgain: (record, code, reason) => this.#flow?.replays.failed(record, code, reason) ?? false,
      epochOf: (run) => this.#flow?.barriers.epochOf(run) ?? 0,
      onDegraded: options.onChange,
      onTooMany: (error) => {
        this.#giveUp(error, true);
      },
    });
  }

  due(): number {
    return this.#nodes.due();
  }

  get runs(): ReadonlyMap<string, NodeRun> {
    return this.#nodes.runs;
  }

  get checkpoint(): CheckpointFigures | null {
    return this.#flow?.barriers.checkpoint ?? null;
  }

  /** Why checkpoints fail. */
  get problem(): string | null {
    return this.#flow?.barriers.problem ?? null;
  }

  /**
   * Restores the last checkpoint, rewinds, opens everything, and resumes reading. Rejects with the error that
   * prevented it, after closing everything.
   */
  async start(): Promise<void> {
    try {
      await this.#start();
    } catch (error) {
      await this.stop(false);
      throw error;
    }
  }

  /** @param save takes a checkpoint of the accepted input first @param force does not wait for a node that hangs */
  stop(save: boolean, force = false): Promise<void> {
    if (force) {
      this.#stopMs = this.patience.forcedStopMs;
      this.#forced = true;
    }
    this.#stopping ??= this.#stop(save);
    return this.#stopping;
  }

  async #stop(save: boolean): Promise<void> {
    const { onStep } = this.#options;
    clearInterval(this.#timer);
    clearInterval(this.#watch);
    this.#abort.abort();
    const { sources = [], sinks = [] } = this.#flow ?? {};
    for (const source of sources) source.close();
    if (save && !this.#failed) {
      onStep('data_pipeline_stop', 0.2);
      await this.#lastCheckpoint();
    }
    this.#failed = true;
    this.#flow?.barriers.abandon();
    this.#flow?.pump.end();
    await this.#pumping;
    onStep('data_pipeline_stop', 0.6);
    await this.#inTime(
      sinks.map((sink) => ({ node: sink.run.id, work: sink.end() })),
      'writing',
    );
    await this.#inTime(
      sources.map(({ run }, index) => ({ node: run.id, work: this.#opens[index] })),
      'reading',
    );
    onStep('data_pipeline_stop', 1);
    onStep('model_unloading', 0);
    for (const connection of this.#connections.values()) await connection.end();
    for (const node of this.#nodes.made)
      await this.#inTime([{ node, work: this.#nodes.close(node) }], 'closing');
    onStep('model_unloading', 1);
    await this.#state?.close();
    this.#nodes.forget();
    for (const run of this.runs.values()) run.status = 'stopped';
  }

  describe(node: string): Readonly<Record<string, unknown>> {
    return this.#nodes.describe(node);
  }

  operator(node: string): Operator | undefined {
    return this.#stopping ? undefined : this.#nodes.operator(node);
  }

  deadLetters(): DeadLetters | undefined {
    // Not readable while it stops: the store is being closed.
    return this.#stopping ? undefined : this.#state?.letters;
  }

  replayAsked(): readonly NotReplayed[] {
    if (!this.#state || !this.#flow) return [];
    const { replays, replay } = this.#flow;
    return replays.replay(this.#state.letters.asked(this.#state.partition), replay);
  }

  adjust(topology: CheckedTopology): void {
    this.#nodes.adjust(topology);
    for (const thread of this.#threads) thread.adjust(topology);
  }

  async copyTo(folder: string): Promise<void> {
    await this.#state?.copyTo?.(folder);
    await copyStores(this.#nodes, folder);
  }

  // ------------------------------------------------------------------ as the host of its stages

  failures(run: NodeRun, stage: string, failed: readonly Failure[]): void {
    this.#failures.report(run, stage, failed);
  }

  passed(run: NodeRun, epoch: number, state: State, commit?: () => void, committed?: () => void): void {
    // A node that could not continue may have passed its barrier with half of a change.
    if (!this.#failed) this.#flow?.barriers.passed(run, epoch, state, commit, committed);
  }

  fail(error: Error, final = false): void {
    this.#giveUp(error, final);
  }

  #giveUp(error: Error, final: boolean): void {
    // What fails after the first failure may follow from it.
    if (this.#failure) return;
    this.#failed = true;
    this.#flow?.pump.end();
    if (this.#stopping) {
      logFailedAtStop(this.#options.log, this.#options.topology.id, error);
      return;
    }
    this.#failure = error;
    this.#options.onFailure(error, final);
  }

  // ------------------------------------------------------------------ start

  /** Spans of traces and partitions of a scaled-out topology stay on this thread. */
  #makeThreads(): readonly ChainThread[] {
    const { topology, log, tracer, partition } = this.#options;
    const chains = partition === undefined ? chainsOf(topology) : [];
    if ((topology.settings.threads ?? 0) > 0 && partition === undefined && chains.length === 0)
      log.warn('`settings.threads` has no effect: no operator behind a source can run in a thread', {
        topology: topology.id,
      });
    if (tracer !== null && chains.length > 0) {
      log.info('`settings.threads` has no effect while frames are traced', { topology: topology.id });
      return [];
    }
    return chains.map(
      (nodes) => new ChainThread({ topology, nodes, host: this, runs: () => this.runs, log }),
    );
  }

  async #start(): Promise<void> {
    const { topology, onStep, openState, partition, log } = this.#options;
    onStep('hardware_initialization', 0);
    this.#state = openState?.() ?? new LocalState(await openStateOf(topology.id, this.settings, log));
    this.#settled = new SettledNow(this.clock, this.#state.settled, log.child({ topology: topology.id }));
    onStep('hardware_initialization', 0.5);
    const last = await this.#lastOrFirst(this.#state);
    // Partitions have separate epochs, so none of them can rewind the letters of the process.
    if (!partition) await this.#state.letters.rewind(last.epoch);
    this.#requireGoing();
    this.#nodes.create();
    onStep('hardware_initialization', 1);

    onStep('model_loading', 0);
    const outboxes = await this.#openNodes(this.#state, last);
    this.#requireGoing();
    onStep('model_loading', 1);

    onStep('data_pipeline_start', 0);
    const flow = this.#join(this.#state, last, outboxes);
    onStep('data_pipeline_start', 0.5);
    this.#pumping = flow.pump.run().catch((error: unknown) => {
      this.fail(new Error(`the pump failed: ${errorText(error)}`, { cause: error }));
    });
    await this.#openSources(flow.sources);
    this.#requireGoing();
    this.#timer = setInterval(() => {
      flow.barriers.tick();
      flow.retention.tick();
    }, this.settings.checkpointIntervalMs);
    this.#watchTime(flow);
    for (const run of this.runs.values()) run.status = 'active';
    onStep('data_pipeline_start', 1);
  }

  /** A topology of recordings only has no deadlines. */
  #watchTime({ jumps }: Dataflow): void {
    if (!this.#nodes.of('source').some(({ component, config }) => isLive(component, config))) return;
    const lateness = new Lateness({
      nodes: this.#options.topology.nodes,
      runs: this.runs,
      limitMs: this.settings.lateAfterMs ?? DEFAULT_LATE_AFTER_MS,
      isPartition: this.#options.partition !== undefined,
      shutFor: (node) => this.gate.shutFor(node),
      now: () => this.#arrival.now(),
      elapsed: () => this.clock.elapsed(),
      onChange: this.#options.onChange,
    });
    this.#watch = setInterval(() => {
      jumps.check();
      lateness.check();
    }, WATCH_MS);
  }

  /**
   * Throws if it was stopped meanwhile, which closes its state. @throws the error that has occurred since, or
   * one for the abandoned start
   */
  #requireGoing(): void {
    if (this.#failure) throw this.#failure;
    if (this.#stopping) throw new Error('it was stopped during its start');
  }

  /**
   * The last checkpoint. A new store begins with an epoch that no earlier store of this topology used (the
   * seconds since 1970), so that rewinding never deletes rows from before the store was lost.
   */
  async #lastOrFirst(state: ShardState): Promise<Checkpoint> {
    const last = state.last();
    if (last) return last;
    const first = { epoch: Math.floor(this.clock.now() / 1e6), at: this.clock.now(), nodes: new Map() };
    await state.commit({ ...first, positions: new Map() }, []);
    return first;
  }

  /** Models load in threads of their own, while stores and outboxes open. Throws once nothing is opening any more. */
  async #openNodes(state: ShardState, last: Checkpoint): Promise<ReadonlyMap<string, Outbox>> {
    const operators = this.#openOperators();
    const [stores, models] = await Promise.allSettled([this.#openStores(state, last), operators]);
    if (stores.status === 'rejected') throw stores.reason;
    if (models.status === 'rejected') throw models.reason;
    return stores.value;
  }

  async #openStores(state: ShardState, last: Checkpoint): Promise<ReadonlyMap<string, Outbox>> {
    await this.#openSinks(last);
    const outboxes = new Map(this.#nodes.of('sink').map(({ id }) => [id, state.outbox(id)]));
    for (const outbox of outboxes.values()) await outbox.rewind(last.epoch);
    return outboxes;
  }

  /** Continues without stores that are offline. */
  async #openSinks(last: Checkpoint): Promise<void> {
    for (const node of this.#nodes.of('sink')) {
      const sink = this.#nodes.sink(node.id);
      if (sink.reseal) await named(node, sink.reseal());
      this.#requireGoing();
      const connection = new SinkConnection({
        run: this.runs.get(node.id)!,
        host: this,
        sink,
        renew: () => this.#nodes.renewSink(node.id),
        committed: last.epoch,
        snapshot: snapshotOf(node, last) as SinkSnapshot | undefined,
        onOpen: ({ reader, feed }) => {
          if (reader) this.readers.set(node.id, reader);
          if (feed) this.feeds.set(node.id, feed);
        },
      });
      this.#connections.set(node.id, connection);
      await named(node, connection.open());
    }
  }

  async #openOperators(): Promise<void> {
    const nodes = this.#nodes.of('operator');
    let opened = 0;
    for (const node of nodes) {
      const operator = this.#nodes.operator(node.id);
      if (operator.open) await named(node, operator.open());
      this.#options.onStep('model_loading', ++opened / nodes.length);
    }
  }

  /** The dataflow, from the last checkpoint, between open sinks and operators. */
  #join(state: ShardState, last: Checkpoint, outboxes: ReadonlyMap<string, Outbox>): Dataflow {
    const flow = new Dataflow({
      ...this.#options,
      host: this,
      nodes: this.#nodes,
      arrival: this.#arrival,
      connections: this.#connections,
      outboxes,
      state,
      last,
      settledNow: () => this.#settled!.now(),
      threads: this.#threads,
      onEnd: this.#finish,
    });
    this.#flow = flow;
    flow.begin();
    this.replayAsked();
    return flow;
  }

  /** Waits until each source reports that it is open; rejects with the error that prevented it. */
  async #openSources(sources: readonly SourceStage[]): Promise<void> {
    const opened = sources.map((source) => {
      const open = source.open(this.#abort.signal);
      this.#opens.push(open);
      open.catch((error: unknown) => {
        if (isAbortBy(this.#abort.signal, error)) return;
        source.run.status = 'unavailable';
        source.run.problem = errorText(error);
        this.fail(new Error(`${source.run.id}: ${errorText(error)}`, { cause: error }));
      });
      return { node: source.run.id, work: Promise.race([source.ready, named(source.run.node, open)]) };
    });
    const late = await withinTime(
      opened.map(({ work }) => work),
      this.patience.openMs,
    );
    for (const index of late)
      this.#options.log.warn('a source has not reported that it is open', { node: opened[index]!.node });
  }

  /** Returns how many old letters were pushed out. */
  #storeLetter(letter: NewLetter): number {
    if (!this.#state) return 0;
    const { letters, partition } = this.#state;
    return letters.add(partition === undefined ? letter : { ...letter, partition });
  }

  // ------------------------------------------------------------------ stop

  /** A checkpoint of all accepted input. Also resolves if it takes too long: the next start recovers. */
  async #lastCheckpoint(): Promise<void> {
    if (!this.#flow) return;
    const { barriers, sources } = this.#flow;
    const deadline = this.clock.elapsed() + 3 * this.patience.barrierMs;
    const late = () => this.#failed || this.#forced || this.clock.elapsed() > deadline;
    while (!late() && (sources.some((source) => source.waiting) || barriers.underWay)) await turn();
    if (!late()) {
      barriers.inject();
      while (!late() && barriers.underWay) await turn();
      if (!barriers.underWay) return;
    }
    this.#options.log.warn(
      'stopped without a checkpoint: input since the last one is read again at the next start',
    );
  }

  /** Waits for nodes to end, within a time limit: a node that hangs is named and abandoned. */
  async #inTime(
    works: readonly { readonly node: string; readonly work: Promise<void> | undefined }[],
    doing: string,
  ): Promise<void> {
    const settled = works.map(async ({ work }) => {
      await Promise.allSettled([work]);
    });
    for (const index of await withinTime(settled, this.#stopMs))
      this.#options.log.error(`stopped without waiting for a node that is still ${doing}`, {
        node: works[index]!.node,
        after_ms: this.#stopMs,
      });
  }
}

/** What an `open` may reject with once its signal asks it to end: the reason, or an error that it caused, as Node's own functions do. */
const isAbortBy = ({ aborted, reason }: AbortSignal, error: unknown): boolean =>
  aborted && (error === reason || (error instanceof Error && error.cause === reason));

const isLive = (component: Component, config: object): boolean =>
  component.kind === 'source' && timingOf(component, config) === 'now';
