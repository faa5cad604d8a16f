import type { IClientOptions, IConnackPacket, IPublishPacket, MqttClient } from 'mqtt';
import type { Context } from '../../component/index.js';
import { backoff, pause } from '../../base/backoff.js';
import { BrokerError, connectError, publishError } from './errors.js';
import { clientOptions, type BrokerSettings } from './settings.js';

/** Options of a connection besides the fields of a topology. */
export interface ConnectionOptions {
  readonly clientId: string;
  /** Set for a session that the broker stores while this client is away. */
  readonly session?: { readonly expirySeconds: number; readonly receiveMaximum: number };
  /** The last will: the broker publishes it if this client vanishes. */
  readonly will?: { readonly topic: string; readonly payload: string };
  /** After each connect, before `ready` resolves: subscriptions, birth messages. Its rejection ends the connection. */
  readonly connected?: (connection: MqttConnection) => Promise<void>;
  /** The connection broke, or could not be made. */
  readonly lost?: (error: BrokerError) => void;
  /** Each message that arrives; `acknowledge` is to be called once it is safe here (QoS 1). */
  readonly message?: (packet: IPublishPacket, acknowledge: () => void) => void;
}

export interface Publication {
  readonly qos: 0 | 1;
  readonly retain: boolean;
}

/**
 * A connection to a broker that reconnects automatically. Each connection is a separate client: nothing is
 * queued or resent implicitly, so callers control order and loss.
 */
export class MqttConnection {
  readonly #settings: BrokerSettings;
  readonly #context: Context;
  readonly #options: ConnectionOptions;
  readonly #stop = new AbortController();
  readonly #pending = new Set<(error: BrokerError) => void>();
  #client: MqttClient | undefined;
  /** The current attempt, or the outcome of the last one. */
  #attempt: Promise<void> = Promise.resolve();
  #state: 'connecting' | 'connected' | 'away' | 'closed' = 'connecting';
  #problem: BrokerError | null = null;
  #running: Promise<void> = Promise.resolve();
  #progress: NodeJS.Timeout | undefined;
  #reconnects = 0;
  #receiveMaximum = MAX_UNCONFIRMED;

  constructor(settings: BrokerSettings, context: Context, options: ConnectionOptions) {
    this.#settings = settings;
    this.#context = context;
    this.#options = options;
  }

