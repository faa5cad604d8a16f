import { CREDENTIAL_ENDED, TOO_MANY_MESSAGES } from './close-codes.js';
import { SubscriptionError, errorText } from './errors.js';
import type { Session } from './session.js';
import type {
  ServerMessages,
  Channel,
  Filters,
  LiveForm,
  ChannelMessages,
  Socket,
  LiveOptions,
  LiveSubscription,
} from './subscription-types.js';

interface Wanted {
  readonly channel: Channel;
  readonly filters: object;
  readonly tell: (message: never) => void;
  /** Called when the service rejects the subscription. */
  readonly fail: (error: SubscriptionError) => void;
  /** Null until a connection has confirmed it. */
  id: string | null;
  /** Position of the newest pose update or alert, to resume from. */
  last: { readonly frame_id: number } | { readonly alert_id: string } | null;
}

const FIRST_WAIT_MS = 250;
/** Remembered alerts, so that each is delivered once. */
const KNOWN_ALERTS = 1000;

/**
 * Live results over `/ws/pose`. A broken connection reconnects with growing pauses, and its subscriptions
 * resume: the service then sends the missed results as far as it still has them. If the service repeats an
 * alert, as it may after a crash, it is delivered once.
 */
export class Live<F extends LiveForm = LiveForm> {
  readonly #url: string;
  readonly #session: Session;
  readonly #options: Partial<LiveOptions>;
  readonly #wanted = new Set<Wanted>();
  /** Sent but not yet answered, in order: the service answers in order. Null: the end of a subscription. */
  #asked: (Wanted | null)[] = [];
  /** Ids of the newest alerts. */
  readonly #alerts = new Set<string>();
  #socket: Socket | null = null;
  #connected = false;
  #closed = false;
  #waitMs = FIRST_WAIT_MS;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param base address of a form: `http://127.0.0.1:8000/form-b/api/v1` */
  constructor(base: string, session: Session, options: Partial<LiveOptions>) {
    this.#url = `${base.replace(/^http/, 'ws')}/ws/pose`;
    this.#session = session;
    this.#options = options;
    void this.#connect();
  }

