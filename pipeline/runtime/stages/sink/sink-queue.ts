import { BATCH } from './write-size.js';
import type { DataSignal } from '../../signals/signal.js';

/** Records of one port, or a barrier between those of two epochs. */
export type SinkItem = { readonly signal: DataSignal } | { readonly barrier: SinkBarrier };

export interface SinkBarrier {
  readonly epoch: number;
  /** Records waiting for their turn at that moment. */
  readonly held: unknown;
}

/**
 * The queue of a sink. Order is preserved, except that an alert, which is worthless when late, overtakes
 * everything. An alert that overtook a barrier would belong to two epochs, so the queue of a strict sink
 * preserves the order of alerts too.
 */
export class SinkQueue {
  readonly #strict: boolean;
  readonly #signal: AbortSignal;
  #items: SinkItem[] = [];
  #head = 0;
  #length = 0;
  #wake: (() => void) | undefined;

  /** @param signal ends waiting for more */
  constructor(strict: boolean, signal: AbortSignal) {
    this.#strict = strict;
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#wake?.());
  }

  /** Waiting signals, without barriers. */
  get length(): number {
    return this.#length;
  }

  get first(): SinkItem | undefined {
    return this.#items[this.#head];
  }

  add(signal: DataSignal): void {
    this.#length++;
    if (signal.data.port === 'event' && !this.#strict) {
      let index = this.#head;
      while (isEvent(this.#items[index])) index++;
      this.#items.splice(index, 0, { signal });
    } else this.#items.push({ signal });
    this.#wake?.();
  }

  addBarrier(barrier: SinkBarrier): void {
    this.#items.push({ barrier });
    this.#wake?.();
  }

  /** A batch: up to the next barrier; alerts that overtook go by themselves. */
  take(): readonly DataSignal[] {
    const signals: DataSignal[] = [];
    const alerts = !this.#strict && isEvent(this.first);
    for (let at = this.#head; at < this.#items.length && signals.length < BATCH; at++) {
      const item = this.#items[at]!;
      if ('barrier' in item || (alerts && !isEvent(item))) break;
      signals.push(item.signal);
    }
    this.#advance(signals.length);
    this.#length -= signals.length;
    return signals;
  }

  /** Takes the barrier at the front. */
  takeBarrier(): void {
    this.#advance(1);
  }

  /** Resolves when more has been added. */
  async more(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (this.#signal.aborted) resolve();
    });
    this.#wake = undefined;
  }

  #advance(by: number): void {
    this.#head += by;
    if (this.#head > 1024 || this.#head === this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
  }
}

const isEvent = (item: SinkItem | undefined): boolean =>
  item !== undefined && 'signal' in item && item.signal.data.port === 'event';
