import { Worker } from 'node:worker_threads';
import { compiledModule } from '../../../pipeline/base/paths.js';
import type { LoadedBackend } from '../backends/backends.js';
import type { Answered } from './engine.js';
import { FairQueue } from './fair-queue.js';
import { transferOf, type Request } from '../windows/request.js';
import type { FromWorker, ToWorker, WorkerOptions } from './worker.js';
import { asError } from '../../../pipeline/base/error-text.js';

export interface ThreadOptions extends Omit<WorkerOptions, 'links'> {
  /** How long a window can wait for others before it is sent; 0: not at all. */
  readonly maxWaitMs: number;
  /** Which of several threads with the same options; default: the first, 0. */
  readonly index?: number;
}

/** A finished batch. */
export interface Batch {
  readonly number: number;
  readonly milliseconds: number;
}

/**
 * The backend computes nothing any more, and starting it again does not help. Windows can be computed by
 * another one.
 */
export class BackendLost extends Error {}

/** A window with a pending result. */
export interface Job {
  /** Name of the user: windows of different names take turns. */
  readonly name: string;
  /** Creates the request for each attempt: data transferred to a thread that died is lost. */
  readonly request: () => Request;
  readonly resolve: (sight: Answered, batch: Batch) => void;
  readonly reject: (error: Error) => void;
}

export interface ThreadUser {
  /** Only one of several users with the same name is notified of a crash. */
  readonly name: string;
  readonly onCrash: (reason: string) => void;
  /** How long this user waits for a window. */
  readonly timeoutMs: () => number;
}

/** Largest number of batches in the thread: it computes one while the next is fetched. */
const BATCHES_HANDED = 2;

/** Shortest silence of a thread that counts as a failure: GPU kernels are compiled on first use. */
const SILENCE_MS = 10_000;

/** Attempts for a window if the thread dies while possibly computing it. */
const ATTEMPTS = 3;

/** Threads of this process, by their options. */
const threads = new Map<string, NetworkThread>();

/**
 * The network in a separate thread, shared by all operators of the process with the same weights, backend and
 * batches: there is one copy of the weights, and their windows are computed together. Windows are sent
 * immediately, or after `maxWaitMs`. The thread computes together all windows that have arrived when the
 * previous batch is done, so this thread, which has other work, need not attend to every batch. At most two
 * batches are sent ahead; the rest is held here, where it can still be cancelled, and the users take turns. A
 * thread that dies, or is silent longer than any user waits, is restarted and receives its windows again.
 */
export class NetworkThread {
  readonly #key: string;
  readonly #options: ThreadOptions;
  readonly #users = new Set<ThreadUser>();
  /** Numbers of links that it is warmed up for. */
  readonly #links = new Set<number>();
  #worker: Worker | null = null;
  #backend: LoadedBackend | null = null;
  #opened: Promise<LoadedBackend> | null = null;
  /** Without a result, oldest first. */
  readonly #jobs = new Map<number, Job & { attempts: number }>();
  /** Those of them that were not sent yet. Either the timer runs, or the thread has its limit. */
  readonly #held = new FairQueue();
  #timer: NodeJS.Timeout | null = null;
  /** Sent and not computed yet, oldest first; includes cancelled ones. */
  readonly #handed = new Set<number>();
  #watchdog: NodeJS.Timeout | null = null;
  #numbers = 0;
  #batches = 0;
  #crashes = 0;
  /** Since the last result. */
  #crashesInRow = 0;
  /** Why inference is no longer possible: the thread could not be started or restarted. */
  #broken: Error | null = null;

  private constructor(key: string, options: ThreadOptions) {
    this.#key = key;
    this.#options = options;
  }

  /** The thread of this process with these options; its first user opens it. */
  static of(given: ThreadOptions): NetworkThread {
    const { weights, sha256, memory, backend, server, maxBatch, maxWaitMs, index = 0 } = given;
    const options = { weights, sha256, memory, backend, server, maxBatch, maxWaitMs, index };
    const key = JSON.stringify(options);
    let thread = threads.get(key);
    if (!thread) threads.set(key, (thread = new NetworkThread(key, options)));
    return thread;
  }

  get users(): number {
    return this.#users.size;
  }

  /** Windows without a result. */
  get pending(): number {
    return this.#jobs.size;
  }

  /** Number of restarts. */
  get restarts(): number {
    return this.#crashes;
  }

  /**
   * Starts the thread if necessary; resolves when it is ready. Rejects with what is missing and how to
   * install it.
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

  /** Why inference is no longer possible, if so. */
  get problem(): Error | null {
    return this.#broken;
  }

