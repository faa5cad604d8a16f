import { filter, merge, Subject, type Observable } from 'rxjs';
import { makesPoses } from '../../component/index.js';
import type { CheckedNode, CheckedTopology, Edge } from '../../config/topology/topology.js';
import type { Data } from '../../model/index.js';
import type { Checkpoint } from '../../state/index.js';
import type { Anonymiser } from '../privacy/anonymise.js';
import { asynchronous } from '../stages/async-stage.js';
import { stateHash, stateVersion } from '../checkpoints/barriers.js';
import type { Host, NodeRun } from '../nodes/host.js';
import type { Nodes } from '../nodes/nodes.js';
import { synchronous, type OperatorSnapshot } from '../stages/operator-stage.js';
import type { Shedding } from '../stages/shedding/load-shedder.js';
import type { Signal, Stage, Stream } from '../signals/signal.js';
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
   * Of an asynchronous node; null: it sheds nothing. `after`: records that the last checkpoint covers; null:
   * it starts without state.
   */
  readonly shedding: (run: NodeRun, after: number | null) => Shedding | null;
  /** `snapshot`: from the last checkpoint, for any configuration. */
  readonly sink: (run: NodeRun, snapshot: unknown) => SinkStage;
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
    } else {
      const stage = stageOf(run, options, snapshot as OperatorSnapshot | undefined);
      // A subject runs the node once for all its readers.
      const output = new Subject<Signal>();
      streams.set(node.id, output);
      const again = new Subject<Signal>();
      merge(inputOf(node, streams), again).pipe(stage).subscribe(output);
      replays.set(node.id, (data) => {
        const input = inputFor(node, data);
        if (!input) return false;
        again.next({ kind: 'data', data, from: input.from, received: options.host.clock.elapsed() });
        return true;
      });
      if (makesPoses(node.component)) tellPoses(output, options.onPose);
    }
  }
  return { sources, sinks, replay: (node, data) => replays.get(node)?.(data) ?? false };
}

/**
 * The part of a signal that a sink receives. Live viewers can record it, so a live feed shows no more than a
 * store.
 */
const anonymous =
  ({ anonymiser }: CompileOptions): ((signal: Signal) => Signal) =>
  (signal) =>
    anonymiser && signal.kind === 'data' ? { ...signal, data: anonymiser.apply(signal.data) } : signal;

const inputFor = (node: CheckedNode, data: Data) =>
  node.inputs.find(({ ports }) => ports.includes(data.port));

/** State of a node in the last checkpoint, if it fits the present node. */
export function snapshotOf(node: CheckedNode, last: Checkpoint): unknown {
  const found = last.nodes.get(node.id);
  const same = found?.hash === stateHash(node) || found?.hash === node.hash;
  return same && found.stateVersion === stateVersion(node) ? found.state : undefined;
}

const inputOf = (node: CheckedNode, streams: ReadonlyMap<string, Observable<Signal>>): Stream =>
  merge(...node.inputs.map((edge) => streams.get(edge.from)!.pipe(filter((signal) => passes(edge, signal)))));

/** Marks pass every edge, and so do records of a node that is switched off: it names no route. */
const passes = ({ ports, routes }: Edge, signal: Signal): boolean =>
  signal.kind !== 'data' ||
  (ports.includes(signal.data.port) &&
    (!routes || signal.route === undefined || routes.includes(signal.route)));

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
