import { Worker } from 'node:worker_threads';
import { Subject } from 'rxjs';
import type { Operator } from '../../component/index.js';
import type { CheckedNode, CheckedTopology, Edge } from '../../config/topology/topology.js';
import type { Data, Provenance } from '../../model/index.js';
import { asError, errorText } from '../../base/error-text.js';
import { packageFile } from '../../base/paths.js';
import { withinTime } from '../../base/waiting.js';
import type { Log } from '../../telemetry/log.js';
import type { Host, NodeRun } from '../nodes/host.js';
import { passes } from '../signals/edges.js';
import { countOf, type DataSignal, type Signal } from '../signals/signal.js';
import type { OperatorSnapshot } from '../stages/operator-stage.js';
import { Backlog } from './backlog.js';
import type { FromThread, ToThread } from './messages.js';
import { orderOf, sentNode } from './order.js';
import { Outcome } from './outcome.js';
import { Packer } from './transfer.js';

const WORKER = packageFile('dist/pipeline/runtime/threads/chain.worker.js');

/** For the nodes to close, milliseconds. */
const CLOSING_MS = 5000;
/** Frames that are sent together while the pump does not yield. */
const TOGETHER = 256;

export interface ChainThreadOptions {
  readonly topology: CheckedTopology;
  /** Its nodes, in topological order. */
  readonly nodes: readonly CheckedNode[];
  readonly host: Host;
  readonly runs: () => ReadonlyMap<string, NodeRun>;
  readonly log: Log;
}

/**
 * A chain of operators in a thread of its own. Signals go in and come out in their order, so barriers,
 * watermarks and results are those of one thread.
 */
export class ChainThread {
  readonly #options: ChainThreadOptions;
  readonly #host: Host;
  /** Edges into the chain. */
  readonly #entries: readonly Edge[];
  readonly #outputs: ReadonlyMap<string, Subject<Signal>>;
  readonly #snapshots = new Map<string, OperatorSnapshot>();
  readonly #outcome: Outcome;
  /** Replayed records in the thread, by number: until a barrier after them has passed. */
  readonly #replayed = new Map<number, Data>();
  /** Replayed before the barrier that is under way. */
  #beforeBarrier = 0;
  readonly #backlog = new Backlog();
  readonly #watched = new Set<string>();
  readonly #packer = new Packer();
  #worker: Worker | undefined;
  #opened: Promise<void> | undefined;
  #gathered: Signal[] = [];
  #gatheredFrames = 0;
  #numbers = 0;
  #closed = false;
  #closing: Promise<void> | undefined;
  #nodesClosed: () => void = () => undefined;

