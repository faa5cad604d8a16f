import { errorText } from '../../../pipeline/base/error-text.js';
import type { LoadedBackend } from '../backends/backends.js';
import type { Answered } from './engine.js';
import {
  BackendLost,
  NetworkThread,
  type Batch,
  type ThreadOptions,
  type ThreadUser,
} from './network-thread.js';
import type { Request } from '../windows/request.js';

export interface InferenceOptions extends Omit<ThreadOptions, 'index'> {
  /** Owner of these windows: topology and node. */
  readonly name: string;
  /** Numbers of links to warm up for. */
  readonly links: readonly number[];
  /** Threads that compute, each with its own copy of the networks. Default: one. */
  readonly threads?: number;
  /** A window without a result after this time is rejected. Default: no limit. */
  readonly timeoutMs?: number;
  /** Whether WebAssembly takes over if the backend fails. Default: yes. */
  readonly fallsBack?: boolean;
  /** Pause before the backend is tried again, milliseconds. Default: 30 s. */
  readonly retryMs?: number;
}

/** What is reported to the owner. */
export interface InferenceEvents {
  /** A thread ended and is restarted. */
  readonly crashed: (reason: string) => void;
  /**
   * The backend failed, for this reason, and is tried again; null: it computes again.
   * @param hasFallback WebAssembly takes over; otherwise windows are rejected
   */
  readonly lost: (reason: string | null, hasFallback: boolean) => void;
}

export interface Answer {
  readonly sight: Answered;
  /** For the batch of the window. */
  readonly milliseconds: number;
}

interface Waiting {
  readonly request: () => Request;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
  /** Monotonic milliseconds. */
  readonly given: number;
  readonly answer: Promise<Answer>;
  /** Forgets it in its thread. */
  forget: () => void;
}

const RETRY_MS = 30_000;

/** One operator's use of network threads, which others may use too. */
export class Inference {
  readonly #options: InferenceOptions;
  readonly #events: InferenceEvents;
  readonly #user: ThreadUser;
  #chosen: InferenceOptions;
  #threads: readonly NetworkThread[] = [];
  #backend: LoadedBackend | null = null;
  /** Windows without a result, oldest first. */
  readonly #waiting = new Set<Waiting>();
  #timeoutMs: number;
  #watchdog: NodeJS.Timeout | null = null;
  #lastBatch: Batch | null = null;
  #batches = 0;
  #answered = 0;
  /** Moving mean of a batch's time, milliseconds. */
  #meanMs = 0;
  #isClosed = false;
  #falling: Promise<void> | null = null;
  /** Why WebAssembly has taken over; null: it has not. */
  #fallback: string | null = null;
  #retry: NodeJS.Timeout | null = null;

  constructor(options: InferenceOptions, events: InferenceEvents) {
    this.#options = this.#chosen = options;
    this.#events = events;
    this.#user = { name: options.name, onCrash: events.crashed, timeoutMs: () => this.#timeoutMs };
    this.#timeoutMs = options.timeoutMs ?? Infinity;
  }

  /** Also applies to the windows in progress. */
  setTimeout(ms: number): void {
    this.#timeoutMs = ms;
    this.#watch();
  }

