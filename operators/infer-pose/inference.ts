import type { LoadedBackend } from './backends.js';
import type { Answered } from './engine.js';
import { NetworkThread, type Batch, type ThreadOptions, type ThreadUser } from './network-thread.js';
import type { Request } from './request.js';

export interface InferenceOptions extends ThreadOptions {
  /** Owner of these windows: topology and node. */
  readonly name: string;
  /** Numbers of links to warm up for. */
  readonly links: readonly number[];
  /** A window without a result after this time is rejected. Default: no limit. */
  readonly timeoutMs?: number;
}

export interface Answer {
  readonly sight: Answered;
  /** For the batch of the window. */
  readonly milliseconds: number;
}

interface Waiting {
  readonly reject: (error: Error) => void;
  /** Monotonic milliseconds. */
  readonly given: number;
}

/** One operator's use of a network thread, which others may use too. */
export class Inference {
  readonly #options: InferenceOptions;
  readonly #user: ThreadUser;
  #thread: NetworkThread | null = null;
  #backend: LoadedBackend | null = null;
  /** Windows without a result, oldest first, by the thread's numbers. */
  readonly #waiting = new Map<number, Waiting>();
  #timeoutMs: number;
  #watchdog: NodeJS.Timeout | null = null;
  #lastBatch = 0;
  #batches = 0;
  #answered = 0;
  /** Moving mean of a batch's time, milliseconds. */
  #meanMs = 0;

  constructor(options: InferenceOptions, onCrash: (reason: string) => void) {
    this.#options = options;
    this.#user = { name: options.name, onCrash, timeoutMs: () => this.#timeoutMs };
    this.#timeoutMs = options.timeoutMs ?? Infinity;
  }

  /** Also applies to the windows in progress. */
  setTimeout(ms: number): void {
    this.#timeoutMs = ms;
    this.#watch();
  }

  /** Resolves when the thread is ready. Rejects with what is missing and how to install it. */
  async open(): Promise<LoadedBackend> {
    this.#thread = NetworkThread.of(this.#options);
    this.#backend = await this.#thread.join(this.#user, this.#options.links);
    return this.#backend;
  }

  /** The result for one window. `request` is called for each attempt. */
  infer(request: () => Request): Promise<Answer> {
    const thread = this.#thread;
    if (!thread) return Promise.reject(new Error('The inference thread is closed.'));
    if (thread.problem) return Promise.reject(thread.problem);
    return new Promise((resolve, reject) => {
      const number = thread.give({
        name: this.#user.name,
        request,
        resolve: (sight, batch) => {
          this.#waiting.delete(number);
          this.#count(batch);
          resolve({ sight, milliseconds: batch.milliseconds });
        },
        reject: (error) => {
          this.#waiting.delete(number);
          reject(error);
        },
      });
      this.#waiting.set(number, { reject, given: performance.now() });
      if (!this.#watchdog) this.#watch();
    });
  }

  /** Rejects unfinished windows; to get their results, await them first. */
  async close(): Promise<void> {
    if (this.#watchdog) clearTimeout(this.#watchdog);
    this.#watchdog = null;
    const thread = this.#thread;
    this.#thread = null;
    this.#backend = null;
    for (const [number, { reject }] of this.#waiting) {
      thread?.forget(number);
      reject(new Error('The inference thread was closed.'));
    }
    this.#waiting.clear();
    await thread?.leave(this.#user);
  }

  /** For status pages: this operator's use of the thread. */
  describe(): Readonly<Record<string, unknown>> {
    return {
      backend: this.#backend?.name ?? null,
      device: this.#backend?.device ?? null,
      reason: this.#backend?.reason ?? null,
      shared_by: this.#thread?.users ?? 0,
      batches: this.#batches,
      windows: this.#answered,
      inference_ms: Math.round(this.#meanMs * 1000) / 1000,
      restarts: this.#thread?.restarts ?? 0,
    };
  }

  /** Ends the thread as a crash would, or makes it hang: for tests. */
  crash(kind?: 'crash' | 'hang'): void {
    this.#thread?.crash(kind);
  }

  /** Arms the timeout of the oldest window, if there is one. */
  #watch(): void {
    if (this.#watchdog) clearTimeout(this.#watchdog);
    this.#watchdog = null;
    const [oldest] = this.#waiting.values();
    if (!oldest || this.#timeoutMs === Infinity) return;
    const left = Math.max(0, oldest.given + this.#timeoutMs - performance.now());
    this.#watchdog = setTimeout(() => {
      this.#expire();
      this.#watch();
    }, left).unref();
  }

  #expire(): void {
    const latest = performance.now() - this.#timeoutMs;
    for (const [number, { given, reject }] of this.#waiting) {
      if (given > latest) break;
      this.#waiting.delete(number);
      this.#thread?.forget(number);
      reject(new Error(`The network did not answer within ${this.#timeoutMs} ms.`));
    }
  }

  /** A batch with windows of several operators counts once for each. */
  #count({ number, milliseconds }: Batch): void {
    this.#answered++;
    if (number === this.#lastBatch) return;
    this.#lastBatch = number;
    const weight = this.#batches++ === 0 ? 1 : MEAN_WEIGHT;
    this.#meanMs += weight * (milliseconds - this.#meanMs);
  }
}

/** Weight of the newest batch in the mean. */
const MEAN_WEIGHT = 0.1;