  /** Gives a window its number. */
  give(job: Job): number {
    const number = this.#numbers++;
    this.#jobs.set(number, { ...job, attempts: 0 });
    this.#held.add(job.name, number);
    const { maxBatch, maxWaitMs } = this.#options;
    if (maxWaitMs === 0 || this.#held.size >= maxBatch) this.#send();
    else if (this.#held.size === 1) {
      this.#timer ??= setTimeout(() => {
        this.#send();
      }, maxWaitMs);
    }
    return number;
  }

  /** Cancels a window: its result is no longer needed. */
  forget(number: number): void {
    const job = this.#jobs.get(number);
    if (!job) return;
    this.#jobs.delete(number);
    this.#held.delete(job.name, number);
  }

  /** Ends the thread as a crash would, makes it hang, or makes its backend fail: for tests. */
  crash(kind: 'crash' | 'hang' | 'lose' = 'crash'): void {
    this.#worker?.postMessage({ kind } satisfies ToWorker);
  }

  #open(): Promise<LoadedBackend> {
    const worker = new Worker(compiledModule(import.meta.url, './worker.js'), {
      workerData: { ...this.#options, links: [...this.#links] } satisfies WorkerOptions,
    });
    this.#worker = worker;
    const opened = new Promise<LoadedBackend>((resolve, reject) => {
      worker.on('message', (message: FromWorker) => {
        // It was abandoned, and its windows were sent to the next one.
        if (this.#worker !== worker) return;
        if (message.kind === 'ready') {
          this.#backend = message.backend;
          resolve(message.backend);
          this.#send();
        } else if (message.kind === 'unable') {
          reject(new Error(message.reason));
        } else if (message.kind === 'lost') {
          this.#lose(worker, message.reason);
        } else {
          this.#done(worker, message);
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
    const isRestart = this.#crashes > 0;
    opened.catch((error: unknown) => {
      if (this.#broken) return;
      const { message } = asError(error);
      this.#break(isRestart ? new BackendLost(message, { cause: error }) : asError(error));
    });
    return opened;
  }

  #break(error: Error): void {
    this.#broken = error;
    this.#retire();
    this.#rejectAll(error);
  }

  #lose(worker: Worker, reason: string): void {
    this.#worker = null;
    this.#backend = null;
    this.#break(new BackendLost(reason));
    // Not awaited: code hanging in a driver may never end.
    void worker.terminate();
  }

  /** Later requests for such a thread get another one. */
  #retire(): void {
    if (threads.get(this.#key) === this) threads.delete(this.#key);
  }

  /** Sends as many held windows as the thread's limit allows, once it is ready. */
  #send(): void {
    this.#stopWaiting();
    if (!this.#backend || !this.#worker) return;
    const room = BATCHES_HANDED * this.#options.maxBatch - this.#handed.size;
    const windows = this.#held
      .take(room)
      .map((number) => ({ number, request: this.#jobs.get(number)!.request() }));
    if (windows.length === 0) return;
    for (const { number } of windows) this.#handed.add(number);
    const transfer = transferOf(windows.map(({ request }) => request));
    this.#worker.postMessage({ kind: 'infer', windows } satisfies ToWorker, transfer);
    if (!this.#watchdog) this.#watch(this.#worker);
  }

  #stopWaiting(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** Waits for the thread's next result, if one is due, as long as the most patient of its users. */
  #watch(worker: Worker): void {
    this.#stopWatching();
    const limit = Math.max(SILENCE_MS, ...[...this.#users].map(({ timeoutMs }) => timeoutMs()));
    if (this.#handed.size === 0 || limit === Infinity) return;
    this.#watchdog = setTimeout(() => {
      this.#crashed(worker, `it was silent for ${limit} ms`);
      // Not awaited: code hanging in a driver may never end.
      void worker.terminate();
    }, limit).unref();
  }

  #stopWatching(): void {
    if (this.#watchdog) clearTimeout(this.#watchdog);
    this.#watchdog = null;
  }

  #done(worker: Worker, message: Extract<FromWorker, { readonly kind: 'done' | 'failed' }>): void {
    if (message.kind === 'done') this.#crashesInRow = 0;
    const batch = {
      milliseconds: message.kind === 'done' ? message.milliseconds : 0,
      number: ++this.#batches,
    };
    for (const window of message.numbers) this.#handed.delete(window);
    this.#watch(worker);
    if (!this.#timer) this.#send();
    message.numbers.forEach((window, index) => {
      const job = this.#jobs.get(window);
      this.#jobs.delete(window);
      if (message.kind === 'failed') job?.reject(new Error(message.reason));
      else job?.resolve(message.sights[index]!, batch);
    });
  }

  #crashed(worker: Worker, reason: string): void {
    if (this.#worker !== worker) return;
    const started = this.#backend !== null;
    // WebAssembly is what others are replaced by.
    const isReplaceable = this.#backend !== null && this.#backend.name !== 'wasm';
    this.#worker = null;
    this.#backend = null;
    // A thread that ends before it was ready would end again: `open` rejects instead.
    if (!started) return;
    this.#crashes++;
    if (isReplaceable && ++this.#crashesInRow >= ATTEMPTS) {
      this.#break(new BackendLost(`its thread ended ${ATTEMPTS} times in a row: ${reason}`));
      return;
    }
    this.#retry(reason);
    const named = new Map([...this.#users].map((user) => [user.name, user]));
    for (const user of named.values()) user.onCrash(reason);
    this.#opened = this.#open();
  }

  /** Holds all unfinished windows for the next thread. The oldest, up to a batch, may have caused the crash. */
  #retry(reason: string): void {
    for (const number of [...this.#handed].slice(0, this.#options.maxBatch)) {
      const job = this.#jobs.get(number);
      if (!job || ++job.attempts < ATTEMPTS) continue;
      this.#jobs.delete(number);
      job.reject(new Error(`The inference thread ended ${ATTEMPTS} times under this window (${reason}).`));
    }
    this.#empty();
    for (const [number, { name }] of this.#jobs) this.#held.add(name, number);
  }

  /** Nothing is held or sent. */
  #empty(): void {
    this.#stopWaiting();
    this.#stopWatching();
    this.#held.clear();
    this.#handed.clear();
  }

  #rejectAll(error: Error): void {
    const jobs = [...this.#jobs.values()];
    this.#jobs.clear();
    this.#empty();
    for (const job of jobs) job.reject(error);
  }
}
