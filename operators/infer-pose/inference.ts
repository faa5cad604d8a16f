import { Worker } from 'node:worker_threads';
import { compiledModule } from '../../pipeline/telemetry/paths.js';
import type { LoadedBackend } from './backends.js';
import type { Estimate } from './estimate.js';
import { transferOf, type Request } from './request.js';
import type { FromWorker, ToWorker, WorkerOptions } from './worker.js';

export interface InferenceOptions extends WorkerOptions {
  /** How long a window may wait for others before it is sent; 0: not at all. */
  readonly maxWaitMs: number;
  /** A window that is not answered so long after it was given is rejected. Default: as long as it takes. */
  readonly timeoutMs?: number;
}

export interface Answer {
  readonly estimate: Estimate;
  /** Of the batch that the window travelled in. */
  readonly milliseconds: number;
}

/** Windows are tried so often when the thread dies while it may be computing them. */
const ATTEMPTS = 3;

interface Job {
  /** Makes the request anew for each attempt: what was handed to a thread that died is gone. */
  readonly request: () => Request;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
  /** Monotonic milliseconds. */
  readonly given: number;
  attempts: number;
}

/**
 * The network in a thread of its own. Windows are handed over at once, or after `maxWaitMs`; the thread computes
 * those together that are there when it is done with the ones before, so that this thread, which has other work,
 * need not look after it. A thread that dies is started again and its windows are sent again. Unanswered windows
 * are as many as the caller lets there be.
 */
export class Inference {
  readonly #options: InferenceOptions;
  readonly #onCrash: (reason: string) => void;
  #worker: Worker | null = null;
  #backend: LoadedBackend | null = null;
  /** Unanswered, oldest first. */
  readonly #jobs = new Map<number, Job>();
  /** Those of them that were not handed over yet. */
  #held: number[] = [];
  #timer: NodeJS.Timeout | null = null;
  #timeoutMs: number;
  #watchdog: NodeJS.Timeout | null = null;
  #numbers = 0;
  #batches = 0;
  #answered = 0;
  #crashes = 0;
  /** Moving mean of a batch's time, milliseconds. */
  #meanMs = 0;
  #closed = false;
  /** Why nothing more can be inferred: the thread could not be started again. */
  #broken: Error | null = null;

  constructor(options: InferenceOptions, onCrash: (reason: string) => void) {
    this.#options = options;
    this.#onCrash = onCrash;
    this.#timeoutMs = options.timeoutMs ?? Infinity;
  }

  /** Holds for the windows under way too. */
  setTimeout(ms: number): void {
    this.#timeoutMs = ms;
    this.#watch();
  }

  /** Starts the thread; resolves when it is warm. Rejects with what is missing and how to get it. */
  async open(): Promise<LoadedBackend> {
    this.#closed = false;
    this.#broken = null;
    const { weights, backend, links, maxBatch } = this.#options;
    const worker = new Worker(compiledModule(import.meta.url, './worker.js'), {
      workerData: { weights, backend, links, maxBatch } satisfies WorkerOptions,
    });
    this.#worker = worker;
    return new Promise((resolve, reject) => {
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
  }

  /** The answer for one window. `request` is called for each attempt. */
  infer(request: () => Request): Promise<Answer> {
    if (this.#closed) return Promise.reject(new Error('The inference thread is closed.'));
    if (this.#broken) return Promise.reject(this.#broken);
    return new Promise((resolve, reject) => {
      const number = this.#numbers++;
      this.#jobs.set(number, { request, resolve, reject, given: performance.now(), attempts: 0 });
      this.#held.push(number);
      if (!this.#watchdog) this.#watch();
      const { maxBatch, maxWaitMs } = this.#options;
      if (maxWaitMs === 0 || this.#held.length >= maxBatch) this.#send();
      else {
        this.#timer ??= setTimeout(() => {
          this.#send();
        }, maxWaitMs);
      }
    });
  }

  /** Ends the thread. Unanswered windows are rejected: who wants their answers awaits them first. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#watchdog) clearTimeout(this.#watchdog);
    this.#watchdog = null;
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

  /** Hands over what is held, once the thread is ready. */
  #send(): void {
    if (!this.#backend || !this.#worker || this.#held.length === 0) return;
    const windows = this.#held.map((number) => ({ number, request: this.#jobs.get(number)!.request() }));
    this.#hold([]);
    const transfer = transferOf(windows.map(({ request }) => request));
    this.#worker.postMessage({ kind: 'infer', windows } satisfies ToWorker, transfer);
  }

  /** Waits for the oldest window's time to be over, if there is one. */
  #watch(): void {
    if (this.#watchdog) clearTimeout(this.#watchdog);
    this.#watchdog = null;
    const [oldest] = this.#jobs.values();
    if (!oldest || this.#timeoutMs === Infinity) return;
    const left = Math.max(0, oldest.given + this.#timeoutMs - performance.now());
    this.#watchdog = setTimeout(() => {
      this.#expire();
      this.#watch();
    }, left).unref();
  }

  #expire(): void {
    const latest = performance.now() - this.#timeoutMs;
    for (const [number, job] of this.#jobs) {
      if (job.given > latest) break;
      this.#jobs.delete(number);
      job.reject(new Error(`The network did not answer within ${this.#timeoutMs} ms.`));
    }
    this.#held = this.#held.filter((number) => this.#jobs.has(number));
  }

  #hold(numbers: number[]): void {
    this.#held = numbers;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #done(message: Extract<FromWorker, { numbers: readonly number[] }>): void {
    const { numbers } = message;
    numbers.forEach((number, index) => {
      const job = this.#jobs.get(number);
      this.#jobs.delete(number);
      if (message.kind === 'failed') job?.reject(new Error(message.reason));
      else job?.resolve({ estimate: message.estimates[index]!, milliseconds: message.milliseconds });
    });
    this.#batches++;
    this.#answered += numbers.length;
    if (message.kind === 'failed') return;
    const weight = this.#meanMs === 0 ? 1 : MEAN_WEIGHT;
    this.#meanMs += weight * (message.milliseconds - this.#meanMs);
  }

  #crashed(worker: Worker, reason: string): void {
    if (this.#closed || this.#worker !== worker) return;
    const started = this.#backend !== null;
    this.#worker = null;
    this.#backend = null;
    this.#retry(reason);
    // One that ends before it was ready would end again: `open` rejects instead.
    if (!started) return;
    this.#crashes++;
    this.#onCrash(reason);
    this.open().catch((error: unknown) => {
      this.#broken = error instanceof Error ? error : new Error(String(error));
      this.#rejectAll(this.#broken);
    });
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

/** Weight of the newest batch in the mean. */
const MEAN_WEIGHT = 0.1;
