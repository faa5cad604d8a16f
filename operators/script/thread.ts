import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from 'node:worker_threads';
import { compiledModule } from '../../pipeline/base/paths.js';
import type { Answer, FromScript, ScriptOrder } from './script.worker.js';

export interface ThreadOptions extends Omit<ScriptOrder, 'port'> {
  /** How long the script may take for a record, milliseconds. */
  readonly limitMs: number;
  /** Receives what the script prints. */
  readonly printed: (text: string) => void;
  /** The thread ended, and another one takes its place. */
  readonly ended: (reason: string) => void;
}

interface Job {
  readonly record: unknown;
  readonly resolve: (answer: Answer) => void;
}

interface Running {
  readonly worker: Worker;
  readonly port: MessagePort;
  isReady: boolean;
  /** Ends the wait for its start. */
  readonly opened: () => void;
  readonly refused: (reason: string) => void;
}

/** Limit until a thread has loaded the script; long, because a busy machine starts threads slowly. */
const START_MS = 30_000;

/** Memory of a thread, MiB. */
const HEAP_MB = 256;

/**
 * A script in a thread of its own: one that never returns, or takes too much memory, costs the record that it
 * works on and its thread, and nothing else. Answers come in the order of the records.
 */
export class ScriptThread {
  readonly #options: ThreadOptions;
  #running: Running | null = null;
  /** Without an answer, oldest first; the thread has all of them once it is ready. */
  readonly #jobs: Job[] = [];
  #watchdog: NodeJS.Timeout | null = null;
  /** Why there is no thread. */
  #problem = 'the script is closed';

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  /** Rejects with the reason if the script cannot be loaded. */
  open(): Promise<void> {
    const { entry, files, folder, printed } = this.#options;
    const { port1: port, port2 } = new MessageChannel();
    const order: ScriptOrder = { entry, files, folder, port: port2 };
    const worker = new Worker(compiledModule(import.meta.url, './script.worker.js'), {
      workerData: order,
      transferList: [port2],
      // A script has no business with the secrets among the variables.
      env: {},
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    for (const stream of [worker.stdout, worker.stderr]) stream.setEncoding('utf8').on('data', printed);
    port.on('message', (message: FromScript) => {
      this.#take(port, message);
    });
    worker.on('error', ({ message }: Error) => {
      this.#end(worker, `the thread of the script failed: ${message}`);
    });
    worker.on('exit', () => {
      this.#end(worker, 'the script ended its thread');
    });
    return new Promise((resolve, reject) => {
      const refused = (reason: string) => {
        reject(new Error(reason));
      };
      this.#running = { worker, port, isReady: false, opened: resolve, refused };
      this.#watch();
    });
  }

  process(record: unknown): Promise<Answer> {
    return new Promise((resolve) => {
      if (!this.#running) {
        resolve({ kind: 'failed', code: 'script.ended', reason: this.#problem });
        return;
      }
      this.#jobs.push({ record, resolve });
      if (!this.#running.isReady) return;
      this.#running.port.postMessage(record);
      if (!this.#watchdog) this.#watch();
    });
  }

  async close(): Promise<void> {
    await this.#stop('the script is closed');
  }

  #take(port: MessagePort, message: FromScript): void {
    // From a thread that was given up: its records were sent to the next one.
    if (this.#running?.port !== port) return;
    if (message.kind === 'unable') {
      this.#fail(message.reason);
      return;
    }
    if (message.kind === 'ready') {
      this.#running.isReady = true;
      for (const { record } of this.#jobs) port.postMessage(record);
      this.#running.opened();
    } else this.#jobs.shift()!.resolve(message);
    this.#watch();
  }

  /** Waits for the next message, if one is due. */
  #watch(): void {
    if (this.#watchdog) clearTimeout(this.#watchdog);
    this.#watchdog = null;
    const running = this.#running;
    if (!running || (running.isReady && this.#jobs.length === 0)) return;
    const limit = running.isReady ? this.#options.limitMs : START_MS;
    this.#watchdog = setTimeout(() => {
      this.#overdue(running.worker, running.port, limit);
    }, limit);
  }

  #overdue(worker: Worker, port: MessagePort, limit: number): void {
    this.#watchdog = null;
    // This thread may have been busy itself, with answers waiting.
    const waiting = receiveMessageOnPort(port) as { readonly message: FromScript } | undefined;
    if (waiting) this.#take(port, waiting.message);
    else this.#end(worker, `the script did not return within ${limit} ms`, 'script.timeout');
  }

  /** The record that the thread worked on fails; a new thread gets the others. */
  #end(worker: Worker, reason: string, code: 'script.ended' | 'script.timeout' = 'script.ended'): void {
    const running = this.#running;
    if (running?.worker !== worker) return;
    this.#drain(running.port);
    if (this.#running !== running) return;
    if (!running.isReady) {
      // The next one would not start either.
      this.#fail(reason);
      return;
    }
    this.#jobs.shift()?.resolve({ kind: 'failed', code, reason });
    void this.#release(running);
    this.#options.ended(reason);
    // Its failure is what every later record gets.
    this.open().catch(() => undefined);
  }

  /** What arrived before the end counts. */
  #drain(port: MessagePort): void {
    for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port))
      this.#take(port, (next as { readonly message: FromScript }).message);
  }

  #fail(reason: string): void {
    void this.#stop(reason);
  }

  async #stop(reason: string): Promise<void> {
    const running = this.#running;
    this.#problem = reason;
    this.#running = null;
    this.#watch();
    for (const { resolve } of this.#jobs.splice(0)) resolve({ kind: 'failed', code: 'script.ended', reason });
    if (running) {
      running.refused(reason);
      await this.#release(running);
    }
  }

  async #release({ worker, port }: Running): Promise<void> {
    port.close();
    await worker.terminate();
  }
}
