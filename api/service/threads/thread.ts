import { Worker } from 'node:worker_threads';
import { asError } from '../../../pipeline/base/error-text.js';

/** Too many requests wait or are in progress. */
export class ThreadBusy extends Error {}
/** A request took longer than permitted. */
export class ThreadTooSlow extends Error {}

export interface ThreadOptions {
  readonly workerData?: unknown;
  /** Time limit of one request, milliseconds; excludes the start of the thread. */
  readonly limitMs: number;
  /** Requests waiting or in progress. */
  readonly most: number;
  /** Heap of the thread, MiB. */
  readonly heapMb: number;
}

/** How long an idle thread lives. */
const IDLE_MS = 30_000;

/**
 * Runs work in a thread that would block the event loop: one request at a time, each with a time limit. The
 * first request starts the thread; it ends after an idle period, and is replaced after a request that took
 * too long. Its module answers with `answerQuestions`.
 */
export class Thread<Q, A> {
  readonly #module: URL;
  readonly #options: ThreadOptions;
  #worker: Promise<Worker> | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #open = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(module: URL, options: ThreadOptions) {
    this.#module = module;
    this.#options = options;
  }

  /**
   * @param gone nobody waits for the answer any more: the request leaves the queue, or its work ends
   * @throws ThreadBusy, ThreadTooSlow, the reason of `gone`, or Error with the reason why the thread ended
   */
  async ask(question: Q, gone?: AbortSignal): Promise<A> {
    if (this.#open >= this.#options.most)
      throw new ThreadBusy(`${this.#open} requests are already in progress: try again in a moment`);
    this.#open++;
    clearTimeout(this.#idle);
    const mine = this.#last.then(() => {
      gone?.throwIfAborted();
      return this.#ask(question, gone);
    });
    this.#last = mine.catch(() => undefined);
    try {
      return await mine;
    } finally {
      if (--this.#open === 0) this.#idle = setTimeout(() => void this.close(), IDLE_MS).unref();
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = null;
    await (await worker?.catch(() => undefined))?.terminate();
  }

  async #ask(question: Q, gone?: AbortSignal): Promise<A> {
    const worker = await (this.#worker ??= this.#start());
    const { limitMs } = this.#options;
    worker.postMessage(question);
    const late = new AbortController();
    const timer = setTimeout(() => {
      late.abort(new ThreadTooSlow(`it takes longer than ${limitMs / 1000} seconds`));
    }, limitMs);
    try {
      return (await answerOf(worker, gone ? AbortSignal.any([late.signal, gone]) : late.signal)) as A;
    } catch (error) {
      await this.close();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  async #start(): Promise<Worker> {
    const { workerData, heapMb } = this.#options;
    const worker = new Worker(this.#module, {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
    worker.unref();
    try {
      await answerOf(worker, new AbortController().signal);
    } catch (error) {
      this.#worker = null;
      throw error;
    }
    return worker;
  }
}

/** The next message of a thread. @throws the error that ended it, or the signal's reason */
function answerOf(worker: Worker, signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const end = (then: () => void): void => {
      worker.off('message', answered).off('error', failed).off('exit', exited);
      signal.removeEventListener('abort', aborted);
      then();
    };
    const answered = (answer: unknown): void => {
      end(() => {
        resolve(answer);
      });
    };
    const failed = (error: unknown): void => {
      end(() => {
        reject(asError(error));
      });
    };
    const exited = (code: number): void => {
      failed(new Error(`the thread ended with ${code}`));
    };
    const aborted = (): void => {
      failed(signal.reason);
    };
    if (signal.aborted) {
      aborted();
      return;
    }
    worker.on('message', answered).on('error', failed).on('exit', exited);
    signal.addEventListener('abort', aborted);
  });
}
