import type { JetStreamClient } from '@nats-io/jetstream';
import type { NatsConnection, TlsOptions } from '@nats-io/transport-node';
import { errorText } from '../../pipeline/base/error-text.js';
import type { Outgoing } from './message.js';

export interface ServerSettings {
  readonly servers: readonly string[];
  readonly username: string | null;
  readonly password: string | null;
  readonly token: string | null;
  readonly tls: TlsOptions | null;
  readonly timeoutMs: number;
  readonly stream: string;
  /** Subjects of the stream if it is created; null: it must exist. */
  readonly create: string | null;
}

/** NATS, or its answer. `retriable`: the server will recover by itself. */
export class NatsError extends Error {
  readonly code: 'nats.unavailable' | 'nats.login' | 'nats.stream';
  readonly retriable: boolean;

  constructor(code: NatsError['code'], message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'NatsError';
    this.code = code;
    this.retriable = code === 'nats.unavailable';
  }
}

/** Outcome of one message. */
export type Outcome = 'stored' | 'duplicate' | { readonly reason: string; readonly isTooLarge: boolean };

const STREAM_NOT_FOUND = 10059;
const MESSAGE_TOO_LARGE = 10054;

/** Connects when it is needed, and again after a break. */
export class Publisher {
  readonly #settings: ServerSettings;
  readonly #where: string;
  #connection: NatsConnection | null = null;
  #client: JetStreamClient | null = null;
  #isClosed = false;

  constructor(settings: ServerSettings) {
    this.#settings = settings;
    this.#where = settings.servers.join(', ');
  }

  /** Connects, and ensures that the stream exists. @throws NatsError */
  async ready(): Promise<void> {
    this.#requireOpen();
    if (this.#connection && !this.#connection.isClosed()) return;
    const connection = await this.#connect();
    this.#connection = connection;
    try {
      this.#requireOpen();
      await this.#requireStream(connection);
    } catch (error) {
      await this.drop();
      throw error;
    }
  }

  /** Resolves when the stream has stored the message, or would not. */
  async publish({ subject, body, headers, id }: Outgoing): Promise<Outcome> {
    const { headers: emptyHeaders } = await import('@nats-io/transport-node');
    const { stream, timeoutMs } = this.#settings;
    const found = emptyHeaders();
    for (const [name, value] of Object.entries(headers)) found.set(name, value);
    try {
      const { duplicate } = await this.#client!.publish(subject, body, {
        msgID: id,
        timeout: timeoutMs,
        headers: found,
        expect: { streamName: stream },
      });
      return duplicate ? 'duplicate' : 'stored';
    } catch (error) {
      const { code } = error as { readonly code?: unknown };
      const isTooLarge = code === MESSAGE_TOO_LARGE || errorText(error).includes('max_payload');
      return { isTooLarge, reason: this.#explained(error, subject) };
    }
  }

  /** Without waiting for answers. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.drop();
  }

  /** The next call connects anew, and looks for the stream again: it may be gone, and the connection dead. */
  async drop(): Promise<void> {
    const connection = this.#connection;
    this.#connection = null;
    await connection?.close();
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new Error('the sink is closed');
  }

  async #connect(): Promise<NatsConnection> {
    const { connect } = await import('@nats-io/transport-node');
    const { servers, username, password, token, tls, timeoutMs } = this.#settings;
    try {
      return await connect({
        servers: [...servers],
        name: 'csiflow',
        timeout: timeoutMs,
        // The runtime retries by itself, and must know when messages do not arrive.
        reconnect: false,
        ...(username !== null && { user: username, pass: password ?? '' }),
        ...(token !== null && { token }),
        tls,
      });
    } catch (error) {
      const text = errorText(error);
      if (/authori[sz]ation/i.test(text))
        throw new NatsError(
          'nats.login',
          `NATS at ${this.#where} rejects the login (${text}): check \`username\` and \`password\`, or \`token\``,
          error,
        );
      throw new NatsError('nats.unavailable', `NATS at ${this.#where} cannot be reached: ${text}`, error);
    }
  }

  async #requireStream(connection: NatsConnection): Promise<void> {
    const { jetstream, jetstreamManager } = (await import('@nats-io/jetstream')).default;
    const { stream, create, timeoutMs } = this.#settings;
    try {
      const manager = await jetstreamManager(connection, { timeout: timeoutMs });
      this.#client = jetstream(connection, { timeout: timeoutMs });
      try {
        await manager.streams.info(stream);
      } catch (error) {
        if ((error as { readonly code?: unknown }).code !== STREAM_NOT_FOUND) throw error;
        if (create === null)
          throw new NatsError(
            'nats.stream',
            `NATS at ${this.#where} has no stream \`${stream}\`: create it, or set \`create_stream: true\``,
            error,
          );
        await manager.streams.add({ name: stream, subjects: [create] });
      }
    } catch (error) {
      if (error instanceof NatsError) throw error;
      const text = errorText(error);
      const isFinal = /not enabled|subjects overlap|permission/i.test(text);
      throw new NatsError(
        isFinal ? 'nats.stream' : 'nats.unavailable',
        `the stream \`${stream}\` of NATS at ${this.#where} cannot be used: ${text}`,
        error,
      );
    }
  }

  /** The library says "JetStream is not enabled" if no stream has the subject. */
  #explained(error: unknown, subject: string): string {
    const text = errorText(error);
    return /not enabled/.test(text)
      ? `no stream of NATS at ${this.#where} has the subject \`${subject}\`, or JetStream is switched off`
      : `NATS at ${this.#where}: ${text}`;
  }
}
