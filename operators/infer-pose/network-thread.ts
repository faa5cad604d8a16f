import { Worker } from 'node:worker_threads';
import { compiledModule } from '../../pipeline/telemetry/paths.js';
import type { LoadedBackend } from './backends.js';
import type { Estimate } from './estimate.js';
import { transferOf, type Request } from './request.js';
import type { FromWorker, ToWorker, WorkerOptions } from './worker.js';

export interface ThreadOptions extends Omit<WorkerOptions, 'links'> {
  /** How long a window may wait for others before it is sent; 0: not at all. */
  readonly maxWaitMs: number;
}

/** A batch that was computed. */
export interface Batch {
  readonly number: number;
  readonly milliseconds: number;
}

/** A window that somebody wants an answer for. */
export interface Job {
  /** Makes the request anew for each attempt: what was handed to a thread that died is gone. */
  readonly request: () => Request;
  readonly resolve: (estimate: Estimate, batch: Batch) => void;
  readonly reject: (error: Error) => void;
}

export interface ThreadUser {
  /** Of users with the same name one is told of a crash. */
  readonly name: string;
  readonly onCrash: (reason: string) => void;
}

/** Windows are tried so often when the thread dies while it may be computing them. */
const ATTEMPTS = 3;

/** Of this process, by what they were asked to be. */
const threads = new Map<string, NetworkThread>();

/**
 * The network in a thread of its own, shared by all operators of the process that ask for the same weights,
 * backend and batches: one copy of the weights, and their windows are computed together. Windows are handed over
 * at once, or after `maxWaitMs`; the thread computes those together that are there when it is done with the ones
 * before, so that this thread, which has other work, need not look after it. A thread that dies is started again
 * and its windows are sent again. Unanswered windows are as many as the callers let there be.
 */
export class NetworkThread {
  readonly #key: string;
  readonly #options: ThreadOptions;
  readonly #users = new Set<ThreadUser>();
  /** Numbers of links that it is warm for. */
  readonly #links = new Set<number>();
  #worker: Worker | null = null;
  #backend: LoadedBackend | null = null;
  #opened: Promise<LoadedBackend> | null = null;
  /** Unanswered, oldest first. */
  readonly #jobs = new Map<number, Job & { attempts: number }>();
  /** Those of them that were not handed over yet. */
  #held: number[] = [];
  #timer: NodeJS.Timeout | null = null;
  #numbers = 0;
  #batches = 0;
  #crashes = 0;
  /** Why nothing more can be inferred: the thread could not be started, or not started again. */
  #broken: Error | null = null;

  private constructor(key: string, options: ThreadOptions) {
    this.#key = key;
    this.#options = options;
  }

  /** The thread of this process that is as asked for; it is opened by its first user. */
  static of({ weights, sha256, backend, maxBatch, maxWaitMs }: ThreadOptions): NetworkThread {
    const options = { weights, sha256, backend, maxBatch, maxWaitMs };
    const key = JSON.stringify(Object.values(options));
    let thread = threads.get(key);
    if (!thread) threads.set(key, (thread = new NetworkThread(key, options)));
    return thread;
  }

  get users(): number {
    return this.#users.size;
  }

  /** How often it was started again. */
  get restarts(): number {
    return this.#crashes;
  }