  /**
   * Resolves when the threads are ready. Rejects with what is missing and how to install it; a server that is
   * offline counts as a failure in mid-run, so WebAssembly takes over.
   * @param fallsBack false: it rejects instead
   */
  async open(fallsBack = this.#fallsBack): Promise<LoadedBackend> {
    const threads = this.#threadsOf(this.#options);
    try {
      const backend = await this.#join(threads);
      this.#requireOpen();
      this.#backend = backend;
      this.#threads = threads;
      // `auto` is not tried again after a failure: it would be content with WebAssembly.
      this.#chosen = { ...this.#options, backend: this.#backend.name };
    } catch (error) {
      await this.#leave(threads);
      if (this.#options.backend !== 'remote' || !fallsBack || this.#isClosed) throw error;
      await this.#fallBack(errorText(error));
      this.#requireOpen();
    }
    return this.#backend!;
  }

  /** Closed meanwhile: nobody would end its threads. */
  #requireOpen(): void {
    if (this.#isClosed) throw new Error('The inference thread was closed.');
  }

  /** The result for one window. `request` is called for each attempt. */
  infer(request: () => Request): Promise<Answer> {
    if (this.#isClosed || this.#threads.length === 0)
      return Promise.reject(new Error('The inference thread is closed.'));
    const { promise: answer, resolve, reject } = deferred<Answer>();
    const given = performance.now();
    const waiting: Waiting = { request, resolve, reject, answer, given, forget: () => undefined };
    this.#waiting.add(waiting);
    this.#give(waiting);
    if (!this.#watchdog) this.#watch();
    return answer;
  }

  /** Rejects unfinished windows; to get their results, await them first. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#watchdog) clearTimeout(this.#watchdog);
    if (this.#retry) clearTimeout(this.#retry);
    this.#watchdog = this.#retry = null;
    for (const waiting of this.#waiting) this.#drop(waiting, new Error('The inference thread was closed.'));
    await this.#falling?.catch(() => undefined);
    const threads = this.#threads;
    this.#threads = [];
    this.#backend = null;
    await this.#leave(threads);
  }

  /** For status pages: this operator's use of the threads. */
  describe(): Readonly<Record<string, unknown>> {
    const [first] = this.#threads;
    return {
      backend: this.#backend?.name ?? null,
      device: this.#backend?.device ?? null,
      reason: this.#backend?.reason ?? null,
      fallback: this.#fallback,
      threads: this.#threads.length,
      shared_by: first?.users ?? 0,
      batches: this.#batches,
      windows: this.#answered,
      inference_ms: Math.round(this.#meanMs * 1000) / 1000,
      restarts: this.#threads.reduce((sum, { restarts }) => sum + restarts, 0),
    };
  }

  /** Ends the first thread as a crash would, makes it hang, or makes its backend fail: for tests. */
  crash(kind?: 'crash' | 'hang' | 'lose'): void {
    this.#threads[0]?.crash(kind);
  }

  get #fallsBack(): boolean {
    return this.#options.fallsBack ?? true;
  }

  #threadsOf(options: InferenceOptions): readonly NetworkThread[] {
    return Array.from({ length: options.threads ?? 1 }, (_, index) =>
      NetworkThread.of({ ...options, index }),
    );
  }

  async #join(threads: readonly NetworkThread[]): Promise<LoadedBackend> {
    const backends = await Promise.all(threads.map((thread) => thread.join(this.#user, this.#options.links)));
    return backends[0]!;
  }

  async #leave(threads: readonly NetworkThread[]): Promise<void> {
    await Promise.all(threads.map((thread) => thread.leave(this.#user)));
  }

  /** To the thread with the fewest windows. */
  #give(waiting: Waiting): void {
    const thread = this.#threads.reduce((least, one) => (one.pending < least.pending ? one : least));
    if (thread.problem) {
      this.#failed(waiting, thread.problem);
      return;
    }
    const number = thread.give({
      name: this.#user.name,
      request: waiting.request,
      resolve: (sight, batch) => {
        if (!this.#waiting.delete(waiting)) return;
        this.#count(batch);
        waiting.resolve({ sight, milliseconds: batch.milliseconds });
      },
      reject: (error) => {
        this.#failed(waiting, error);
      },
    });
    waiting.forget = () => {
      thread.forget(number);
    };
  }

  /** A window whose backend was lost is computed by the fallback; any other one is rejected. */
  #failed(waiting: Waiting, error: Error): void {
    if (!this.#waiting.has(waiting)) return;
    const canFallBack = error instanceof BackendLost && this.#fallsBack && this.#backend?.name !== 'wasm';
    if (!canFallBack && !this.#falling) {
      if (error instanceof BackendLost) this.#awaitReturn(error.message);
      this.#drop(waiting, error);
      return;
    }
    this.#fallBack(error.message).then(
      () => {
        if (this.#waiting.has(waiting)) this.#give(waiting);
      },
      (reason: unknown) => {
        this.#drop(waiting, new Error(errorText(reason), { cause: reason }));
      },
    );
  }

  #drop(waiting: Waiting, error: Error): void {
    if (!this.#waiting.delete(waiting)) return;
    waiting.forget();
    waiting.reject(error);
  }

  /** WebAssembly takes over; later the backend is tried again. */
  #fallBack(reason: string): Promise<void> {
    this.#falling ??= this.#replace(reason).finally(() => {
      this.#falling = null;
    });
    return this.#falling;
  }

  async #replace(reason: string): Promise<void> {
    const lost = this.#threads;
    const threads = this.#threadsOf({ ...this.#options, backend: 'wasm', server: undefined });
    const backend = await this.#join(threads);
    await this.#leave(lost);
    if (this.#isClosed) {
      await this.#leave(threads);
      return;
    }
    this.#threads = threads;
    this.#fallback = reason;
    this.#backend = { ...backend, reason: `${this.#options.backend} failed: ${reason}` };
    this.#events.lost(reason, true);
    this.#plan();
  }

  /** Nothing takes over: the backend is tried again. */
  #awaitReturn(reason: string): void {
    if (this.#retry || this.#isClosed) return;
    this.#events.lost(reason, false);
    this.#plan();
  }

  /** `#retry` is set until the backend computes again. */
  #plan(): void {
    this.#retry = setTimeout(() => {
      void this.#return();
    }, this.#options.retryMs ?? RETRY_MS).unref();
  }