  /** Reads the files of the configuration and starts to connect. @throws Error if a file cannot be read */
  async open(): Promise<void> {
    const options = await clientOptions(this.#settings, this.#context.folder);
    this.#running = this.#run(options);
  }

  get connected(): boolean {
    return this.#state === 'connected';
  }

  /** Publications of quality 1 that the broker accepts before it has confirmed the first. */
  get receiveMaximum(): number {
    return this.#receiveMaximum;
  }

  /** Why it is not connected. */
  get problem(): string | null {
    return this.#problem?.message ?? null;
  }

  /** Resolves when connected; waits for a current attempt, and rejects with a {@link BrokerError} if the last one failed. */
  async ready(): Promise<void> {
    if (this.#state === 'connecting') await this.#attempt;
    if (this.#state !== 'connected') throw this.#problem ?? closed(this.#settings.url);
  }

  /**
   * Resolves when the broker has the message (QoS 1), or when it was sent (QoS 0). Rejects with a {@link
   * BrokerError}, which is not `retriable` if the broker rejects the message.
   */
  publish(topic: string, payload: string, { qos, retain }: Publication): Promise<void> {
    const client = this.#client;
    if (!client?.connected) return Promise.reject(this.#problem ?? closed(this.#settings.url));
    return new Promise((resolve, reject) => {
      this.#pending.add(reject);
      if (this.#progress === undefined) this.#watch();
      client.publish(topic, payload, { qos, retain }, (error) => {
        this.#pending.delete(reject);
        this.#watch();
        if (error) reject(publishError(error, topic, this.#settings.username));
        else resolve();
      });
    });
  }

  async subscribe(topics: readonly string[], qos: 0 | 1): Promise<void> {
    const { username } = this.#settings;
    try {
      // Do not receive old retained messages again with every connect (`rh`).
      await this.#client!.subscribeAsync([...topics], { qos, rh: 1 });
    } catch (error) {
      const who = username === undefined ? 'clients without a name' : `the user \`${username}\``;
      throw new BrokerError(
        `the MQTT broker at ${this.#settings.url} does not let ${who} subscribe to ${topics.join(', ')}: ${String(error)}`,
        'mqtt.subscribe',
        false,
        error,
      );
    }
  }

  describe(): Readonly<Record<string, unknown>> {
    return {
      broker: this.#settings.url,
      connected: this.connected,
      reconnects: this.#reconnects,
      problem: this.problem,
    };
  }

  /** Disconnects from the broker properly, so that it does not publish the will. */
  async close(): Promise<void> {
    this.#state = 'closed';
    this.#stop.abort();
    const client = this.#client;
    if (client?.connected) {
      const enough = new AbortController();
      const waited = pause(this.#settings.timeout_ms, enough.signal, this.#context.clock);
      await Promise.race([client.endAsync(), waited]);
      enough.abort();
    }
    client?.end(true);
    await this.#running;
  }

  /** Connects, waits until that breaks, and repeats. A broken connection is retried immediately, then with pauses. */
  async #run(options: IClientOptions): Promise<void> {
    const { url, username, reconnect_ms: longest } = this.#settings;
    for (let failures = 0, wait = 0; !this.#ended();) {
      const dialled = this.#dial(options, wait);
      this.#attempt = settled(dialled);
      this.#state = failures === 0 ? 'connecting' : 'away';
      try {
        const { lost } = await dialled;
        failures = 0;
        this.#problem = await lost;
        this.#reconnects++;
      } catch (error) {
        failures++;
        this.#problem = error instanceof BrokerError ? error : connectError(error, url, username);
      }
      if (this.#ended()) return;
      this.#report(this.#problem);
      wait = backoff(failures + 1, FIRST_RETRY_MS, longest, this.#context.random);
    }
  }

  #report(error: BrokerError): void {
    const { message, code, retriable } = error;
    this.#options.lost?.(error);
    this.#context.metrics.gauge('connected', 0);
    this.#context.log[retriable ? 'warn' : 'error'](message, { code });
  }

  #ended(): boolean {
    return this.#stop.signal.aborted;
  }

  /** One connection: rejects if it cannot be made; `lost` resolves with the reason when it breaks. */
  async #dial(options: IClientOptions, wait: number): Promise<{ readonly lost: Promise<BrokerError> }> {
    const { url, username } = this.#settings;
    const { connect } = await import('mqtt');
    if (wait > 0) await pause(wait, this.#stop.signal, this.#context.clock);
    if (this.#ended()) throw closed(url);
    const client = connect(url, { ...options, ...identity(this.#options, this.#settings) });
    this.#client = client;
    let reason: unknown;
    // The first error says most. Always keep a listener: an error event without one ends the process.
    client.on('error', (error) => {
      reason ??= error;
    });
    client.on('disconnect', ({ reasonCode }) => {
      reason ??= Object.assign(new Error(`goodbye (${reasonCode ?? 0})`), { code: reasonCode ?? 0 });
    });
    client.handleMessage = (packet, done) => {
      this.#receive(client, packet, done);
    };
    const lost = new Promise<BrokerError>((resolve) => {
      client.once('close', () => {
        const error = connectError(reason ?? closed(url), url, username);
        for (const fail of this.#pending) fail(error);
        this.#pending.clear();
        this.#watch();
        resolve(error);
      });
    });
    const greeting = await Promise.race([once(client), lost.then(raise)]);
    this.#receiveMaximum = greeting.properties?.receiveMaximum ?? MAX_UNCONFIRMED;
    if (this.#ended()) {
      client.end(true);
      raise(await lost);
    }
    try {
      await Promise.race([this.#options.connected?.(this), lost.then(raise)]);
    } catch (error) {
      client.end(true);
      throw error;
    }
    this.#state = 'connected';
    this.#problem = null;
    this.#context.metrics.gauge('connected', 1);
    this.#context.log.info('connected to the MQTT broker', { broker: url });
    return { lost };
  }

  /**
   * The client would acknowledge on delivery; here the receiver decides when (an error in `done` prevents the
   * default).
   */
  #receive(client: MqttClient, packet: IPublishPacket, done: (error?: Error) => void): void {
    const { messageId } = packet;
    this.#options.message?.(packet, () => {
      // PUBACK without a reason code, the same in 3.1.1 and 5: fixed header, length 2, packet identifier.
      if (packet.qos === 1 && messageId !== undefined && client.connected)
        client.stream.write(Uint8Array.of(0x40, 2, messageId >> 8, messageId & 0xff));
    });
    done(packet.qos === 1 ? LATER : undefined);
  }

  /** Gives up on a broker that does not confirm publications. */
  #watch(): void {
    if (this.#pending.size === 0) {
      clearTimeout(this.#progress);
      this.#progress = undefined;
    } else if (this.#progress) {
      this.#progress.refresh();
    } else {
      this.#progress = setTimeout(() => {
        this.#client?.emit('error', Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' }));
        this.#client?.stream.destroy();
      }, this.#settings.timeout_ms);
    }
  }
}

const FIRST_RETRY_MS = 100;
/** Limit if the broker sets none (MQTT 5, 3.2.2.3.3). */
const MAX_UNCONFIRMED = 65_535;
const LATER = new Error('acknowledged later');

const closed = (url: string): BrokerError =>
  new BrokerError(`there is no connection to the MQTT broker at ${url}`, 'mqtt.closed', true);

function raise(error: Error): never {
  throw error;
}

const settled = async (work: Promise<unknown>): Promise<void> => {
  await Promise.allSettled([work]);
};

const once = (client: MqttClient): Promise<IConnackPacket> =>
  new Promise((resolve) => {
    client.once('connect', resolve);
  });

/** The client's identity: session and last will. */
function identity(
  { clientId, session, will }: ConnectionOptions,
  { protocol }: BrokerSettings,
): IClientOptions {
  return {
    clientId,
    clean: session === undefined,
    ...(will && { will: { ...will, payload: Buffer.from(will.payload), qos: 1, retain: true } }),
    ...(session &&
      protocol === '5' && {
        properties: {
          sessionExpiryInterval: session.expirySeconds,
          receiveMaximum: session.receiveMaximum,
        },
      }),
  };
}
