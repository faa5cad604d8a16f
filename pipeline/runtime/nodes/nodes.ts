import { timingOf } from '../../component/index.js';
import type { Context, StoragePolicy, Operator, Sink, Source, Transaction } from '../../component/index.js';
import type { CheckedNode, CheckedTopology } from '../../config/topology/topology.js';
import type { Failure, LinkTable, Provenance } from '../../model/index.js';
import type { Log } from '../../telemetry/log.js';
import type { Metrics } from '../../telemetry/metrics.js';
import type { Tracer } from '../../telemetry/traces/index.js';
import type { NodeRun } from './host.js';
import { NodeTraces } from './node-traces.js';
import { atOnce } from '../shared/returned.js';
import { storagePolicyOf } from '../privacy/privacy.js';
import { Problems } from './problems.js';
import { seededRandom } from '../../base/random.js';
import { errorText } from '../../base/error-text.js';

export interface NodesOptions {
  readonly topology: CheckedTopology;
  readonly links: LinkTable;
  readonly clock: Context['clock'];
  /** Clock of live sources. Default: `clock`. */
  readonly arrival?: Context['clock'];
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'node'>;
  /** Null: no frames are traced. */
  readonly tracer: Tracer | null;
  /** The partition that they serve, if any. */
  readonly transaction?: Transaction | undefined;
  /** Its number. */
  readonly partitionNumber?: number | undefined;
  /** Records that a sink had accepted and cannot deliver. */
  readonly onRefused?: (run: NodeRun, failures: readonly Failure[]) => void;
  /** See the context. */
  readonly settledNow?: () => number;
  /** Receives what a node says of its input. Default: its run does. */
  readonly onProblem?: (node: string, problem: string | null) => void;
  /** What stands for a node that runs elsewhere; undefined: it runs here. */
  readonly elsewhere?: (node: CheckedNode) => Operator | undefined;
}

/** The nodes of one run: figures, contexts, instances of their components, and the origin of their data. */
export class Nodes {
  /** In topological order. */
  readonly runs: ReadonlyMap<string, NodeRun>;
  #options: NodesOptions;
  readonly #provenance = new Map<string, { origin: Provenance['origin'] }>();
  readonly #storage: StoragePolicy | undefined;
  readonly #instances = new Map<string, Source | Operator | Sink>();
  /** Ids of operators whose results may be urgent, and of those that failed to say when. */
  readonly #urgent: string[] = [];
  readonly #undue = new Set<string>();
  readonly #forgetting: (() => void)[] = [];

