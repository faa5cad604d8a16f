import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { NodeMeter } from './node-meter.js';

/**
 * Figures of all topologies of a process for Prometheus. The hot path adds to plain numbers of a {@link
 * NodeMeter}, once a batch; they become metrics only when they are read.
 */
export class Metrics {
  readonly registry: Registry;
  readonly #nodes = new Map<string, NodeMeter>();
  readonly #topologies = new Map<string, () => TopologyFigures>();
  readonly #latency: Histogram<'topology' | 'node'>;
  readonly #checkpoint: Histogram<'topology'>;
  readonly #pause: Histogram<'topology'>;
  readonly #own = new Map<string, Counter | Gauge>();

  constructor(registry: Registry = new Registry()) {
    this.registry = registry;
    this.#counter('received_total', 'Records received; frames for csi.', (meter) => meter.receivedTotal);
    this.#counter('sent_total', 'Records sent; frames for csi.', (meter) => meter.sentTotal);
    this.#labelled(
      'dropped_total',
      'Records dropped, each under one reason.',
      'reason',
      (meter) => meter.droppedBy,
    );
    this.#counter(
      'missing_total',
      "Frames that, by the senders' numbering, were sent but not decoded.",
      (meter) => meter.missingTotal,
    );
    this.#labelled('failed_total', 'Records that failed.', 'stage', (meter) => meter.failedBy);
    this.#counter(
      'gate_closed_seconds_total',
      'Time for which the node blocked the pump.',
      (meter) => meter.gateClosedSeconds,
    );
    this.#counter(
      'operator_seconds_total',
      'Time that the node spent working, without downstream nodes.',
      (meter) => meter.operatorSeconds,
    );
    this.#gauge('queue_depth', 'Batches or records waiting in the node.', (meter) => meter.queueDepth);
    this.#gauge(
      'watermark_lag_seconds',
      'Clock minus watermark: how far event time lags behind.',
      (meter) => meter.watermarkLag,
    );
    this.#topologyFigures();
    const registers = [registry];
    this.#latency = new Histogram({
      name: 'csiflow_latency_seconds',
      help: 'From the arrival of the input behind a record to the end of its write.',
      labelNames: ['topology', 'node'],
      buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
      registers,
    });
    this.#checkpoint = new Histogram({
      name: 'csiflow_checkpoint_seconds',
      help: 'From the barrier to the commit.',
      labelNames: ['topology'],
      buckets: [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10],
      registers,
    });
    this.#pause = new Histogram({
      name: 'csiflow_checkpoint_pause_seconds',
      help: 'Time that a checkpoint took from the pump.',
      labelNames: ['topology'],
      buckets: [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1],
      registers,
    });
  }

  /** What a topology reports of itself, read on demand. */
  topology(id: string, read: () => TopologyFigures): void {
    this.#topologies.set(id, read);
  }

  /** The figures of a node, continued over restarts of its topology. */
  node(topology: string, node: string): NodeMeter {
    const key = `${topology}/${node}`;
    const known = this.#nodes.get(key);
    if (known) return known;
    const meter = new NodeMeter(topology, node, (seconds) => {
      this.#latency.observe({ topology, node }, seconds);
    });
    this.#nodes.set(key, meter);
    return meter;
  }

  /** A removed node is no longer reported. */
  remove(topology: string, node: string): void {
    this.#nodes.delete(`${topology}/${node}`);
  }

  /** The same for a whole topology. */
  forget(topology: string): void {
    this.#topologies.delete(topology);
    for (const [key, meter] of this.#nodes) if (meter.topology === topology) this.#nodes.delete(key);
  }

  /** @param seconds from the barrier to the commit @param pause part of it during which the pump was stopped */
  checkpoint(topology: string, seconds: number, pause: number): void {
    this.#checkpoint.observe({ topology }, seconds);
    this.#pause.observe({ topology }, pause);
  }

  /** All of it in Prometheus' text format. */
  async text(): Promise<string> {
    for (const metric of this.#own.values()) metric.reset();
    for (const { topology, node, own } of this.#nodes.values()) {
      for (const { name, kind, value, labels } of own.values()) {
        const metric = this.#ownMetric(name, kind, Object.keys(labels));
        const all = { topology, node, ...labels };
        if (metric instanceof Gauge) metric.set(all, value);
        else metric.inc(all, value);
      }
    }
    return this.registry.metrics();
  }

  #topologyFigures(): void {
    const topologies = this.#topologies;
    new Gauge({
      name: 'csiflow_topology_state',
      help: 'Always 1; the state of the topology.',
      labelNames: ['topology', 'state'],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const [topology, read] of topologies) this.set({ topology, state: read().state }, 1);
      },
    });
    new Gauge({
      name: 'csiflow_node_info',
      help: 'Always 1; what a node is, its number in the order of the graph, and the nodes that it reads.',
      labelNames: ['topology', 'node', 'kind', 'type', 'order', 'reads'],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const [topology, read] of topologies)
          read().nodes.forEach(({ id: node, kind, type, reads }, order) => {
            this.set({ topology, node, kind, type, order, reads: reads.join(',') }, 1);
          });
      },
    });
    new Gauge({
      name: 'csiflow_checkpoint_age_seconds',
      help: 'Time since the last checkpoint.',
      labelNames: ['topology'],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const [topology, read] of topologies) {
          const age = read().checkpointAgeSeconds;
          if (age !== null) this.set({ topology }, age);
        }
      },
    });
  }

  /** Metrics of components: their names are fixed in the code, so there are few. */
  #ownMetric(name: string, kind: 'gauge' | 'count', labels: readonly string[]) {
    const known = this.#own.get(name);
    if (known) return known;
    const counts = kind === 'count' && !name.endsWith('_total');
    const options = {
      name: `csiflow_${name}${counts ? '_total' : ''}`,
      help: `${name.replaceAll('_', ' ')} of the component`,
      labelNames: ['topology', 'node', ...labels],
      registers: [this.registry],
    };
    const made = kind === 'gauge' ? new Gauge(options) : new Counter(options);
    this.#own.set(name, made);
    return made;
  }

  #counter(name: string, help: string, read: (meter: NodeMeter) => number): void {
    const nodes = this.#nodes;
    new Counter({
      name: `csiflow_${name}`,
      help,
      labelNames: ['topology', 'node'],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const meter of nodes.values())
          this.inc({ topology: meter.topology, node: meter.node }, read(meter));
      },
    });
  }

  #gauge(name: string, help: string, read: (meter: NodeMeter) => number | null): void {
    const nodes = this.#nodes;
    new Gauge({
      name: `csiflow_${name}`,
      help,
      labelNames: ['topology', 'node'],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const meter of nodes.values()) {
          const value = read(meter);
          if (value !== null) this.set({ topology: meter.topology, node: meter.node }, value);
        }
      },
    });
  }

  #labelled(
    name: string,
    help: string,
    label: string,
    read: (meter: NodeMeter) => ReadonlyMap<string, number>,
  ): void {
    const nodes = this.#nodes;
    new Counter<string>({
      name: `csiflow_${name}`,
      help,
      labelNames: ['topology', 'node', label],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const meter of nodes.values()) {
          for (const [value, count] of read(meter)) {
            this.inc({ topology: meter.topology, node: meter.node, [label]: value }, count);
          }
        }
      },
    });
  }
}

export interface TopologyFigures {
  readonly state: string;
  /** Null before the first checkpoint. */
  readonly checkpointAgeSeconds: number | null;
  /** In the order of the graph: each after those that it reads. */
  readonly nodes: readonly {
    readonly id: string;
    readonly kind: string;
    readonly type: string;
    readonly reads: readonly string[];
  }[];
}

export const createMetrics = (registry?: Registry): Metrics => new Metrics(registry);
