import type { Socket } from 'node:net';
import type { Client, ClientConfig } from 'pg';
import { postgresError } from './error.js';

export interface Address {
  readonly url: string;
  readonly username: string;
  readonly password: string | null;
  /** Undefined: without TLS. */
  readonly tls: { readonly ca?: Buffer } | undefined;
  readonly timeoutMs: number;
}

/** A connection that is made when it is needed, and replaced after a failure: its state is unknown then. */
export class Connection {
  readonly #address: Address;
  readonly where: string;
  /** Called with each new connection before its first use. */
  readonly #prepare: (client: Client) => Promise<void>;
  #client: Client | null = null;
  #isClosed = false;

  constructor(address: Address, prepare: (client: Client) => Promise<void>) {
    this.#address = address;
    const { host, pathname } = new URL(address.url);
    this.where = `${host}${pathname}`;
    this.#prepare = prepare;
  }

  /** All of `work`, or nothing. @throws PostgresError */
  async transaction(work: (client: Client) => Promise<void>): Promise<void> {
    try {
      const client = await this.#open();
      await client.query('BEGIN');
      await work(client);
      await client.query('COMMIT');
    } catch (error) {
      const explained = postgresError(error, this.where);
      await this.#undo('code' in explained && explained.code === 'postgresql.refused');
      throw explained;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#drop(true);
    await Promise.resolve();
  }

  async #open(): Promise<Client> {
    if (this.#client) return this.#client;
    const { Client: PgClient } = (await import('pg')).default;
    const client = new PgClient(this.#settings());
    // A broken connection also fails the query that uses it; without a listener it would end the process.
    client.on('error', () => {
      if (this.#client === client) this.#client = null;
    });
    try {
      await client.connect();
      await this.#prepare(client);
    } catch (error) {
      end(client);
      throw error;
    }
    if (this.#isClosed) {
      end(client);
      throw new Error('the sink is closed');
    }
    this.#client = client;
    return client;
  }

  /** Everything is named: the library would take the rest from the environment and from files in the home folder. */
  #settings(): ClientConfig {
    const { url, username, password, tls, timeoutMs } = this.#address;
    const { hostname, port, pathname } = new URL(url);
    return {
      host: hostname.replace(/^\[(.*)\]$/, '$1'),
      port: port === '' ? 5432 : Number(port),
      database: decodeURIComponent(pathname.slice(1)),
      user: username,
      password: password ?? '',
      ssl: tls ? { rejectUnauthorized: true, ...tls } : false,
      application_name: 'csiflow',
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
      statement_timeout: timeoutMs,
      keepAlive: true,
    };
  }

  async #undo(isUsable: boolean): Promise<void> {
    if (isUsable)
      await this.#client?.query('ROLLBACK').catch(() => {
        this.#drop();
      });
    else this.#drop();
  }

  #drop(politely = false): void {
    const client = this.#client;
    this.#client = null;
    if (client) end(client, politely);
  }
}

/**
 * Without waiting for an answer: the other side may hang. @param politely says farewell first, so that the
 * server does not log a lost connection
 */
function end(client: Client, politely = false): void {
  client.end().catch(() => undefined);
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  if (!politely || stream.connecting) stream.destroy();
  else stream.unref().destroySoon();
}
