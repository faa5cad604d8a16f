import { join } from 'node:path';
import { portsOf, recoveryOf, type AnySink } from '../component/index.js';
import type { CheckedNode, CheckedTest, CheckedTopology } from '../config/index.js';
import { PORTS, type LinkTable } from '../model/index.js';
import type { Metrics } from '../telemetry/metrics.js';
import { testSource } from './inputs.js';
import type { Busy, Lab } from './lab.js';
import { MockSink } from './mock-sink.js';

/** Checkpoints are taken during a test as usual; their timing does not affect the output. */
const CHECKPOINT_MS = 500;

/** The environment of a test run. */
export interface StandOptions {
  readonly topology: CheckedTopology;
  readonly test: CheckedTest;
  readonly links: LinkTable;
  readonly lab: Lab;
  readonly metrics: Metrics;
  /** A separate folder for the state. */
  readonly folder: string;
  /** Nodes whose records are collected even if no expectation inspects them. */
  readonly watched: ReadonlySet<string>;
}

/** A topology between sources that read a test's input and sinks that only collect what they take. */
export class Stand {
  readonly topology: CheckedTopology;
  /** By the sink that they replace. */
  readonly sinks = new Map<string, MockSink>();
  /** By the source or operator that they listen to. */
  readonly probes = new Map<string, MockSink>();
  readonly #options: StandOptions;
  /** Nodes whose records an expectation inspects. */
  readonly #asked: ReadonlySet<string>;

  constructor(options: StandOptions) {
    this.#options = options;
    this.#asked = askedFor(options.test);
    this.topology = this.#tested();
    this.#watch(this.topology);
  }

  /** The sinks and probes that an expectation inspects. */
  get looked(): readonly (readonly [node: string, mock: MockSink])[] {
    return [...this.sinks, ...this.probes].filter(([id]) => this.#asked.has(id));
  }

  /** Those that are watched. */
  get watched(): readonly (readonly [node: string, mock: MockSink])[] {
    return [...this.sinks, ...this.probes].filter(([id]) => this.#options.watched.has(id));
  }

  /** Folder of the topology's state. */
  get stateFolder(): string {
    return join(this.#options.folder, 'state');
  }

  /** Replaces sources and sinks, and adds a sink after each other node that is inspected. */
  #tested(): CheckedTopology {
    const { nodes, settings } = this.#options.topology;
    const replaced = nodes.map((node): CheckedNode => {
      if (isSource(node)) return this.#source(node);
      return node.component.kind === 'sink' ? this.#sink(node, node.component) : node;
    });
    return {
      ...this.#options.topology,
      nodes: [...replaced, ...nodes.filter((node) => this.#isProbed(node)).map((node) => this.#probe(node))],
      settings: {
        ...settings,
        stateFolder: this.stateFolder,
        checkpointIntervalMs: CHECKPOINT_MS,
        scaleOut: false,
        // The test's clock does not wait for what is in a thread.
        threads: 0,
      },
    };
  }

  #source(node: CheckedNode): CheckedNode {
    const meter = this.#options.metrics.node(this.#options.topology.id, node.id);
    const component = testSource(
      node,
      this.#options.test.input.get(node.id),
      this.#options.lab,
      meter,
      this.truthFile(node.id),
    );
    return { ...node, component, config: {}, queue: { capacity: 1, policy: 'block', maxAgeMs: null } };
  }

  #sink(node: CheckedNode, component: AnySink): CheckedNode {
    const { name, inputs } = component;
    const recovery = recoveryOf(component, node.config);
    const faults = this.#options.test.faults.get(node.id) ?? null;
    const mock = new MockSink(
      this.#options.lab,
      this.#options.links,
      { name, inputs, recovery },
      faults,
      this.#collects(node),
    );
    this.sinks.set(node.id, mock);
    return { ...node, component: mock.component, config: {} };
  }

  /** Whether a node is a source or operator that is inspected or watched. */
  #isProbed(node: CheckedNode): boolean {
    return node.component.kind !== 'sink' && this.#collects(node);
  }

  #collects({ id }: CheckedNode): boolean {
    return this.#asked.has(id) || this.#options.watched.has(id);
  }

  #probe(node: CheckedNode): CheckedNode {
    const mock = new MockSink(
      this.#options.lab,
      this.#options.links,
      { name: 'probe', inputs: PORTS, recovery: 'rewind' },
      null,
      true,
    );
    this.probes.set(node.id, mock);
    const ports = portsOf(node.component, node.config);
    return {
      id: `${node.id} (test)`,
      component: mock.component,
      config: {},
      inputs: [{ from: node.id, ports }],
      queue: null,
      secrets: [],
      hash: `probe of ${node.id}`,
    };
  }

  #watch({ nodes, id: topology }: CheckedTopology): void {
    const busy = nodes.flatMap(({ id, component }): readonly Busy[] => {
      const meter = this.#options.metrics.node(topology, id);
      if (component.kind === 'operator') return component.asynchronous ? [{ meter, mock: null }] : [];
      const mock = this.sinks.get(id) ?? this.probes.get(id.replace(/ \(test\)$/, ''));
      return component.kind === 'sink' && mock ? [{ meter, mock }] : [];
    });
    this.#options.lab.watch(busy);
  }

  /** File of the truth of a source's scene; null if its input is not a scene. */
  truthFile(source: string): string | null {
    const input = this.#options.test.input.get(source);
    return input?.kind === 'source' && input.component.simulates
      ? join(this.#options.folder, `${source}.truth.ndjson`)
      : null;
  }
}

const isSource = ({ component }: CheckedNode): boolean => component.kind === 'source';

const askedFor = ({ expect }: CheckedTest): ReadonlySet<string> =>
  new Set(
    expect.flatMap(({ subject, rule }) => [
      ...('node' in subject && subject.of === 'records' ? [subject.node] : []),
      ...(rule.rule === 'contains' && rule.within?.after.mark === 'record' ? [rule.within.after.node] : []),
    ]),
  );