  constructor(options: ChainThreadOptions) {
    const { nodes } = options;
    this.#options = options;
    this.#host = options.host;
    this.#outputs = new Map(nodes.map(({ id }) => [id, new Subject<Signal>()]));
    this.#entries = nodes.flatMap(({ inputs }) => inputs).filter(({ from }) => !this.#outputs.has(from));
    this.#outcome = new Outcome({
      host: options.host,
      run: (node) => this.#run(node),
      output: (node) => this.output(node),
      replayed: (number) => this.#replayed.get(number),
      onPassed: (node) => {
        if (node === nodes.at(-1)!.id) this.#forget();
      },
      log: options.log,
    });
  }

  /** Ids of the sources that it reads. */
  get sources(): readonly string[] {
    return [...new Set(this.#entries.map(({ from }) => from))];
  }

  runs(node: string): boolean {
    return this.#outputs.has(node);
  }

  /** What leaves a node for others outside. */
  output(node: string): Subject<Signal> {
    return this.#outputs.get(node)!;
  }

  /** Stands for a node that runs here. */
  operator({ id }: CheckedNode): Operator {
    return {
      process: () => {
        throw new Error(`${id} runs in a thread`);
      },
      due: () => this.#outcome.of(id)?.due ?? -Infinity,
      describe: () => this.#outcome.of(id)?.described ?? {},
      open: () => (this.#opened ??= this.#open()),
      close: () => (this.#closing ??= this.#close()),
    };
  }

  /** The state from which a node resumes; before {@link begin}. */
  restore(node: string, snapshot: OperatorSnapshot | undefined): void {
    if (!snapshot) return;
    this.#snapshots.set(node, snapshot);
    this.#run(node).watermark = snapshot.forwarded;
  }

  /** Signals follow. */
  begin(): void {
    this.#post({ kind: 'begin', snapshots: this.#snapshots });
    this.#snapshots.clear();
  }

  setOrigin(source: string, origin: Provenance['origin']): void {
    if (!this.sources.includes(source)) return;
    this.#flush();
    this.#post({ kind: 'origin', source, origin });
  }

  /** Takes a signal of one of its sources. */
  take(signal: Signal): void {
    if (!this.#entries.some((edge) => edge.from === signal.from && passes(edge, signal))) return;
    if (this.#gathered.length === 0) queueMicrotask(this.#flush);
    this.#gathered.push(signal);
    if (signal.kind === 'data') this.#gatheredFrames += countOf(signal.data);
    if (signal.kind === 'barrier') this.#beforeBarrier = this.#numbers;
    if (this.#gatheredFrames >= TOGETHER) this.#flush();
  }

  replay(node: string, signal: DataSignal): void {
    const number = ++this.#numbers;
    this.#replayed.set(number, signal.data);
    this.#flush();
    this.#count([signal]);
    this.#post({ kind: 'replay', node, number, signal });
  }

  /** Continues as a topology that differs only in live settings. */
  adjust({ nodes }: CheckedTopology): void {
    this.#flush();
    this.#post({ kind: 'adjust', nodes: nodes.filter(({ id }) => this.runs(id)).map(sentNode) });
  }

  // ------------------------------------------------------------------ to the thread

  readonly #flush = (): void => {
    const signals = this.#gathered;
    if (signals.length === 0) return;
    this.#watch();
    this.#count(signals);
    this.#gathered = [];
    this.#gatheredFrames = 0;
    this.#post({ kind: 'signals', signals: this.#packer.pack(signals) });
  };

  /** What cannot be sent ends the run, not the process. */
  #post(message: ToThread): void {
    try {
      this.#worker?.postMessage(message);
    } catch (error) {
      const text = `the thread of ${this.#names} could not be sent a record: ${errorText(error)}`;
      this.#host.fail(new Error(text, { cause: error }));
    }
  }

  #count(signals: readonly Signal[]): void {
    this.#backlog.add(signals, this.#host.clock.elapsed());
    this.#bound();
  }

  /** The pump waits while the thread is behind. */
  #bound(): void {
    const [{ id }] = this.#options.nodes as [CheckedNode];
    this.#run(id).meter.queueDepth = this.#backlog.messages;
    if (this.#backlog.isTooMuch(this.#host.clock.elapsed())) this.#host.gate.shut(id);
    else if (this.#backlog.isLow) this.#host.gate.release(id);
  }

  /** Whether somebody watches a node is only seen in its meter. */
  #watch(): void {
    let changed = false;
    for (const id of this.#outputs.keys()) {
      const isWatched = this.#run(id).meter.show !== null;
      if (isWatched === this.#watched.has(id)) continue;
      changed = true;
      if (isWatched) this.#watched.add(id);
      else this.#watched.delete(id);
    }
    if (changed) this.#post({ kind: 'watch', nodes: [...this.#watched] });
  }

  #run(id: string): NodeRun {
    return this.#options.runs().get(id)!;
  }

  get #names(): string {
    return this.#options.nodes.map(({ id }) => id).join(', ');
  }

  // ------------------------------------------------------------------ from the thread

  #open(): Promise<void> {
    if (this.#closed) return Promise.reject(new Error('it was stopped while it started'));
    const { topology, nodes } = this.#options;
    const worker = new Worker(WORKER, {
      workerData: orderOf(topology, nodes, this.sources, this.#host.links.environments),
    });
    this.#worker = worker;
    return new Promise((resolve, reject) => {
      const lost = (error: Error) => {
        const failure = new Error(`the thread of ${this.#names} ended: ${error.message}`, { cause: error });
        reject(failure);
        if (!this.#closed) this.#host.fail(failure);
      };
      worker.on('message', (message: FromThread) => {
        if (message.kind === 'closed') this.#nodesClosed();
        else if (this.#closed) return;
        else if (message.kind === 'ready') resolve();
        else this.#heard(message);
      });
      worker.on('error', lost);
      worker.on('messageerror', lost);
      worker.on('exit', (code) => {
        this.#worker = undefined;
        this.#nodesClosed();
        lost(new Error(`it ended with code ${code}`));
      });
    });
  }

  #heard(message: Exclude<FromThread, { kind: 'ready' | 'closed' }>): void {
    try {
      if (message.kind === 'done') {
        for (const news of message.news) this.#outcome.learn(news);
        this.#backlog.answered();
      }
      for (const event of message.events) this.#outcome.happened(event);
      this.#bound();
    } catch (error) {
      this.#host.fail(asError(error));
    }
  }

  /** The barrier has passed the last node. */
  #forget(): void {
    for (const number of this.#replayed.keys())
      if (number <= this.#beforeBarrier) this.#replayed.delete(number);
  }

  async #close(): Promise<void> {
    this.#closed = true;
    const worker = this.#worker;
    if (!worker) return;
    const closed = new Promise<void>((resolve) => {
      this.#nodesClosed = resolve;
    });
    this.#post({ kind: 'close' });
    await withinTime([closed], CLOSING_MS);
    await worker.terminate();
  }
}
