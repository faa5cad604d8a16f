import { Worker } from 'node:worker_threads';
import { compiledModule } from '../../pipeline/telemetry/paths.js';
import type { LoadedBackend } from './backends.js';
import type { Estimate } from './estimate.js';
import { transferOf, type Request } from './request.js';
import type { FromWorker, ToWorker, WorkerOptions } from './worker.js';

export interface InferenceOptions extends WorkerOptions {
  /** Windows of a batch at most. */
  readonly maxBatch: number;
  /** How long the first window of a batch may wait for others. */
  readonly maxWaitMs: number;
}

export interface Answer {
  readonly estimate: Estimate;
  /** Of the batch that the window travelled in. */
  readonly milliseconds: number;
}

/** Batches on their way or waiting are tried so often when the thread dies under them. */
const ATTEMPTS = 3;

interface Job {
  /** Makes the request anew for each attempt: what was handed to a thread that died is gone. */
  readonly request: () => Request;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
  attempts: number;
}

/**
 * The network in a thread of its own, fed with micro-batches: windows that arrive within `maxWaitMs`, or while
 * a batch is under way, travel together. A thread that dies is started again and its windows are sent again.
 * Waiting windows are as many as the caller leaves unanswered.
 */
export class Inference {
  readonly #options: InferenceOptions;
  readonly #onCrash: (reason: string) => void;
  #worker: Worker | null = null;
  #backend: LoadedBackend | null = null;
  #waiting: Job[] = [];
  #flying: { readonly batch: number; readonly jobs: readonly Job[] } | null = null;
  #batches = 0;
  #answered = 0;
  #crashes = 0;
  /** Cancels the flush that is due later. */
  #cancelFlush: (() => void) | null = null;
  /** Moving mean of a batch's time, milliseconds. */
  #meanMs = 0;
  #due = false;
  #closed = false;
  /** Why nothing more can be inferred: the thread could not be started again. */
  #broken: Error | null = null;

  constructor(options: InferenceOptions, onCrash: (reason: string) => void) {
    this.#options = options;
    this.#onCrash = onCrash;
  }

  /** Starts the thread; resolves when it is warm. Rejects with what is missing and how to get it. */
  async open(): Promise<LoadedBackend> {
    this.#closed = false;
    this.#broken = null;
    const worker = new Worker(compiledModule(import.meta.url, './worker.js'), {
      workerData: {
        weights: this.#options.weights,
        backend: this.#options.backend,
        links: this.#options.links,
      } satisfies WorkerOptions,
    });
    this.#worker = worker;
    return new Promise((resolve, reject) => {
      worker.on('message', (message: FromWorker) => {
        if (message.kind === 'ready') {
          this.#backend = message.backend;
          resolve(message.backend);
          this.#flush();
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
  }

  /** The answer for one window. `request` is called for each attempt. */
  infer(request: () => Request): Promise<Answer> {
    if (this.#closed) return Promise.reject(new Error('The inference thread is closed.'));
    if (this.#broken) return Promise.reject(this.#broken);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject, attempts: 0 });
      if (this.#waiting.length >= this.#options.maxBatch) this.#flush();
      else
        this.#cancelFlush ??= later(this.#options.maxWaitMs, () => {
          this.#cancelFlush = null;
          this.#due = true;
          this.#flush();
        });
    });
  }

  /** Answers what is under way, then ends the thread. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelFlush?.();
    this.#cancelFlush = null;
    const worker = this.#worker;
    this.#worker = null;
    this.#backend = null;
    this.#rejectAll(new Error('The inference thread was closed.'));
    await worker?.terminate();
  }

  /** For status pages. */
  describe(): Readonly<Record<string, unknown>> {
    return {
      backend: this.#backend?.name ?? null,
      device: this.#backend?.device ?? null,
      reason: this.#backend?.reason ?? null,
      batches: this.#batches,
      windows: this.#answered,
      inference_ms: Math.round(this.#meanMs * 1000) / 1000,
      restarts: this.#crashes,
    };
  }

  /** Ends the thread as a crash would: for tests. */
  crash(): void {
    this.#worker?.postMessage({ kind: 'crash' } satisfies ToWorker);
  }

  #flush(): void {
    const ready = this.#waiting.length >= this.#options.maxBatch || this.#due;
    if (this.#flying || !this.#backend || !this.#worker || this.#waiting.length === 0 || !ready) return;
    const jobs = this.#waiting.splice(0, this.#options.maxBatch);
    // What waits on has waited behind this batch: it goes with the next one at once.
    this.#due = this.#waiting.length > 0;
    const batch = this.#batches++;
    this.#flying = { batch, jobs };
    const requests = jobs.map((job) => job.request());
    this.#worker.postMessage({ kind: 'infer', batch, requests } satisfies ToWorker, transferOf(requests));
  }

  #done(message: Extract<FromWorker, { batch: number }>): void {
    const flying = this.#flying;
    if (flying?.batch !== message.batch) return;
    this.#flying = null;
    flying.jobs.forEach((job, index) => {
      if (message.kind === 'failed') job.reject(new Error(message.reason));
      else job.resolve({ estimate: message.estimates[index]!, milliseconds: message.milliseconds });
    });
    this.#answered += flying.jobs.length;
    if (message.kind !== 'failed') {
      this.#meanMs += (this.#meanMs === 0 ? 1 : MEAN_WEIGHT) * (message.milliseconds - this.#meanMs);
    }
    if (this.#waiting.length > 0) this.#due = true;
    this.#flush();
  }

  #crashed(worker: Worker, reason: string): void {
    if (this.#closed || this.#worker !== worker) return;
    const started = this.#backend !== null;
    this.#worker = null;
    this.#backend = null;
    const jobs = [...(this.#flying?.jobs ?? [])];
    this.#flying = null;
    for (const job of jobs) job.attempts++;
    const lost = jobs.filter((job) => job.attempts >= ATTEMPTS);
    this.#waiting.unshift(...jobs.filter((job) => job.attempts < ATTEMPTS));
    this.#due = true;
    for (const job of lost) {
      job.reject(new Error(`The inference thread ended ${ATTEMPTS} times under this window (${reason}).`));
    }
    // One that ends before it was ready would end again: `open` rejects instead.
    if (!started) return;
    this.#crashes++;
    this.#onCrash(reason);
    this.open().catch((error: unknown) => {
      this.#broken = error instanceof Error ? error : new Error(String(error));
      this.#rejectAll(this.#broken);
    });
  }

  #rejectAll(error: Error): void {
    const jobs = [...(this.#flying?.jobs ?? []), ...this.#waiting];
    this.#flying = null;
    this.#waiting = [];
    for (const job of jobs) job.reject(error);
  }
}

/** Weight of the newest batch in the mean. */
const MEAN_WEIGHT = 0.1;

/** Runs something after a time; 0 is this turn of the event loop's end, without a timer's millisecond. */
function later(milliseconds: number, run: () => void): () => void {
  if (milliseconds === 0) {
    const immediate = setImmediate(run);
    return () => {
      clearImmediate(immediate);
    };
  }
  const timer = setTimeout(run, milliseconds);
  return () => {
    clearTimeout(timer);
  };
}
