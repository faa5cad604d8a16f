import { randomUUID } from 'node:crypto';
import type { WebSocket } from 'ws';
import { CREDENTIAL_ENDED, TOO_MANY_MESSAGES } from '../client/close-codes.js';
import type { Caller } from '../service/accounts/authenticator.js';
import type { Form } from '../service/form.js';
import type {
  AcknowledgementFilters,
  AlertFilters,
  Channel,
  PoseFilters,
} from '../contract/client-messages.js';

/** Bytes waiting in a client's socket above which messages to it are skipped. */
export const FULL_BYTES = 1 << 20;
/** Consecutive skipped messages before a client is closed with 1013. */
const PATIENCE = 200;
/** Limit of subscriptions per connection. */
const SUBSCRIPTIONS = 10;
/** Messages of a client per second before it is closed. */
const MESSAGES_A_SECOND = 100;
/** Time of the warning before a credential expires, milliseconds. */
const EXPIRY_WARNING_MS = 60_000;
/** Seconds between checks whether a client is still connected. */
const HEARTBEAT_S = 30;

interface SubscriptionOf<C extends Channel, F, E = string | null> {
  readonly id: string;
  readonly channel: C;
  readonly filters: F;
  /** The environment that it is about; null: all. */
  readonly environment: E;
  /** Form of persons. */
  readonly form: Form;
  /** Number of earlier alerts. */
  readonly alertsBefore: number;
}

type AnySubscription =
  | SubscriptionOf<'pose_updates', PoseFilters, string>
  | SubscriptionOf<'alerts', AlertFilters>
  | SubscriptionOf<'acknowledgements', AcknowledgementFilters>
  | SubscriptionOf<'system_status', object>;

/** A confirmed subscription of a client. */
export type Subscription<C extends Channel = Channel> = Extract<AnySubscription, { channel: C }>;

/** One client of /ws/pose: its subscriptions, and its overload handling. */
export class Connection {
  readonly id: string = randomUUID();
  /** Limits are per account; addresses count connections. */
  readonly name: string;
  readonly address: string;
  /** Form of its path. */
  readonly form: Form;
  readonly #caller: Caller;
  readonly #socket: WebSocket;
  readonly #subscriptions = new Map<string, Subscription>();
  #skipped = 0;
  #skippedInARow = 0;
  #messages = 0;
  #warned = false;
  #seconds = 0;
  #heard = true;

  constructor(socket: WebSocket, caller: Caller, address: string, form: Form = 'b') {
    this.form = form;
    this.#socket = socket;
    this.#caller = caller;
    this.name = caller.account.name;
    this.address = address;
    socket.on('pong', () => {
      this.#heard = true;
    });
  }

  /** Once a second: closes it when the credential expires, or when the client has vanished. @param now milliseconds */
  tick(now: number): void {
    this.#messages = 0;
    const caller = this.#caller.again();
    const left = (caller?.expiresAt ?? Infinity) - now;
    if (!caller || left <= 0) {
      this.close(CREDENTIAL_ENDED, 'the credential is no longer valid');
      return;
    }
    if (left <= EXPIRY_WARNING_MS && !this.#warned) {
      this.#warned = true;
      const message = 'The credential expires in less than a minute';
      this.send({ type: 'error', code: 'AUTHENTICATION_ERROR', message });
    }
    if (++this.#seconds % HEARTBEAT_S === 0) this.#beat();
  }

  #beat(): void {
    if (!this.#heard) this.terminate();
    else if (this.#socket.readyState === this.#socket.OPEN) {
      this.#heard = false;
      this.#socket.ping();
    }
  }

  /** Counts a message; false for one too many, after which the client is closed. */
  takeMessage(): boolean {
    if (++this.#messages <= MESSAGES_A_SECOND) return true;
    this.close(TOO_MANY_MESSAGES, 'too many messages');
    return false;
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

  /** False if the connection has reached its limit. */
  add(subscription: Subscription): boolean {
    if (this.#subscriptions.size >= SUBSCRIPTIONS) return false;
    this.#subscriptions.set(subscription.id, subscription);
    return true;
  }

  find(id: string): Subscription | undefined {
    return this.#subscriptions.get(id);
  }

  remove(id: string): void {
    this.#subscriptions.delete(id);
  }

  send(message: object): void {
    this.sendText(JSON.stringify(message));
  }

  /** Sends, or skips if too much is waiting: a slow client neither delays others nor uses more memory. */
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

  /** Without a close handshake, for a client that does not answer. */
  terminate(): void {
    this.#socket.terminate();
  }
}
