import { randomUUID } from 'node:crypto';
import type { WebSocket } from 'ws';
import type { Account } from '../auth/roles.js';
import type { ClientMessage } from './messages.js';

/** Bytes that may wait in a client's socket before messages to it are left out. */
const FULL_BYTES = 1 << 20;
/** Messages left out in a row before a client is closed with 1013. */
const PATIENCE = 200;
/** Subscriptions that one connection may hold. */
const SUBSCRIPTIONS = 10;

export type Subscription = Extract<ClientMessage, { type: 'subscribe' }> & { readonly id: string };

/** One client of /ws/pose: its subscriptions, and what happens when it cannot keep up. */
export class Connection {
  readonly id: string = randomUUID();
  readonly account: Account;
  readonly #socket: WebSocket;
  readonly #subscriptions = new Map<string, Subscription>();
  #skipped = 0;
  #skippedInARow = 0;

  constructor(socket: WebSocket, account: Account) {
    this.#socket = socket;
    this.account = account;
  }

  get subscriptions(): Iterable<Subscription> {
    return this.#subscriptions.values();
  }

  /** Messages that this client was too slow for. */
  get skipped(): number {
    return this.#skipped;
  }

  get streams(): number {
    return [...this.#subscriptions.values()].filter(({ channel }) => channel === 'pose_updates').length;
  }

  /** Null where the connection holds as many as it may. */
  add(message: Extract<ClientMessage, { type: 'subscribe' }>): Subscription | null {
    if (this.#subscriptions.size >= SUBSCRIPTIONS) return null;
    const subscription = { ...message, id: randomUUID() };
    this.#subscriptions.set(subscription.id, subscription);
    return subscription;
  }

  remove(id: string): boolean {
    return this.#subscriptions.delete(id);
  }

  send(message: object): void {
    this.sendText(JSON.stringify(message));
  }

  /** Sends, or leaves out where too much waits already: a slow client neither delays others nor grows. */
  sendText(text: string): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (this.#socket.bufferedAmount <= FULL_BYTES) {
      this.#skippedInARow = 0;
      this.#socket.send(text);
      return;
    }
    this.#skipped++;
    if (++this.#skippedInARow === PATIENCE) this.close(1013, 'too slow');
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }
}
