import { filter, merge, Subject } from 'rxjs';
import { Type } from 'typebox';
import { systemClock } from '../../base/clock.js';
import { errorText } from '../../base/error-text.js';
import type { Source } from '../../component/index.js';
import type { CheckedNode, CheckedTopology } from '../../config/topology/topology.js';
import { LinkTable, type Data, type Failure } from '../../model/index.js';
import { Gate } from '../nodes/gate.js';
import { PATIENCE, type Host, type NodeRun } from '../nodes/host.js';
import { Nodes } from '../nodes/nodes.js';
import { passes } from '../signals/edges.js';
import type { Signal } from '../signals/signal.js';
import { synchronous, type OperatorSnapshot } from '../stages/operator-stage.js';
import { ForwardedLog, ForwardedMeter } from './forwarded.js';
import { copiedAnswer, type Answer } from './copied.js';
import { Unpacker } from './transfer.js';
import type { FromThread, NodeUpdate, SentFailure, ThreadEvent, ThreadSetup, ToThread } from './messages.js';

/** Interval of the nodes' own reports, milliseconds. */
const DESCRIBE_MS = 1000;

/** The nodes of a thread: takes messages, and answers with what has happened. */
export class Chain {
  readonly #setup: ThreadSetup;
  readonly #post: (message: FromThread) => void;
  readonly #topology: CheckedTopology;
  readonly #nodes: Nodes;
  readonly #host: Host;
  readonly #meters: ReadonlyMap<string, ForwardedMeter>;
  readonly #inputs = new Map<string, Subject<Signal>>();
  readonly #again = new Map<string, Subject<Signal>>();
  /** Numbers of replayed records. */
  readonly #replayed = new WeakMap<object, number>();
  readonly #unpacker = new Unpacker();
  #events: ThreadEvent[] = [];
  #described = -Infinity;
  /** A node could not continue: nothing is taken any more, so no barrier passes with its state. */
  #failed = false;

