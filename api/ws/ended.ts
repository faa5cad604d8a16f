import type { Subscription } from './connection.js';

/** How long a subscription can be resumed after its connection ended, milliseconds. */
export const RESUME_MS = 60_000;
/** Per account, twice the limit of streams. */
const PER_ACCOUNT = 20;
const MAX_ENDED = 1000;

interface Ended {
  readonly account: string;
  readonly subscription: Subscription;
  /** Milliseconds. */
  readonly until: number;
}

/** Subscriptions whose connection has ended, for a while, so that their clients can resume. */
export class EndedSubscriptions {
  readonly #ended = new Map<string, Ended>();

  add(account: string, subscriptions: Iterable<Subscription>, now: number): void {
    for (const subscription of subscriptions)
      this.#ended.set(subscription.id, { account, subscription, until: now + RESUME_MS });
    const own = [...this.#ended.values()].filter((ended) => ended.account === account);
    for (const { subscription } of own.slice(0, -PER_ACCOUNT)) this.#ended.delete(subscription.id);
    this.#forget(now);
  }

  /** Returns it once, and only to its own account. */
  take(id: string, account: string, now: number): Subscription | null {
    this.#forget(now);
    const found = this.#ended.get(id);
    if (found?.account !== account) return null;
    this.#ended.delete(id);
    return found.subscription;
  }

  /** They are in the order of their ends. */
  #forget(now: number): void {
    for (const [id, { until }] of this.#ended) {
      if (until > now && this.#ended.size <= MAX_ENDED) return;
      this.#ended.delete(id);
    }
  }
}
