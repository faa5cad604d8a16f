import type { AnySource, Context, Partition, Source } from '../../component/index.js';
import { DEFAULT_MAX_LAG_MS, type CheckedTopology } from '../../config/topology/topology.js';
import type { LinkTable } from '../../model/index.js';
import type { Checkpoint, Journal, Outbox, ShardState, ShedLog } from '../../state/index.js';
import type { Log } from '../../telemetry/log.js';
import type { Metrics } from '../../telemetry/metrics.js';
import type { ArrivalClock } from './arrival-clock.js';
import { Barriers } from '../checkpoints/barriers.js';
import { ClockJumps } from './clock-jumps.js';
import { compile, type Compiled } from './compile.js';
import { Replays } from '../dead-letters/replays.js';
import type { Host, NodeRun, Patience } from '../nodes/host.js';
import type { Nodes } from '../nodes/nodes.js';
import { anonymiserOf } from '../privacy/privacy.js';
import { Retention } from '../privacy/retention.js';
import { Pump } from '../stages/pump.js';
import { Busiest } from '../stages/shedding/busiest.js';
import type { Shedding } from '../stages/shedding/load-shedder.js';
import type { SinkConnection, SinkSnapshot } from '../stages/sink/sink-connection.js';
import type { ChainThread } from '../threads/chain-thread.js';
import { SinkStage } from '../stages/sink/sink-stage.js';
import { SourceStage, type SourceShedding } from '../stages/source-stage.js';

/** Default of the topology. */
const OUTBOX_LIMIT_BYTES = 2 ** 30;

export interface DataflowOptions {
  readonly topology: CheckedTopology;
  readonly links: LinkTable;
  readonly clock: Context['clock'];
  readonly log: Log;
  readonly metrics: Metrics;
  readonly patience: Patience;
  /** The source's input in a scaled-out topology. */
  readonly partition?: Partition;
  readonly onLatency: (milliseconds: number) => void;
  readonly onChange: () => void;
  /** All input has ended, and the last barrier has passed. */
  readonly onEnd: () => void;
  readonly host: Host;
  readonly nodes: Nodes;
  readonly arrival: ArrivalClock;
  /** By sink. */
  readonly connections: ReadonlyMap<string, SinkConnection>;
  readonly outboxes: ReadonlyMap<string, Outbox>;
  readonly state: ShardState;
  /** The state from which it resumes. */
  readonly last: Checkpoint;
  readonly settledNow: () => number;
  readonly threads: readonly ChainThread[];
}

/** The stages of a run, from sources to sinks, and what moves them: pump, barriers, replays, jumps of the clock. */
export class Dataflow {
  readonly #options: DataflowOptions;
  readonly #settings: CheckedTopology['settings'];
  readonly #journals: Journal[] = [];
  readonly #shedLogs: ShedLog[] = [];
  readonly sources: readonly SourceStage[];
  readonly sinks: readonly SinkStage[];
  readonly replay: Compiled['replay'];
  readonly replays: Replays;
  readonly barriers: Barriers;
  readonly retention: Retention;
  readonly jumps: ClockJumps;
  readonly pump: Pump;

  constructor(options: DataflowOptions) {
    const { topology, clock, nodes, host, state, settledNow, log } = options;
    this.#options = options;
    this.#settings = topology.settings;
    const { sources, sinks, replay } = this.#compile();
    this.sources = sources;
    this.sinks = sinks;
    this.replay = replay;
    this.replays = new Replays(state.letters, options.links, clock);
    this.barriers = this.#makeBarriers();
    this.retention = new Retention({
      settings: this.#settings,
      clock,
      settledNow,
      letters: state.letters,
      sinks,
      log,
    });
    this.jumps = this.#makeJumps();
    this.pump = new Pump(sources, nodes.runs, this.barriers, host.gate, clock, () => {
      this.jumps.jumped();
    });
  }

  /** Sinks take records from now on; sources are opened, and the pump runs, after it. */
  begin(): void {
    this.jumps.begin();
    for (const sink of this.sinks) sink.start();
  }

