/** Running totals of one node, and the counters of its component. */
export class NodeMeter {
  readonly topology: string;
  readonly node: string;
  receivedTotal = 0;
  sentTotal = 0;
  missingTotal = 0;
  gateClosedSeconds = 0;
  operatorSeconds = 0;
  queueDepth = 0;
  readonly droppedBy = new Map<string, number>();
  readonly failedBy = new Map<string, number>();
  readonly own = new Map<string, OwnFigure>();
  /** For each running shard, a function that reads its lag; null before its first watermark. */
  readonly watermarkLags = new Set<() => number | null>();
  /** Seconds from arrival to here, once a batch. */
  readonly latency: (seconds: number) => void;
  /** Receives each record that leaves the node (for a sink, each that arrives); null if there is no watcher. */
  show: ((record: unknown) => void) | null = null;
  readonly #watchers = new Set<(record: unknown) => void>();

  constructor(topology: string, node: string, latency: (seconds: number) => void) {
    this.topology = topology;
    this.node = node;
    this.latency = latency;
  }

  /** The largest lag of a shard, seconds; null if there is none yet. */
  get watermarkLag(): number | null {
    const lags = [...this.watermarkLags].map((read) => read()).filter((lag) => lag !== null);
    return lags.length === 0 ? null : Math.max(...lags);
  }

  /**
   * @param watcher returns at once and does not throw: the pipeline waits for it. Returns a function that
   * stops watching.
   */
  watch(watcher: (record: unknown) => void): () => void {
    this.#watchers.add(watcher);
    this.show = (record) => {
      for (const one of this.#watchers) one(record);
    };
    return () => {
      this.#watchers.delete(watcher);
      if (this.#watchers.size === 0) this.show = null;
    };
  }

  dropped(reason: string, count: number): void {
    this.droppedBy.set(reason, (this.droppedBy.get(reason) ?? 0) + count);
  }

  missing(count: number): void {
    this.missingTotal += count;
  }

  failed(stage: string, count: number): void {
    this.failedBy.set(stage, (this.failedBy.get(stage) ?? 0) + count);
  }

  /** @param labels from a bounded set of values, with the same names each time. NaN: no longer reported. */
  gauge(name: string, value: number, labels: Readonly<Record<string, string>> = {}): void {
    const key = [name, ...Object.values(labels)].join(' ');
    if (Number.isNaN(value)) this.own.delete(key);
    else this.own.set(key, { name, kind: 'gauge', value, labels });
  }

  count(name: string, value: number): void {
    const before = this.own.get(name)?.value ?? 0;
    this.own.set(name, { name, kind: 'count', value: before + value, labels: {} });
  }
}

/** A figure that a component maintains itself. */
interface OwnFigure {
  readonly name: string;
  readonly kind: 'gauge' | 'count';
  readonly value: number;
  readonly labels: Readonly<Record<string, string>>;
}
