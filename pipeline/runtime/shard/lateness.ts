import type { CheckedNode } from '../../config/topology/topology.js';
import type { NodeRun } from '../nodes/host.js';
import { liveNodes } from '../nodes/live-nodes.js';

export interface LatenessOptions {
  /** In topological order. */
  readonly nodes: readonly CheckedNode[];
  readonly runs: ReadonlyMap<string, NodeRun>;
  /** Results older than this are late, milliseconds. */
  readonly limitMs: number;
  /** Seconds for which a node has been holding the gate shut. */
  readonly shutFor: (node: string) => number;
  /** It reads one of several partitions, which may hold no room at all. */
  readonly isPartition: boolean;
  /** Event time of input that would arrive now, microseconds. */
  readonly now: () => number;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
  /** A node became late, or is no longer late. */
  readonly onChange: () => void;
}

/**
 * Watches the age of a live topology's results. It only watches nodes behind live sources: a recording may be
 * of any age. If results are late, the node that adds most to their age is degraded.
 */
export class Lateness {
  readonly #options: LatenessOptions;
  readonly #byId: ReadonlyMap<string, CheckedNode>;
  readonly #began: number;
  /** Share of the last seconds for which each node held the gate shut, and the readings it is based on. */
  readonly #shut = new Map<string, { readonly share: number; readonly seconds: number }>();
  #checked: number;

  constructor(options: LatenessOptions) {
    this.#options = options;
    this.#byId = new Map(options.nodes.map((node) => [node.id, node]));
    this.#began = this.#checked = options.elapsed();
  }

  /** Cheap; call it about once per second. */
  check(): void {
    const { nodes, runs } = this.#options;
    this.#followGate();
    const blamed = this.#sinceStart() > this.#limitSeconds ? this.#blamed() : new Map<string, string>();
    for (const { id } of nodes) {
      this.#tell(runs.get(id)!, 'late', blamed.get(id) ?? null);
      this.#tell(runs.get(id)!, 'waits', this.#heldBack(runs.get(id)!));
    }
  }

  get #limitSeconds(): number {
    return this.#options.limitMs / 1000;
  }

  #sinceStart(): number {
    return (this.#options.elapsed() - this.#began) / 1000;
  }

  /** The problem of each node that results wait for. */
  #blamed(): Map<string, string> {
    const blamed = new Map<string, string>();
    const limit = `${this.#limitSeconds} s of late_after_ms`;
    const { nodes, runs } = this.#options;
    const live = liveNodes(nodes, (id) => runs.get(id)!.context.provenance.origin);
    for (const { id, component } of nodes) {
      if (component.kind === 'source') {
        const silent = live.has(id) ? this.#silentFor(id) : 0;
        if (silent > this.#limitSeconds) blamed.set(id, `no input for ${rounded(silent)} s`);
        continue;
      }
      const isLast = component.kind === 'sink' && live.has(id);
      const age = isLast ? this.#age(id) : 0;
      if (age <= this.#limitSeconds) continue;
      const cause = this.#shuts(this.#slowest(id));
      if (blamed.has(cause)) continue;
      const isSource = this.#byId.get(cause)!.component.kind === 'source';
      const what = isSource
        ? `its input is ${rounded(this.#age(cause))} s behind, so results are ${rounded(age)} s old`
        : `results are ${rounded(age)} s old and wait for it`;
      blamed.set(cause, `${what}; the limit is the ${limit}`);
    }
    return blamed;
  }

  /** The node on the way to `id` that adds most to the age of its input. */
  #slowest(id: string): string {
    let slowest = { id, adds: -Infinity };
    for (let at: string | undefined = id; at !== undefined;) {
      const before: string | undefined = this.#oldestInput(at);
      const adds = this.#age(at) - (before === undefined ? 0 : this.#age(before));
      // Among equals, the one further upstream counts.
      if (adds >= slowest.adds) slowest = { id: at, adds };
      at = before;
    }
    return slowest.id;
  }

  /** If a node holds the gate shut so that a source cannot be read: that node. */
  #shuts(id: string): string {
    if (this.#byId.get(id)!.component.kind !== 'source') return id;
    let most = { id, share: MIN_SHUT };
    for (const [node, { share }] of this.#shut) if (share > most.share) most = { id: node, share };
    return most.id;
  }

  #followGate(): void {
    const { runs, elapsed, shutFor } = this.#options;
    const over = (elapsed() - this.#checked) / 1000;
    if (over <= 0) return;
    this.#checked = elapsed();
    for (const { id, meter } of runs.values()) {
      const seconds = meter.gateClosedSeconds + shutFor(id);
      const before = this.#shut.get(id) ?? { share: 0, seconds };
      const weight = Math.min(1, over / GATE_MEMORY_SECONDS);
      const now = Math.min(1, Math.max(0, seconds - before.seconds) / over);
      this.#shut.set(id, { share: before.share + weight * (now - before.share), seconds });
    }
  }

  #oldestInput(id: string): string | undefined {
    const inputs = this.#byId.get(id)!.inputs.map(({ from }) => from);
    return inputs.sort((a, b) => this.#age(b) - this.#age(a))[0];
  }

  /** Seconds by which a node's event time lags behind the clock. */
  #age(id: string): number {
    const { watermark } = this.#options.runs.get(id)!;
    if (watermark === Infinity) return 0;
    if (watermark === -Infinity) return this.#unheard();
    return Math.max(0, (this.#options.now() - watermark) / 1e6);
  }

  /** Seconds for which a live source has been silent. */
  #silentFor(id: string): number {
    const { lastRecord, watermark } = this.#options.runs.get(id)!;
    if (watermark === Infinity) return 0;
    if (watermark === -Infinity) return this.#unheard();
    if (lastRecord === null) return this.#sinceStart();
    // A lagging source is not silent: its age says more.
    return watermark - lastRecord < this.#options.limitMs * 1000
      ? 0
      : (this.#options.now() - lastRecord) / 1e6;
  }

  /** Seconds for which a node has had no event time at all. */
  #unheard(): number {
    return this.#options.isPartition ? 0 : this.#sinceStart();
  }

  #heldBack({ heldBack }: NodeRun): string | null {
    const held = heldBack();
    if (!held) return null;
    const seconds = (this.#options.elapsed() - held.since) / 1000;
    if (seconds <= this.#limitSeconds) return null;
    const others = held.waitsFor.join(', ');
    return `it has held back \`${held.input}\` for ${rounded(seconds)} s (${held.records} records) until \`${others}\` catches up`;
  }

  #tell(run: NodeRun, cause: 'late' | 'waits', text: string | null): void {
    const was = run.problems.has(cause);
    run.problems.set(cause, text);
    if (was === (text !== null)) return;
    if (text === null) run.context.log.info('results are on time again', { cause });
    else run.context.log.warn('results are late', { cause, problem: text });
    this.#options.onChange();
  }
}

/** A node that holds the gate shut for this share of the time delays the sources. */
const MIN_SHUT = 0.5;
const GATE_MEMORY_SECONDS = 2;

/** Seconds, for people. */
const rounded = (seconds: number): string =>
  seconds < 10 ? seconds.toFixed(1) : String(Math.round(seconds));