  /**
   * Starts the thread where nobody has; resolves when it is there. Rejects with what is missing and how to get it.
   * @param links numbers of links to warm up for
   */
  join(user: ThreadUser, links: readonly number[]): Promise<LoadedBackend> {
    this.#users.add(user);
    const cold = links.filter((count) => !this.#links.has(count));
    for (const count of cold) this.#links.add(count);
    if (!this.#opened) this.#opened = this.#open();
    else if (cold.length > 0) this.#worker?.postMessage({ kind: 'warm', links: cold } satisfies ToWorker);
    return this.#opened;
  }

  /** Ends the thread with its last user. */
  async leave(user: ThreadUser): Promise<void> {
    this.#users.delete(user);
    if (this.#users.size > 0) return;
    this.#retire();
    const worker = this.#worker;
    this.#worker = null;
    this.#backend = null;
    this.#rejectAll(new Error('The inference thread was closed.'));
    await worker?.terminate();
  }

  /** Why nothing more can be inferred, where that is so. */
  get problem(): Error | null {
    return this.#broken;
  }

  /** Gives a window its number. */
  give(job: Job): number {
    const number = this.#numbers++;
    this.#jobs.set(number, { ...job, attempts: 0 });
    this.#held.push(number);
    const { maxBatch, maxWaitMs } = this.#options;
    if (maxWaitMs === 0 || this.#held.length >= maxBatch) this.#send();
    else {
      this.#timer ??= setTimeout(() => {
        this.#timer = null;
        this.#send();
      }, maxWaitMs);
    }
    return number;
  }

  /** Nobody wants this window's answer any more. */
  forget(number: number): void {
    if (this.#jobs.delete(number)) this.#held = this.#held.filter((held) => held !== number);
  }

  /** Ends the thread as a crash would: for tests. */
  crash(): void {
    this.#worker?.postMessage({ kind: 'crash' } satisfies ToWorker);
  }

  #open(): Promise<LoadedBackend> {
    const worker = new Worker(compiledModule(import.meta.url, './worker.js'), {
      workerData: { ...this.#options, links: [...this.#links] } satisfies WorkerOptions,
    });
    this.#worker = worker;
    const opened = new Promise<LoadedBackend>((resolve, reject) => {
      worker.on('message', (message: FromWorker) => {
        if (message.kind === 'ready') {
          this.#backend = message.backend;
          resolve(message.backend);
          this.#send();
        } else if (message.kind === 'unable') {
          reject(new Error(message.reason));
        } else {
          this.#done(message);
        }
      });
      worker.on('error', (error: Error) => {
        this.#crashed(worker, error.message);
        reject(error);
      });
      worker.on('exit', (code) => {
        this.#crashed(worker, `it ended with code ${code}`);
        reject(new Error(`The inference thread ended with code ${code}.`));
      });
    });
    opened.catch((error: unknown) => {
      this.#broken = error instanceof Error ? error : new Error(String(error));
      this.#retire();
      this.#rejectAll(this.#broken);
    });
    return opened;
  }

  /** Whoever asks for such a thread from now on gets another one. */
  #retire(): void {
    if (threads.get(this.#key) === this) threads.delete(this.#key);
  }

  /** Hands over what is held, once the thread is ready. */
  #send(): void {
    if (!this.#backend || !this.#worker || this.#held.length === 0) return;
    const windows = this.#held.map((number) => ({ number, request: this.#jobs.get(number)!.request() }));
    this.#hold([]);
    const transfer = transferOf(windows.map(({ request }) => request));
    this.#worker.postMessage({ kind: 'infer', windows } satisfies ToWorker, transfer);
  }

  #hold(numbers: number[]): void {
    this.#held = numbers;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #done(message: Extract<FromWorker, { numbers: readonly number[] }>): void {
    const number = ++this.#batches;
    message.numbers.forEach((window, index) => {
      const job = this.#jobs.get(window);
      this.#jobs.delete(window);
      if (message.kind === 'failed') job?.reject(new Error(message.reason));
      else job?.resolve(message.estimates[index]!, { number, milliseconds: message.milliseconds });
    });
  }

  #crashed(worker: Worker, reason: string): void {
    if (this.#worker !== worker) return;
    const started = this.#backend !== null;
    this.#worker = null;
    this.#backend = null;
    // One that ends before it was ready would end again: `open` rejects instead.
    if (!started) return;
    this.#retry(reason);
    this.#crashes++;
    const named = new Map([...this.#users].map((user) => [user.name, user]));
    for (const user of named.values()) user.onCrash(reason);
    this.#opened = this.#open();
  }

  /** Holds all that is unanswered for the next thread. The oldest, up to a batch, are those that it may have died of. */
  #retry(reason: string): void {
    const held = new Set(this.#held);
    const suspects = [...this.#jobs].filter(([number]) => !held.has(number)).slice(0, this.#options.maxBatch);
    for (const [number, job] of suspects) {
      if (++job.attempts < ATTEMPTS) continue;
      this.#jobs.delete(number);
      job.reject(new Error(`The inference thread ended ${ATTEMPTS} times under this window (${reason}).`));
    }
    this.#hold([...this.#jobs.keys()]);
  }

  #rejectAll(error: Error): void {
    const jobs = [...this.#jobs.values()];
    this.#jobs.clear();
    this.#hold([]);
    for (const job of jobs) job.reject(error);
  }
}