  /** Back to the configured backend, if it works again; windows in progress stay where they are. */
  async #return(): Promise<void> {
    const threads = this.#threadsOf(this.#chosen);
    try {
      const backend = await this.#join(threads);
      if (this.#isClosed) {
        await this.#leave(threads);
        return;
      }
      const former = this.#threads;
      this.#threads = threads;
      this.#backend = backend;
      this.#fallback = this.#retry = null;
      this.#events.lost(null, false);
      // Windows in progress are answered there.
      await Promise.allSettled([...this.#waiting].map(({ answer }) => answer));
      // If the backend was lost again meanwhile, the fallback is in use again.
      await this.#leave(former.filter((thread) => !this.#threads.includes(thread)));
    } catch {
      // Still failing: the owner knows the reason since it fell back.
      await this.#leave(threads);
      if (!this.#isClosed) this.#plan();
    }
  }

  /** Arms the timeout of the oldest window, if there is one. */
  #watch(): void {
    if (this.#watchdog) clearTimeout(this.#watchdog);
    this.#watchdog = null;
    const [oldest] = this.#waiting;
    if (!oldest || this.#timeoutMs === Infinity) return;
    const left = Math.max(0, oldest.given + this.#timeoutMs - performance.now());
    this.#watchdog = setTimeout(() => {
      this.#expire();
      this.#watch();
    }, left).unref();
  }

  #expire(): void {
    const latest = performance.now() - this.#timeoutMs;
    for (const waiting of this.#waiting) {
      if (waiting.given > latest) break;
      this.#drop(waiting, new Error(`The network did not answer within ${this.#timeoutMs} ms.`));
    }
  }

  /** A batch with windows of several operators counts once for each. */
  #count(batch: Batch): void {
    this.#answered++;
    if (batch === this.#lastBatch) return;
    this.#lastBatch = batch;
    const weight = this.#batches++ === 0 ? 1 : MEAN_WEIGHT;
    this.#meanMs += weight * (batch.milliseconds - this.#meanMs);
  }
}

/** Promise.withResolvers of Node 22. */
function deferred<T>(): {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
} {
  let settle: { resolve: (value: T) => void; reject: (error: Error) => void } | undefined;
  const promise = new Promise<T>((resolve, reject) => (settle = { resolve, reject }));
  return { promise, ...settle! };
}

/** Weight of the newest batch in the mean. */
const MEAN_WEIGHT = 0.1;
