import { Worker } from 'node:worker_threads';
import { Subject } from 'rxjs';
import type { Operator } from '../../component/index.js';
import type { CheckedNode, CheckedTopology, Edge } from '../../config/topology/topology.js';
import type { Provenance } from '../../model/index.js';
import { asError, errorText } from '../../base/error-text.js';
import { packageFile } from '../../base/paths.js';
import { withinTime } from '../../base/waiting.js';
import type { Log } from '../../telemetry/log.js';
import type { Host, NodeRun } from '../nodes/host.js';
import { passes } from '../signals/edges.js';
import { countOf, type DataSignal, type Signal } from '../signals/signal.js';
import type { OperatorSnapshot } from '../stages/operator-stage.js';
import { Backlog } from './backlog.js';
import { copiedSignals, type Answer } from './copied.js';
import { notCopied } from './copying.js';
import type { FromThread, ToThread } from './messages.js';
import { setupOf, sentNode } from './setup.js';
import { EventHandler } from './event-handler.js';
import { Openings } from './openings.js';
import { Replayed } from './replayed.js';
import { Packer } from './transfer.js';

const WORKER = packageFile('dist/pipeline/runtime/threads/chain.worker.js');

const STOPPED = 'it was stopped while it started';
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
  readonly #events: EventHandler;
  readonly #openings: Openings;
  readonly #replayed = new Replayed();
  readonly #backlog = new Backlog();
  #watched = '';
  #packer = new Packer();
  #worker: Worker | undefined;
  /** The node for which the gate is shut. */
  #shutFor: string | undefined;
  #gathered: Signal[] = [];
  #gatheredFrames = 0;
  #started = false;
  #closed = false;
  #closing: Promise<void> | undefined;
  #nodesClosed: () => void = () => undefined;

  constructor(options: ChainThreadOptions) {
    const { nodes, host, log } = options;
    this.#options = options;
    this.#host = host;
    this.#outputs = new Map(nodes.map(({ id }) => [id, new Subject<Signal>()]));
    this.#entries = nodes.flatMap(({ inputs }) => inputs).filter(({ from }) => !this.#outputs.has(from));
    this.#openings = new Openings(nodes.map(({ id }) => id));
    this.#events = new EventHandler({
      host,
      log,
      run: (node) => this.#run(node),
      output: (node) => this.output(node),
      replayed: this.#replayed,
      last: nodes.at(-1)!.id,
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
      due: () => this.#events.of(id)?.due ?? -Infinity,
      describe: () => this.#events.of(id)?.described ?? {},
      open: () => this.#open(id),
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
    if (signal.kind === 'barrier') this.#replayed.barrierBegan();
    if (this.#gatheredFrames >= TOGETHER) this.#flush();
  }

  replay(node: string, signal: DataSignal): void {
    const number = this.#replayed.add(signal.data);
    this.#flush();
    this.#count([signal]);
    this.#post({ kind: 'replay', node, number, signal });
  }

  /** Continues as a topology that differs only in adjustable fields. */
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
    try {
      this.#worker?.postMessage({ kind: 'signals', signals: this.#packer.pack(signals) } satisfies ToThread);
    } catch {
      this.#postCopied(signals);
    }
  };

  /** Records that cannot be copied fail in the nodes that would read them; the others are sent. */
  #postCopied(signals: readonly Signal[]): void {
    const { copied, failures } = copiedSignals(signals, this.#options.nodes);
    for (const failure of failures) this.#events.handle(failure);
    // The thread has not seen the layouts of the first attempt.
    this.#packer = new Packer();
    this.#post({ kind: 'signals', signals: this.#packer.pack(copied) });
  }

  #post(message: ToThread): void {
    try {
      this.#worker?.postMessage(message);
    } catch (error) {
      const what = notCopied(message) ?? errorText(error);
      this.#host.fail(
        new Error(`the thread of ${this.#names} could not be sent ${what}`, { cause: error }),
        true,
      );
    }
  }

  #count(signals: readonly Signal[]): void {
    this.#backlog.add(signals, this.#host.clock.elapsed());
    this.#bound();
  }

  /** The pump waits while the thread is behind: for the node that takes most of its time. */
  #bound(): void {
    const [{ id: first }] = this.#options.nodes as [CheckedNode];
    this.#run(first).meter.queueDepth = this.#backlog.messages;
    if (this.#backlog.isTooMuch(this.#host.clock.elapsed())) {
      this.#shutFor ??= this.#events.busiest ?? first;
      this.#host.gate.shut(this.#shutFor);
    } else if (this.#backlog.isLow && this.#shutFor !== undefined) {
      this.#host.gate.release(this.#shutFor);
      this.#shutFor = undefined;
    }
  }

  /** Whether somebody watches a node is only seen in its meter. */
  #watch(): void {
    const nodes = [...this.#outputs.keys()].filter((id) => this.#run(id).meter.show !== null);
    if (nodes.join() === this.#watched) return;
    this.#watched = nodes.join();
    this.#post({ kind: 'watch', nodes });
  }

  #run(id: string): NodeRun {
    return this.#options.runs().get(id)!;
  }

  get #names(): string {
    return this.#options.nodes.map(({ id }) => id).join(', ');
  }

  // ------------------------------------------------------------------ from the thread

  #open(node: string): Promise<void> {
    if (this.#closed) return Promise.reject(new Error(STOPPED));
    if (!this.#started) this.#start();
    return this.#openings.wait(node);
  }

  #start(): void {
    this.#started = true;
    const { topology, nodes } = this.#options;
    const setup = setupOf(topology, nodes, this.sources, this.#host.links.environments);
    for (const node of setup.nodes) {
      const what = notCopied(node);
      if (what === null) continue;
      const text = `it cannot run in a thread, because it has ${what}: set \`settings.threads\` to 0`;
      this.#openings.failed(node.id, new Error(text));
      return;
    }
    const worker = new Worker(WORKER, { workerData: setup });
    const lost = (error: Error) => {
      const text = this.#closed ? STOPPED : `the thread of ${this.#names} ended: ${error.message}`;
      const failure = new Error(text, { cause: error });
      this.#openings.lost(failure);
      if (!this.#closed) this.#host.fail(failure);
    };
    worker.on('message', (message: FromThread) => {
      this.#receive(message);
    });
    worker.on('error', lost);
    worker.on('messageerror', lost);
    worker.on('exit', (code) => {
      this.#worker = undefined;
      this.#nodesClosed();
      lost(new Error(`it ended with code ${code}`));
    });
    this.#worker = worker;
  }

  #receive(message: FromThread): void {
    if (message.kind === 'closed') {
      for (const event of message.events) if (event.kind === 'log') this.#events.handle(event);
      this.#nodesClosed();
    } else if (this.#closed) return;
    else if (message.kind === 'opened') this.#openings.succeeded(message.node);
    else if (message.kind === 'not opened') {
      const { node, code } = message;
      this.#openings.failed(node, Object.assign(new Error(message.message), code !== undefined && { code }));
    } else this.#apply(message);
  }

  #apply(message: Exclude<Answer, { kind: 'closed' }>): void {
    try {
      if (message.kind === 'done') {
        for (const update of message.updates) this.#events.update(update);
        this.#backlog.answered();
      }
      for (const event of message.events) this.#events.handle(event);
      this.#bound();
    } catch (error) {
      this.#host.fail(asError(error));
    }
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
