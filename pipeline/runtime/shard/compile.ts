import { filter, merge, Subject, type Observable } from 'rxjs';
import { makesPoses } from '../../component/index.js';
import type { CheckedNode, CheckedTopology } from '../../config/topology/topology.js';
import type { Data } from '../../model/index.js';
import type { Checkpoint } from '../../state/index.js';
import type { Anonymiser } from '../privacy/anonymise.js';
import { asynchronous } from '../stages/async-stage.js';
import { stateHash, stateVersion } from '../checkpoints/barriers.js';
import type { Host, NodeRun } from '../nodes/host.js';
import type { Nodes } from '../nodes/nodes.js';
import type { ChainThread } from '../threads/chain-thread.js';
import { inputFor, passes } from '../signals/edges.js';
import { synchronous, type OperatorSnapshot } from '../stages/operator-stage.js';
import type { Shedding } from '../stages/shedding/load-shedder.js';
import type { DataSignal, Signal, Stage, Stream } from '../signals/signal.js';
import type { SinkStage } from '../stages/sink/sink-stage.js';
import type { SourceStage } from '../stages/source-stage.js';

export interface Compiled {
  readonly sources: readonly SourceStage[];
  readonly sinks: readonly SinkStage[];
  /** Replays a record to a node; false if no such node takes such records. */
  readonly replay: (node: string, data: Data) => boolean;
}

export interface CompileOptions {
  readonly topology: CheckedTopology;
  readonly nodes: Nodes;
  readonly host: Host;
  /** The state from which nodes resume. */
  readonly last: Checkpoint;
  /** Null: sinks receive records unchanged. */
  readonly anonymiser: Anonymiser | null;
  readonly source: (run: NodeRun, snapshot: unknown) => SourceStage;
  /**
   * Shedding of an asynchronous node; null: it sheds nothing. `after`: records that the last checkpoint covers;
   * null: it starts without state.
   */
  readonly shedding: (run: NodeRun, after: number | null) => Shedding | null;
  /** `snapshot`: from the last checkpoint, for any configuration. */
  readonly sink: (run: NodeRun, snapshot: unknown) => SinkStage;
  readonly threads: readonly ChainThread[];
  /** Monotonic arrival time, milliseconds, of the input behind each pose frame that leaves its node. */
  readonly onPose: (received: number) => void;
}

/** Nodes as RxJS chains. Edges pass the ports that they name, and all marks. */
export function compile(options: CompileOptions): Compiled {
  const { topology, nodes, last } = options;
  const streams = new Map<string, Observable<Signal>>();
  const sources: SourceStage[] = [];
  const sinks: SinkStage[] = [];
  const replays = new Map<string, (data: Data) => boolean>();
  const threads = threadOf(options);
  for (const node of topology.nodes) {
    const run = nodes.runs.get(node.id)!;
    const snapshot = snapshotOf(node, last);
    if (node.component.kind === 'source') {
      const stage = options.source(run, snapshot);
      sources.push(stage);
      streams.set(node.id, stage.stream);
    } else if (node.component.kind === 'sink') {
      const stage = options.sink(run, last.nodes.get(node.id)?.state);
      sinks.push(stage);
      const shown = anonymous(options);
      inputOf(node, streams).subscribe((signal) => {
        stage.next(shown(signal));
      });
      replays.set(node.id, (data) => {
        if (!inputFor(node, data)) return false;
        stage.replay(data);
        return true;
      });
    } else if (threads.has(node.id)) {
      const thread = threads.get(node.id)!;
      thread.restore(node.id, snapshot as OperatorSnapshot | undefined);
      streams.set(node.id, thread.output(node.id));
      replays.set(
        node.id,
        replayTo(node, options.host, (signal) => {
          thread.replay(node.id, signal);
        }),
      );
    } else {
      const stage = stageOf(run, options, snapshot as OperatorSnapshot | undefined);
      // A subject runs the node once for all its readers.
      const output = new Subject<Signal>();
      streams.set(node.id, output);
      const again = new Subject<Signal>();
      merge(inputOf(node, streams), again).pipe(stage).subscribe(output);
      replays.set(
        node.id,
        replayTo(node, options.host, (signal) => {
          again.next(signal);
        }),
      );
    }
    if (node.component.kind === 'operator' && makesPoses(node.component))
      tellPoses(streams.get(node.id)!, options.onPose);
  }
  begin(options.threads, streams);
  return { sources, sinks, replay: (node, data) => replays.get(node)?.(data) ?? false };
}

/** Replays a record to an operator; false if it does not take such records. */
const replayTo =
  (node: CheckedNode, { clock }: Host, give: (signal: DataSignal) => void) =>
  (data: Data): boolean => {
    const input = inputFor(node, data);
    if (!input) return false;
    give({ kind: 'data', data, from: input.from, received: clock.elapsed() });
    return true;
  };

function begin(threads: readonly ChainThread[], streams: ReadonlyMap<string, Stream>): void {
  for (const thread of threads) {
    thread.begin();
    for (const source of thread.sources)
      streams.get(source)!.subscribe((signal) => {
        thread.take(signal);
      });
  }
}

/** By the nodes that run there. */
const threadOf = ({ topology, threads }: CompileOptions): ReadonlyMap<string, ChainThread> =>
  new Map(
    topology.nodes.flatMap(({ id }) => {
      const thread = threads.find((one) => one.runs(id));
      return thread ? [[id, thread] as const] : [];
    }),
  );

/**
 * The part of a signal that a sink receives. Live viewers can record it, so a live feed shows no more than a
 * store.
 */
const anonymous =
  ({ anonymiser }: CompileOptions): ((signal: Signal) => Signal) =>
  (signal) =>
    anonymiser && signal.kind === 'data' ? { ...signal, data: anonymiser.apply(signal.data) } : signal;

/** State of a node in the last checkpoint, if it fits the present node. */
export function snapshotOf(node: CheckedNode, last: Checkpoint): unknown {
  const found = last.nodes.get(node.id);
  const same = found?.hash === stateHash(node) || found?.hash === node.hash;
  return same && found.stateVersion === stateVersion(node) ? found.state : undefined;
}

const inputOf = (node: CheckedNode, streams: ReadonlyMap<string, Observable<Signal>>): Stream =>
  merge(...node.inputs.map((edge) => streams.get(edge.from)!.pipe(filter((signal) => passes(edge, signal)))));

function stageOf(run: NodeRun, options: CompileOptions, snapshot: OperatorSnapshot | undefined): Stage {
  const { nodes, host, last } = options;
  const operator = nodes.operator(run.id);
  const { component, config } = run.node;
  if (component.kind !== 'operator' || component.asynchronous === undefined)
    return synchronous(run, operator, host, snapshot);
  // State that is dropped: its records were numbered by a node that no longer exists.
  const none = last.nodes.has(run.id) ? null : 0;
  const shedding = options.shedding(run, snapshot ? (snapshot.records ?? 0) : none);
  const most = component.asynchronous.maxInFlight(config as never);
  return asynchronous(run, operator, host, snapshot, most, shedding);
}

function tellPoses(output: Stream, onPose: (received: number) => void): void {
  output.subscribe((signal) => {
    if (signal.kind === 'data' && signal.data.port === 'pose') onPose(signal.received);
  });
}
