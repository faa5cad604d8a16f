import type { Span, Tracer } from './trace.js';
import { errorText } from '../../base/error-text.js';

/** Sends spans. Rejects if they did not arrive; called with one batch at a time. */
export type SendSpans = (spans: readonly Span[]) => Promise<void>;

export interface SpanQueueOptions {
  readonly ratio: number;
  readonly send: SendSpans;
  /** Outcome of spans; `reason` of failures. */
  readonly onResult: (result: 'exported' | 'failed' | 'dropped', count: number, reason?: string) => void;
  /** Limit of waiting spans; default 4096. */
  readonly capacity?: number;
  /** Limit of spans in a batch; default 512. */
  readonly batch?: number;
  /** How long a span waits for a fuller batch; default 1000 ms. */
  readonly delayMs?: number;
}

/** A bounded queue before an exporter: spans that cannot be sent are dropped and counted, and no caller ever waits. */
export class SpanQueue implements Tracer {
  readonly ratio: number;
  readonly #send: SendSpans;
  readonly #onResult: SpanQueueOptions['onResult'];
  readonly #capacity: number;
  readonly #batch: number;
  readonly #delayMs: number;
  #spans: Span[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #closed = false;

  constructor(options: SpanQueueOptions) {
    this.ratio = options.ratio;
    this.#send = options.send;
    this.#onResult = options.onResult;
    this.#capacity = options.capacity ?? 4096;
    this.#batch = options.batch ?? 512;
    this.#delayMs = options.delayMs ?? 1000;
  }

  record(span: Span): void {
    if (this.#closed || this.#spans.length >= this.#capacity) {
      this.#onResult('dropped', 1);
      return;
    }
    this.#spans.push(span);
    if (this.#sending) return;
    if (this.#spans.length >= this.#batch) this.#begin();
    else
      this.#timer ??= setTimeout(() => {
        this.#begin();
      }, this.#delayMs).unref();
  }

  /** Sends waiting spans for up to `ms`; the rest is dropped. */
  async close(ms: number): Promise<void> {
    this.#closed = true;
    this.#begin();
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
    });
    await Promise.race([this.#sending, limit]);
    clearTimeout(timer);
    if (this.#spans.length > 0) this.#onResult('dropped', this.#spans.length);
    this.#spans = [];
  }

  #begin(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
  }

  async #sendAll(): Promise<void> {
    while (this.#spans.length > 0) {
      const batch = this.#spans.splice(0, this.#batch);
      try {
        await this.#send(batch);
        this.#onResult('exported', batch.length);
      } catch (error) {
        this.#onResult('failed', batch.length, errorText(error));
      }
    }
  }
}