  /** @param nodes those of the setup, with their components */
  constructor(setup: ThreadSetup, nodes: readonly CheckedNode[], post: (message: FromThread) => void) {
    this.#setup = setup;
    this.#post = post;
    this.#topology = topologyOf(setup, nodes);
    const links = new LinkTable(setup.environments);
    const report = (event: ThreadEvent) => {
      this.#events.push(event);
    };
    this.#meters = new Map(nodes.map(({ id }) => [id, new ForwardedMeter(setup.topology, id, report)]));
    const none = new Map<string, ForwardedMeter>();
    this.#nodes = new Nodes({
      topology: this.#topology,
      links,
      clock: systemClock,
      log: new ForwardedLog({}, report),
      metrics: {
        node: (topology, id) =>
          this.#meters.get(id) ??
          none.get(id) ??
          none.set(id, new ForwardedMeter(topology, id, report)).get(id)!,
      },
      tracer: null,
      onProblem: (node, text) => {
        report({ kind: 'problem', node, text });
      },
    });
    this.#nodes.create();
    this.#host = this.#makeHost(links, report);
  }

  /** Opens the nodes in turn, up to the first that cannot, and reports each. */
  async open(): Promise<void> {
    for (const { id: node } of this.#setup.nodes) {
      try {
        await this.#nodes.operator(node).open?.();
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? { code: error.code } : {};
        this.#post({ kind: 'not opened', node, message: errorText(error), ...code });
        return;
      }
      this.#post({ kind: 'opened', node });
    }
  }

  async close(): Promise<void> {
    for (const { id } of this.#setup.nodes) await this.#nodes.close(id);
    this.#send({ kind: 'closed', events: this.#taken() });
  }

  take(message: Exclude<ToThread, { kind: 'adjust' | 'close' }>): void {
    switch (message.kind) {
      case 'begin':
        this.#begin(message.snapshots);
        this.#answer('events');
        break;
      case 'signals':
        for (const signal of message.signals) {
          if (this.#failed) break;
          this.#inputs.get(signal.from)!.next(this.#unpacker.unpack(signal));
        }
        this.#answer('done');
        break;
      case 'replay':
        if (message.signal.kind === 'data') this.#replayed.set(message.signal.data, message.number);
        if (!this.#failed) this.#again.get(message.node)!.next(message.signal);
        this.#answer('done');
        break;
      case 'origin':
        this.#nodes.setOrigin(message.source, message.origin);
        this.#answer('events');
        break;
      case 'watch':
        this.#watch(new Set(message.nodes));
    }
  }

  /** Continues with nodes that differ only in adjustable fields. */
  adjust(nodes: readonly CheckedNode[]): void {
    this.#nodes.adjust({ ...this.#topology, nodes: [...sourcesOf(this.#setup), ...nodes] });
    this.#answer('events');
  }

  #makeHost(links: LinkTable, report: (event: ThreadEvent) => void): Host {
    return {
      clock: systemClock,
      links,
      // Shut by nodes with several inputs only.
      gate: new Gate(
        () => systemClock.elapsed(),
        () => undefined,
      ),
      settings: this.#setup.settings,
      patience: PATIENCE,
      failures: (run, stage, failed) => {
        run.failedInRow += failed.length;
        report({ kind: 'failures', node: run.id, stage, failed: failed.map((one) => this.#numbered(one)) });
      },
      passed: (run, epoch, snapshot) => {
        report({ kind: 'passed', node: run.id, epoch, snapshot: snapshot as OperatorSnapshot });
      },
      due: () => this.#nodes.due(),
      fail: ({ message }, final = false) => {
        this.#failed = true;
        report({ kind: 'fail', message, final });
      },
    };
  }

  #numbered(failure: Failure): SentFailure {
    const { record } = failure;
    const replayed = typeof record === 'object' && record !== null ? this.#replayed.get(record) : undefined;
    return replayed === undefined ? failure : { ...failure, replayed };
  }

  #begin(snapshots: ReadonlyMap<string, OperatorSnapshot>): void {
    for (const { id } of this.#setup.sources) this.#inputs.set(id, new Subject());
    const outputs = new Map<string, Subject<Signal>>(this.#inputs);
    for (const node of this.#topology.nodes) {
      const [edge] = node.inputs;
      if (!edge) continue;
      const run = this.#nodes.runs.get(node.id)!;
      this.#reportRecovery(run);
      const [again, output] = [new Subject<Signal>(), new Subject<Signal>()];
      this.#again.set(node.id, again);
      outputs.set(node.id, output);
      const input = outputs.get(edge.from)!.pipe(filter((signal) => passes(edge, signal)));
      if (this.#setup.exported.includes(node.id))
        output.subscribe((signal) => this.#events.push({ kind: 'signal', node: node.id, signal }));
      merge(input, again)
        .pipe(synchronous(run, this.#nodes.operator(node.id), this.#host, snapshots.get(node.id)))
        .subscribe(output);
    }
  }

  /** The other side counts failures in a row; it learns of the success that ends them. */
  #reportRecovery(run: NodeRun): void {
    let failed = 0;
    Object.defineProperty(run, 'failedInRow', {
      get: () => failed,
      set: (count: number) => {
        if (count === 0 && failed > 0) this.#events.push({ kind: 'recovered', node: run.id });
        failed = count;
      },
    });
  }

  #watch(watched: ReadonlySet<string>): void {
    for (const [node, meter] of this.#meters)
      meter.show = watched.has(node)
        ? (record) => {
            this.#events.push({ kind: 'shown', node, record: record as Data });
          }
        : null;
  }

  #answer(kind: 'done' | 'events'): void {
    const events = this.#taken();
    if (kind === 'done') this.#send({ kind, events, updates: this.#updates() });
    else if (events.length > 0) this.#send({ kind, events });
  }

  #taken(): readonly ThreadEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** What cannot be copied fails by itself, and not the thread. */
  #send(message: Answer): void {
    try {
      this.#post(message);
    } catch {
      const copied = copiedAnswer(message);
      if (copied.events.some(({ kind }) => kind === 'fail')) this.#failed = true;
      this.#post(copied);
    }
  }

  #updates(): readonly NodeUpdate[] {
    const now = systemClock.elapsed();
    const describes = now - this.#described >= DESCRIBE_MS;
    if (describes) this.#described = now;
    return Array.from(this.#meters, ([id, meter]) => {
      const { watermark, lastRecord } = this.#nodes.runs.get(id)!;
      const due = this.#nodes.dueOf(id);
      const described = describes ? { described: this.#nodes.describe(id) } : {};
      return { id, ...meter.take(), watermark, lastRecord, due, ...described };
    });
  }
}

function topologyOf(setup: ThreadSetup, nodes: readonly CheckedNode[]): CheckedTopology {
  return {
    id: setup.topology,
    file: null,
    folder: setup.folder,
    environments: setup.environments,
    nodes: [...sourcesOf(setup), ...nodes],
    settings: setup.settings,
    hash: '',
  };
}

/** Stand for the sources outside: nodes behind them ask for their names and the origin of their records. */
const sourcesOf = ({ sources }: ThreadSetup): readonly CheckedNode[] =>
  sources.map(({ id, name, replayable }) => ({
    id,
    component: {
      kind: 'source',
      name,
      summary: '',
      config: Type.Object({}),
      examples: [],
      outputs: [],
      replayable,
      create: (): Source => ({ open: () => Promise.resolve() }),
    },
    config: {},
    inputs: [],
    queue: null,
    secrets: [],
    hash: '',
  }));