  constructor(options: NodesOptions) {
    this.#options = options;
    this.#storage = storagePolicyOf(options.topology.settings);
    this.runs = new Map(options.topology.nodes.map((node) => [node.id, this.#run(node)]));
  }

  /** Creates all components. @throws Error naming the node that failed. */
  create(): void {
    for (const run of this.runs.values()) {
      const { node, context } = run;
      const lag = () => this.#lagOf(run);
      run.meter.watermarkLags.add(lag);
      this.#forgetting.push(() => run.meter.watermarkLags.delete(lag));
      try {
        const instance =
          this.#options.elsewhere?.(node) ?? node.component.create(node.config as never, context);
        this.#instances.set(node.id, instance);
        if ('due' in instance) this.#urgent.push(node.id);
      } catch (error) {
        throw new Error(`${node.id} (${node.component.name}) could not be created: ${errorText(error)}`, {
          cause: error,
        });
      }
    }
  }

  /** They no longer run: current figures are not theirs. */
  forget(): void {
    for (const forget of this.#forgetting.splice(0)) forget();
  }

  /** Another instance of a sink, replacing the previous one. */
  renewSink(id: string): Sink {
    const { node, context } = this.runs.get(id)!;
    const sink = node.component.create(node.config as never, context) as Sink;
    this.#instances.set(id, sink);
    return sink;
  }

  /** Updates the nodes from a topology that differs only in adjustable fields. */
  adjust(topology: CheckedTopology): void {
    this.#options = { ...this.#options, topology };
    for (const node of topology.nodes) {
      const run = this.runs.get(node.id)!;
      if (run.node === node) continue;
      const isNew = JSON.stringify(run.node.config) !== JSON.stringify(node.config);
      run.node = node;
      if (isNew && node.component.kind === 'operator')
        atOnce('adjust', this.operator(node.id).adjust?.(node.config));
    }
  }

  of(kind: CheckedNode['component']['kind']): readonly CheckedNode[] {
    return this.#options.topology.nodes.filter(({ component }) => component.kind === kind);
  }

  source(id: string): Source {
    return this.#instances.get(id) as Source;
  }

  operator(id: string): Operator {
    return this.#instances.get(id) as Operator;
  }

  sink(id: string): Sink {
    return this.#instances.get(id) as Sink;
  }

  /** Event time of the earliest record that may complete a result of an operator; Infinity: none. */
  due(): number {
    let due = Infinity;
    for (const id of this.#urgent) due = Math.min(due, this.dueOf(id));
    return due;
  }

  /** The same of one operator; -Infinity, so that nothing is gathered, if it cannot tell. */
  dueOf(id: string): number {
    try {
      return atOnce('due', this.operator(id).due?.()) ?? Infinity;
    } catch (error) {
      if (!this.#undue.has(id))
        this.runs.get(id)!.context.log.error('it cannot tell when a result is due: input is not gathered', {
          reason: errorText(error),
        });
      this.#undue.add(id);
      return -Infinity;
    }
  }

  describe(id: string): Readonly<Record<string, unknown>> {
    try {
      return atOnce('describe', this.#instances.get(id)?.describe?.()) ?? {};
    } catch (error) {
      return { error: errorText(error) };
    }
  }

  /** Those that were created, in topological order. */
  get made(): readonly string[] {
    return [...this.#instances.keys()];
  }

  async close(id: string): Promise<void> {
    try {
      await this.#instances.get(id)?.close?.();
    } catch (error) {
      this.#options.log.warn('a node did not close', { node: id, error: errorText(error) });
    }
  }

  /** A source's declaration about its records; all downstream nodes inherit it. */
  setOrigin(source: string, origin: Provenance['origin']): void {
    this.#provenance.get(source)!.origin = origin;
    for (const node of this.#options.topology.nodes) {
      if (node.component.kind !== 'source') this.#provenance.get(node.id)!.origin = this.#originOf(node);
    }
  }

  #run(node: CheckedNode): NodeRun {
    const { topology, clock, metrics, tracer } = this.#options;
    const provenance = { origin: this.#firstOrigin(node) };
    this.#provenance.set(node.id, provenance);
    const problems = new Problems();
    const run: NodeRun = {
      node,
      id: node.id,
      meter: metrics.node(topology.id, node.id),
      traces: tracer && new NodeTraces(tracer, topology.id, node, clock),
      lastRecord: null,
      failedInRow: 0,
      problems,
      get problem() {
        return problems.text;
      },
      set problem(text) {
        problems.set('failing', text);
      },
      status: 'starting',
      watermark: -Infinity,
      crowded: false,
      heldBack: () => null,
      context: this.#contextOf(node, provenance, problems, (failures) => {
        this.#options.onRefused?.(run, failures);
      }),
    };
    return run;
  }

  #contextOf(
    node: CheckedNode,
    provenance: Context['provenance'],
    problems: Problems,
    refuse: (failures: readonly Failure[]) => void,
  ): Context {
    const { topology, links, log, metrics, transaction, partitionNumber, settledNow, onRefused, onProblem } =
      this.#options;
    const storage = this.#storage;
    return {
      topology: topology.id,
      node: node.id,
      environments: topology.environments,
      inputs: node.inputs.map(({ from }) => componentOf(topology, from)),
      links,
      clock: this.#clockOf(node),
      random: seededRandom(topology.settings.seed, `${topology.id}/${node.id}`),
      log: log.child({ topology: topology.id, node: node.id }),
      metrics: metrics.node(topology.id, node.id),
      folder: topology.folder,
      stateFolder: topology.settings.stateFolder,
      provenance,
      degrade: (problem) => {
        if (onProblem) onProblem(node.id, problem);
        else problems.set('input', problem);
      },
      ...(storage && { storage }),
      ...(settledNow && { settledNow }),
      ...(topology.settings.domain && { domain: topology.settings.domain }),
      ...(transaction && { transaction }),
      ...(partitionNumber !== undefined && { partition: partitionNumber }),
      ...(onRefused && { refuse }),
    };
  }

  /** Live sources use the arrival clock. */
  #clockOf({ component, config }: CheckedNode): Context['clock'] {
    const { clock, arrival } = this.#options;
    return arrival && component.kind === 'source' && timingOf(component, config) === 'now' ? arrival : clock;
  }

  #lagOf({ watermark }: NodeRun): number | null {
    if (!Number.isFinite(watermark)) return null;
    return Math.max(0, (this.#options.clock.now() - watermark) / 1e6);
  }

  #firstOrigin(node: CheckedNode): Provenance['origin'] {
    if (node.component.kind === 'source') return node.component.replayable ? 'replay' : 'live';
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
}

const componentOf = ({ nodes }: CheckedTopology, id: string): string =>
  nodes.find((node) => node.id === id)!.component.name;
