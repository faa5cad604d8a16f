import type { QueueSettings } from '../../config/topology/topology.js';

/**
 * The bounded queue between a source and the pump. `offer` reports immediately whether the item was accepted;
 * under `block` a full queue returns a promise instead.
 */
export class BoundedQueue<T> {
  readonly #capacity: number;
  readonly #policy: QueueSettings['policy'];
  readonly #dropped: (item: T, reason: 'queue_full') => void;
  readonly #items: T[] = [];
  #head = 0;
  #blocked: { readonly item: T; readonly settle: (taken: boolean) => void }[] = [];
  #closed = false;

  /** @param dropped called with each item that the policy drops */
  constructor(settings: QueueSettings, dropped: (item: T, reason: 'queue_full') => void) {
    this.#capacity = settings.capacity;
    this.#policy = settings.policy;
    this.#dropped = dropped;
  }

  get depth(): number {
    return this.#items.length - this.#head;
  }

  /**
   * @param enter creates the item; called immediately, and only for accepted items, so that rejected ones
   * cost nothing
   */
  offer(enter: () => T, refused: () => void): boolean | Promise<boolean> {
    if (this.#closed) return false;
    if (this.depth < this.#capacity && this.#blocked.length === 0) {
      this.#items.push(enter());
      return true;
    }
    if (this.#policy === 'drop_newest') {
      refused();
      return false;
    }
    if (this.#policy === 'drop_oldest') {
      const oldest = this.take();
      if (oldest !== undefined) this.#dropped(oldest, 'queue_full');
      this.#items.push(enter());
      return true;
    }
    const item = enter();
    return new Promise((settle) => {
      this.#blocked.push({ item, settle });
    });
  }

  /** Adds a mark behind everything that was offered, whatever the policy: there are few. */
  put(item: T): void {
    if (this.#blocked.length === 0) this.#items.push(item);
    else this.#blocked.push({ item, settle: () => undefined });
  }

  /** The next result of `take`. */
  get first(): T | undefined {
    return this.#items[this.#head];
  }

  take(): T | undefined {
    const item = this.#items[this.#head];
    if (item === undefined) return undefined;
    this.#items[this.#head++] = undefined as T;
    if (this.#head === this.#items.length || this.#head > 1024) {
      this.#items.splice(0, this.#head);
      this.#head = 0;
    }
    const waiting = this.depth < this.#capacity ? this.#blocked.shift() : undefined;
    if (waiting) {
      this.#items.push(waiting.item);
      waiting.settle(true);
    }
    return item;
  }

  /** Accepts nothing more; callers waiting for space are released. */
  close(): void {
    this.#closed = true;
    for (const { settle } of this.#blocked) settle(false);
    this.#blocked = [];
  }
}
