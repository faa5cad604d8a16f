import { Agent as HttpAgent, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { InfluxDB } from 'influx';
import { causeText } from '../../pipeline/base/error-text.js';
import { excerpt, reasonOf, retryAfter } from '../shared/line-protocol/answer.js';
import type { Point } from '../shared/line-protocol/points.js';
import { InfluxError } from '../shared/line-protocol/error.js';
import type { Address } from '../shared/line-protocol/login.js';

/** One statement's series: columns and rows. */
export interface Series {
  readonly name?: string;
  /** The tags that it is grouped by; an absent tag is empty. */
  readonly tags?: Readonly<Record<string, string>>;
  readonly columns: readonly string[];
  readonly values?: readonly (readonly unknown[])[];
}

/**
 * Wraps the client `influx`: sets options that it would guess, and observes requests that it does not report.
 */
export class Connection {
  readonly address: Address;
  readonly #client: InfluxDB;
  readonly #agent: HttpAgent;
  /** Called with the request that the client makes within a call. */
  #watch: ((request: ClientRequest) => void) | null = null;

  private constructor(address: Address, client: (agent: HttpAgent) => InfluxDB) {
    this.address = address;
    this.#agent = watchedAgent(address.url, (request) => this.#watch?.(request));
    this.#client = client(this.#agent);
  }

  /** Loads the client; connects to nothing yet. */
  static async to(address: Address): Promise<Connection> {
    const { InfluxDB } = await import('influx');
    const { url, database, username, password, token, timeoutMs } = address;
    const { protocol, hostname, port, pathname } = new URL(url);
    const secure = protocol === 'https:';
    return new Connection(
      address,
      (agent) =>
        new InfluxDB({
          database,
          // Only null prevents the client from replacing a token with its own `root:root`.
          username: (token === null ? username : null) as string,
          password: password ?? '',
          hosts: [
            {
              host: hostname,
              port: port === '' ? (secure ? 443 : 80) : Number(port),
              protocol: secure ? 'https' : 'http',
              path: pathname.replace(/\/$/, ''),
              options: { agent, ...(token !== null && { headers: { Authorization: `Token ${token}` } }) },
            },
          ],
          // The client would disable its only host for seconds after each error; the runtime retries by
          // itself.
          pool: { requestTimeout: timeoutMs, maxRetries: 0, backoff: NO_BACKOFF },
        }),
    );
  }

  /**
   * @throws InfluxError `influxdb.refused` for points that InfluxDB will never accept, others if it accepted
   * none
   */
  async write(points: readonly Point[], retentionPolicy: string | null): Promise<void> {
    await this.#ask('/write', () =>
      this.#client.writePoints(
        // The client sorts and joins; values and times are text that it sends unchanged.
        points as unknown as Parameters<InfluxDB['writePoints']>[0],
        { precision: 'n', ...(retentionPolicy !== null && { retentionPolicy }) },
      ),
    );
  }

  /**
   * The series of each statement; times in microseconds.
   * @param signal ends the request, and InfluxDB's work with it; the call then rejects with its reason
   */
  async query(
    statements: string,
    retentionPolicy: string | null = null,
    signal?: AbortSignal,
  ): Promise<readonly Series[][]> {
    const answer = await this.#ask<unknown>(
      '/query',
      () =>
        this.#client.queryRaw(statements, {
          precision: 'u',
          method: 'POST',
          ...(retentionPolicy !== null && { retentionPolicy }),
        }),
      signal,
    );
    return this.#results(answer).map(({ error, series }) => {
      if (error !== undefined) throw this.#refused(error);
      return series ?? [];
    });
  }

  /** Version of the server, for example `1.6.7` or `v2.7.12`. */
  async version(): Promise<string> {
    const [host] = await this.#client.ping(this.address.timeoutMs);
    if (!host?.online) throw this.#unavailable('does not answer');
    return host.version;
  }

  close(): void {
    this.#agent.destroy();
  }

  async #ask<T>(path: string, call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    let response: IncomingMessage | undefined;
    // The client waits indefinitely for the end of an answer if the server dies in the middle of it.
    const cut = new Promise<never>((_, reject) => {
      this.#watch = (request) => {
        let why = 'the connection was cut within the answer';
        request.on('timeout', () => {
          why = `silent for ${this.address.timeoutMs} ms within the answer`;
          request.destroy();
        });
        if (signal) endWith(request, signal, reject);
        request.on('response', (found: IncomingMessage) => {
          response = found;
          found.on('close', () => {
            if (!found.complete) reject(new Error(why));
          });
        });
      };
    });
    // It may arrive after the caller's timeout.
    cut.catch(() => undefined);
    let asked: Promise<T>;
    try {
      asked = call();
    } finally {
      this.#watch = null;
    }
    let answer: T;
    try {
      answer = await Promise.race([asked, cut]);
    } catch (error) {
      signal?.throwIfAborted();
      if (response?.complete && error instanceof SyntaxError)
        throw this.#foreign(`a query with text that is not JSON (${error.message}), not with \`results\``);
      if (response?.statusCode === undefined || response.statusCode < 300)
        throw this.#unavailable(causeText(error));
      throw this.#answered(path, response, causeText(error));
    }
    // A proxy's page is not a confirmation: InfluxDB answers a write with 204.
    if (path === '/write' && response && response.statusCode !== 204)
      throw this.#foreign(
        `a write with ${response.statusCode} (${response.headers['content-type'] ?? 'no content type'}), not with 204`,
      );
    return answer;
  }

  /** @throws InfluxError if the answer is from another server or a proxy, not from InfluxDB */
  #results(answer: unknown): readonly { readonly error?: string; readonly series?: Series[] }[] {
    const results = (answer as { readonly results?: unknown } | null | undefined)?.results;
    const isOne = (one: unknown): boolean => typeof one === 'object' && one !== null;
    if (Array.isArray(results) && results.every(isOne)) return results as { series?: Series[] }[];
    throw this.#foreign(`a query with ${excerpt(answer)}, not with \`results\``);
  }

  #foreign(what: string): InfluxError {
    return new InfluxError(
      'influxdb.unavailable',
      `${this.address.url} answers ${what}: does InfluxDB listen there, or a proxy in front of it?`,
    );
  }

  #answered(path: string, { statusCode, headers }: IncomingMessage, text: string): InfluxError {
    const reason = String(headers['x-influxdb-error'] ?? reasonOf(text));
    const { url, database, token, username } = this.address;
    const who = token !== null ? 'the token' : username !== null ? `user '${username}'` : 'an anonymous user';
    switch (statusCode) {
      case 401:
        return new InfluxError(
          'influxdb.credentials',
          `InfluxDB at ${url} rejects ${who} (401): correct username and password, or token. Its answer: ${reason}`,
          reason,
        );
      case 403:
        return new InfluxError(
          'influxdb.credentials',
          `InfluxDB at ${url} does not authorise ${who} (403): grant rights on ${database} as its administrator. Its answer: ${reason}`,
          reason,
        );
      case 400: // of all, or of some
      case 422: // InfluxDB 2, of some
        return path === '/write'
          ? new InfluxError('influxdb.refused', `InfluxDB rejects points: ${reason}`, reason)
          : this.#refused(reason);
      case 404:
        return this.#missing(reason);
      case 413:
        return new InfluxError(
          'influxdb.too_large',
          `InfluxDB rejects the size of a write: ${reason}`,
          reason,
        );
      default: {
        const wait = retryAfter(headers['retry-after'], headers.date);
        return new InfluxError(
          statusCode === 429 || wait !== null ? 'influxdb.busy' : 'influxdb.unavailable',
          `InfluxDB at ${url} is unavailable (${statusCode ?? 0}): ${reason}`,
          reason,
          wait,
        );
      }
    }
  }

  #refused(reason: string): InfluxError {
    if (/not found|default retention policy not set/i.test(reason)) return this.#missing(reason);
    return new InfluxError(
      'influxdb.query',
      `InfluxDB at ${this.address.url} rejects a query: ${reason}`,
      reason,
    );
  }

  #missing(reason: string): InfluxError {
    const { url, database } = this.address;
    return new InfluxError(
      'influxdb.database',
      `InfluxDB at ${url} has no database ${database} (in InfluxDB 2: no bucket mapped to it): ${reason}`,
      reason,
    );
  }

  #unavailable(why: string): InfluxError {
    return new InfluxError(
      'influxdb.unavailable',
      `InfluxDB at ${this.address.url} cannot be reached: ${why}`,
    );
  }
}

function endWith(request: ClientRequest, signal: AbortSignal, reject: (reason: unknown) => void): void {
  const end = () => {
    reject(signal.reason);
    request.destroy();
  };
  signal.addEventListener('abort', end, { once: true });
  request.once('close', () => {
    signal.removeEventListener('abort', end);
  });
}

const NO_BACKOFF = {
  getDelay: () => 0,
  next: () => NO_BACKOFF,
  reset: () => NO_BACKOFF,
};

/**
 * An agent that reports each request as it is made. The client hides answers of 500 and above, including the
 * headers with their reason and retry time.
 */
function watchedAgent(url: string, made: (request: ClientRequest) => void): HttpAgent {
  const options = { keepAlive: true, maxSockets: 8 };
  const agent = url.startsWith('https:') ? new HttpsAgent(options) : new HttpAgent(options);
  const internal = agent as unknown as { addRequest(request: ClientRequest, ...rest: unknown[]): void };
  const add = internal.addRequest.bind(agent);
  internal.addRequest = (request, ...rest) => {
    made(request);
    add(request, ...rest);
  };
  return agent;
}
