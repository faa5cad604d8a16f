import { reasonOf, retryAfter } from '../shared/line-protocol/answer.js';
import { InfluxError } from '../shared/line-protocol/error.js';
import type { Address } from '../shared/line-protocol/login.js';
import { lineOf } from '../shared/line-protocol/line.js';
import type { Point } from '../shared/line-protocol/points.js';

export interface ServerAddress extends Address {
  readonly server: keyof typeof DIALECTS;
}

/** Paths of a server, and the status with which it accepts lines. */
interface Dialect {
  readonly name: string;
  readonly ping: string;
  readonly write: (database: string) => string;
  readonly accepted: number;
}

const DIALECTS = {
  influxdb3: {
    name: 'InfluxDB 3',
    ping: '/ping',
    write: (database) =>
      `/api/v3/write_lp?db=${encodeURIComponent(database)}&precision=nanosecond&accept_partial=false`,
    accepted: 204,
  },
  questdb: { name: 'QuestDB', ping: '/ping', write: () => '/write?precision=n', accepted: 204 },
  grafana: {
    name: 'Grafana',
    ping: '/api/health',
    write: (stream) => `/api/live/push/${encodeURIComponent(stream)}`,
    accepted: 200,
  },
} as const satisfies Readonly<Record<string, Dialect>>;

/** Limit of what is read of an answer: the first rejected lines say enough. */
const MAX_ANSWER = 64 * 1024;

/** A server that takes lines over HTTP. */
export class LineServer {
  readonly #address: ServerAddress;
  readonly #dialect: Dialect;
  readonly name: string;

  constructor(address: ServerAddress) {
    this.#address = address;
    this.#dialect = DIALECTS[address.server];
    this.name = `${this.#dialect.name} at ${address.url}`;
  }

  /** Version of the server; null if it does not say. @throws InfluxError */
  async version(): Promise<string | null> {
    const { status, headers, text } = await this.#call(this.#dialect.ping, 'GET');
    if (status !== 200 && status !== 204) throw this.#answered(status, headers, text);
    return headers.get('x-influxdb-version') ?? /"version":\s*"([^"]+)"/.exec(text)?.[1] ?? null;
  }

  /**
   * Stores all points, or none: a record's points belong together.
   * @throws InfluxError `influxdb.refused` for points that the server will never accept
   */
  async write(points: readonly Point[]): Promise<void> {
    const { write, accepted } = this.#dialect;
    const path = write(this.#address.database);
    const { status, headers, text } = await this.#call(path, 'POST', points.map(lineOf).join('\n'));
    if (status === accepted) return;
    if (status < 300)
      throw new InfluxError(
        'influxdb.unavailable',
        `${this.name} answers a write with ${status}, not with ${accepted}: does it listen there, or a proxy in front of it?`,
      );
    throw this.#answered(status, headers, text);
  }

  async #call(path: string, method: string, body?: string) {
    const { url, timeoutMs } = this.#address;
    try {
      const response = await fetch(`${url.replace(/\/$/, '')}${path}`, {
        method,
        headers: {
          ...this.#credentials(),
          ...(body !== undefined && { 'Content-Type': 'text/plain; charset=utf-8' }),
        },
        ...(body !== undefined && { body }),
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      });
      const { status, headers } = response;
      return { status, headers, text: await beginningOf(response) };
    } catch (error) {
      const { cause } = error as { readonly cause?: unknown };
      const why = cause instanceof Error ? cause.message : (error as Error).message;
      throw new InfluxError('influxdb.unavailable', `${this.name} cannot be reached: ${why}`);
    }
  }

  #credentials(): Readonly<Record<string, string>> {
    const { username, password, token } = this.#address;
    if (token !== null) return { Authorization: `Bearer ${token}` };
    if (username === null) return {};
    return { Authorization: `Basic ${Buffer.from(`${username}:${password ?? ''}`).toString('base64')}` };
  }

  #answered(status: number, headers: Headers, text: string): InfluxError {
    const reason = [reasonOf(text), ...lineFaults(text)].join(': ');
    const { database } = this.#address;
    switch (status) {
      case 401:
      case 403:
        return new InfluxError(
          'influxdb.credentials',
          `${this.name} rejects the credentials (${status}): correct token, or username and password, and their rights on ${database}. Its answer: ${reason}`,
          reason,
        );
      case 400:
      case 422:
        return new InfluxError('influxdb.refused', `${this.name} rejects points: ${reason}`, reason);
      case 404:
        return new InfluxError(
          'influxdb.database',
          `${this.name} has no such path or database ${database}: ${reason}`,
          reason,
        );
      case 413:
        return new InfluxError(
          'influxdb.too_large',
          `${this.name} rejects the size of a write: ${reason}`,
          reason,
        );
      default: {
        const wait = retryAfter(headers.get('retry-after') ?? undefined, headers.get('date') ?? undefined);
        const code = status === 429 || wait !== null ? 'influxdb.busy' : 'influxdb.unavailable';
        return new InfluxError(code, `${this.name} is unavailable (${status}): ${reason}`, reason, wait);
      }
    }
  }
}

async function beginningOf(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    text += decoder.decode(part, { stream: true });
    if (text.length > MAX_ANSWER) break;
  }
  return text;
}

/** What InfluxDB 3 says about the first line that it rejects, within `data`. */
function lineFaults(text: string): readonly string[] {
  const said = /"error_message":\s*("(?:[^"\\]|\\.)*")/.exec(text)?.[1];
  return said === undefined ? [] : [String(JSON.parse(said))];
}