  #compile(): Compiled {
    const { topology, nodes, host, last, clock, onLatency, threads } = this.#options;
    return compile({
      topology,
      nodes,
      host,
      last,
      anonymiser: anonymiserOf(topology.settings),
      threads,
      source: (run, snapshot) => this.#sourceStage(run, snapshot),
      shedding: (run, after) => this.#sheddingOf(run, after),
      sink: (run, snapshot) => this.#sinkStage(run, snapshot),
      onPose: (received) => {
        onLatency(clock.elapsed() - received);
      },
    });
  }

  #sourceStage(run: NodeRun, snapshot: unknown): SourceStage {
    const { nodes, host, state, partition, threads } = this.#options;
    const journal = this.#isJournalled(run) ? state.journal(run.id, this.#fail) : null;
    if (journal) this.#journals.push(journal);
    return new SourceStage(
      run,
      readFrom(nodes.source(run.id), partition),
      host,
      journal,
      this.#wake,
      (origin) => {
        nodes.setOrigin(run.id, origin);
        for (const thread of threads) thread.setOrigin(run.id, origin);
      },
      snapshot,
      this.#sourceSheddingOf(run),
    );
  }

  #sinkStage(run: NodeRun, snapshot: unknown): SinkStage {
    const { nodes, host, state, connections, outboxes, last } = this.#options;
    const store = {
      outbox: outboxes.get(run.id)!,
      sent: state.sent(run.id),
      live: nodes.of('source').some(({ component }) => !(component as AnySource).replayable),
      outboxLimitBytes: this.#settings.outboxLimitBytes ?? OUTBOX_LIMIT_BYTES,
      journalled: () => this.#journalled(),
    };
    const connection = connections.get(run.id)!;
    return new SinkStage(run, connection, host, store, last.epoch, snapshot as SinkSnapshot | undefined);
  }

  #makeBarriers(): Barriers {
    const { topology, nodes, state, last, clock, metrics, patience, onChange, onEnd } = this.#options;
    return new Barriers({
      runs: nodes.runs,
      sources: this.sources,
      state,
      committed: last.epoch,
      clock,
      patience,
      onInject: () => this.replays.barrier(),
      wake: this.#wake,
      onChange,
      onCheckpoint: ({ pauseMs, epoch }, seconds) => {
        this.jumps.committed(epoch);
        metrics.checkpoint(topology.id, seconds, pauseMs / 1000);
      },
      onEnd,
      onFailure: this.#fail,
    });
  }

  #makeJumps(): ClockJumps {
    const { topology, arrival, log, onChange } = this.#options;
    return new ClockJumps({
      arrival,
      sources: this.sources,
      log: log.child({ topology: topology.id }),
      secure: () => {
        this.barriers.ask();
      },
      epochOf: ({ run }) => this.barriers.epochOf(run),
      onChange,
    });
  }

  readonly #wake = (): void => {
    // Stages are made before the pump.
    (this.pump as Pump | undefined)?.wake();
  };

  readonly #fail = (error: Error): void => {
    this.#options.host.fail(error);
  };

  #isJournalled(run: NodeRun): boolean {
    return !(run.node.component as AnySource).replayable && this.#settings.journal;
  }

  /** Recordings and brokers wait. */
  #sourceSheddingOf(run: NodeRun): SourceShedding | null {
    const { maxLagMs = DEFAULT_MAX_LAG_MS } = this.#settings;
    if (maxLagMs === null || (run.node.component as AnySource).replayable) return null;
    const busiest = new Busiest(this.#options.nodes.runs);
    return { maxLagMs, busiest: () => busiest.node };
  }

  /** If everything a node receives is lost when late. Recordings and brokers can wait. */
  #sheddingOf(run: NodeRun, after: number | null): Shedding | null {
    const { topology, nodes, state } = this.#options;
    const { maxLagMs = DEFAULT_MAX_LAG_MS, journal } = this.#settings;
    if (maxLagMs === null || isReplayable(topology, run.id)) return null;
    const isOverloaded = () => [...nodes.runs.values()].some(({ problems }) => problems.has('overloaded'));
    if (!journal) return { maxLagMs, log: null, isOverloaded };
    const log = state.shedLog(run.id, after, this.#fail);
    this.#shedLogs.push(log);
    return { maxLagMs, log, isOverloaded };
  }

  #journalled(): Promise<void> | undefined {
    const waits = [
      ...this.#journals.map((journal) => journal.durable()),
      ...this.#shedLogs.map((log) => log.durable()),
    ].filter((wait) => wait !== undefined);
    return waits.length === 0 ? undefined : Promise.all(waits).then(() => undefined);
  }
}

/** Part of a node's input can be read again. */
function isReplayable(topology: CheckedTopology, id: string): boolean {
  const { component, inputs } = topology.nodes.find((node) => node.id === id)!;
  if (component.kind === 'source') return component.replayable;
  return inputs.some(({ from }) => isReplayable(topology, from));
}

/** The source itself, reading the partition. */
function readFrom(source: Source, partition: Partition | undefined): Source {
  if (!partition) return source;
  return {
    open: (position, output) => partition.read(position, output),
    decode: (raw) => source.decode!(raw),
    snapshot: () => source.snapshot?.(),
    restore: (state) => source.restore?.(state),
  };
}