  /**
   * Subscribes to a channel. @param fail called with the service's message if it rejects; default: ends the
   * connection
   */
  subscribe<C extends Channel>(
    channel: C,
    filters: Filters[C],
    tell: (message: ChannelMessages<F>[C]) => void,
    fail: (error: SubscriptionError) => void = (error) => {
      this.#end(4000, error.message);
    },
  ): LiveSubscription {
    if (channel !== 'pose_updates' && [...this.#wanted].some((other) => other.channel === channel))
      throw new Error(
        `There is already a subscription to ${channel}: messages do not name their subscription`,
      );
    const wanted: Wanted = { channel, filters, tell, fail, id: null, last: null };
    this.#wanted.add(wanted);
    if (this.#connected) this.#ask(wanted);
    return {
      close: () => {
        this.#wanted.delete(wanted);
        // An unconfirmed subscription is ended once it is confirmed.
        if (this.#connected && wanted.id !== null && !this.#asked.includes(wanted)) this.#cancel(wanted.id);
      },
    };
  }

  /** Ends the connection permanently. */
  close(): void {
    this.#end(1000, 'the client was closed');
  }

  #end(code: number, reason: string): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#socket?.close(code, cutToBytes(reason, MAX_REASON_BYTES));
  }

  async #connect(): Promise<void> {
    try {
      const token = await this.#session.token();
      if (!this.#closed) this.#open(token);
    } catch (error) {
      await this.#ended(0, errorText(error));
    }
  }

  #open(token: string | null): void {
    const { WebSocket = platformSocket() } = this.#options;
    const protocols = token === null ? ['pose_v1'] : ['pose_v1', token];
    const socket = new WebSocket(this.#url, protocols, { headers: this.#session.keyHeaders });
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      this.#receive(JSON.parse(String(data)) as ServerMessages[keyof ServerMessages]);
    });
    // The following `close` reports the error.
    socket.addEventListener('error', () => undefined);
    socket.addEventListener('close', ({ code, reason }) => void this.#ended(code, reason));
  }

  async #ended(code: number, reason: string): Promise<void> {
    const welcomed = this.#connected;
    this.#connected = false;
    this.#asked = [];
    // A rejected WebSocket gives no reason.
    const refused = !this.#closed && !welcomed && (await this.#isRefused());
    const again = !this.#closed && !refused && code !== TOO_MANY_MESSAGES;
    this.#options.onState?.({
      connected: false,
      code: refused ? CREDENTIAL_ENDED : code,
      reason: refused ? 'the credential is no longer valid' : reason,
      again,
    });
    if (!again) return;
    this.#timer = setTimeout(() => void this.#connect(), this.#waitMs);
    this.#waitMs = Math.min(2 * this.#waitMs, this.#options.maxWaitMs ?? 10_000);
  }

  /** No answer does not count as a rejection. */
  #isRefused(): Promise<boolean> {
    return this.#session.isRefused().catch(() => false);
  }

  #receive(message: ServerMessages[keyof ServerMessages]): void {
    switch (message.type) {
      case 'connection_established':
        this.#connected = true;
        this.#waitMs = FIRST_WAIT_MS;
        this.#options.onState?.({ connected: true });
        for (const wanted of this.#wanted) this.#ask(wanted);
        return;
      case 'subscription_confirmed':
        this.#confirm(message.subscription_id);
        return;
      case 'unsubscription_confirmed':
        this.#asked.shift();
        return;
      case 'error':
        this.#refuse(message);
        return;
      case 'pose_update':
        this.#tell(({ id }) => id === message.subscription_id, message, { frame_id: message.data.frame_id });
        return;
      case 'alert':
        if (this.#isNew(message.alert_id))
          this.#tell(({ channel }) => channel === 'alerts', message, { alert_id: message.alert_id });
        return;
      case 'alert_acknowledged':
        this.#tell(({ channel }) => channel === 'acknowledgements', message, null);
        return;
      case 'system_status':
        this.#tell(({ channel }) => channel === 'system_status', message, null);
    }
  }

  #isNew(alert: string): boolean {
    if (this.#alerts.has(alert)) return false;
    this.#alerts.add(alert);
    const [oldest] = this.#alerts;
    if (this.#alerts.size > KNOWN_ALERTS) this.#alerts.delete(oldest!);
    return true;
  }

  #tell(isFor: (wanted: Wanted) => boolean, message: object, last: Wanted['last']): void {
    for (const wanted of this.#wanted) {
      if (!isFor(wanted)) continue;
      wanted.last = last;
      wanted.tell(message as never);
    }
  }

  #ask(wanted: Wanted): void {
    const { channel, filters, id, last } = wanted;
    this.#asked.push(wanted);
    // A subscription without a frame yet has no position to resume from.
    const resumable = id !== null && (last !== null || channel !== 'pose_updates');
    const resume = resumable ? { subscription_id: id, ...last } : undefined;
    this.#send({ type: 'subscribe', channel, filters, ...(resume && { resume }) });
  }

  #cancel(id: string): void {
    this.#asked.push(null);
    this.#send({ type: 'unsubscribe', subscription_id: id });
  }

  #confirm(id: string): void {
    const wanted = this.#asked.shift();
    if (!wanted) return;
    wanted.id = id;
    if (!this.#wanted.has(wanted)) this.#cancel(id);
  }

  /** Renews a subscription that can no longer be resumed. */
  #refuse({ code, message }: ServerMessages['error']): void {
    // A warning that the credential expires soon is not an answer to a request.
    if (code === 'AUTHENTICATION_ERROR') return;
    const wanted = this.#asked.shift();
    // A subscription ended in the meantime has no waiter.
    if (!wanted || !this.#wanted.has(wanted)) return;
    if (wanted.id !== null && code === 'RESOURCE_NOT_FOUND') {
      wanted.id = null;
      wanted.last = null;
      this.#ask(wanted);
      return;
    }
    this.#wanted.delete(wanted);
    wanted.fail(new SubscriptionError(code, message));
  }

  #send(message: object): void {
    this.#socket?.send(JSON.stringify(message));
  }
}

/** Limit of a close reason: https://www.rfc-editor.org/rfc/rfc6455#section-5.5 */
const MAX_REASON_BYTES = 123;

/** Does not split a character. */
function cutToBytes(text: string, most: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(most));
  return text.slice(0, read);
}

function platformSocket(): LiveOptions['WebSocket'] {
  const { WebSocket } = globalThis as { WebSocket?: LiveOptions['WebSocket'] };
  if (WebSocket) return WebSocket;
  throw new Error(
    "This platform has no WebSocket: pass that of ws, createClient({ ..., WebSocket: (await import('ws')).WebSocket })",
  );
}
