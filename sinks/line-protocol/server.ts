import { causeText } from '../../pipeline/base/error-text.js';
import { excerpt, reasonOf, retryAfter } from '../shared/line-protocol/answer.js';
import { InfluxError } from '../shared/line-protocol/error.js';
import type { Address } from '../shared/line-protocol/login.js';
import { lineOf } from '../shared/line-protocol/line.js';
import type { Point } from '../shared/line-protocol/points.js';
import type { Row } from '../shared/line-protocol/rows.js';

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

/** Limit of what is read of an answer to a write: the first rejected lines say enough. */
const MAX_ANSWER = 64 * 1024;
/** Limit of an answer to a query, characters. */
const MAX_ROWS = 256 * 1024 * 1024;
const MAX_FAULT = 2_000;

/** What is sent with a call. */
interface Sent {
  readonly method: 'GET' | 'POST';
  readonly body?: string;
  readonly type?: string;
  /** Ends the call, with its reason. */
  readonly signal?: AbortSignal | undefined;
}

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
    const { status, headers, text } = await this.#call(this.#dialect.ping, { method: 'GET' });
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
    const body = points.map(lineOf).join('\n');
    const sent = { method: 'POST', body, type: 'text/plain; charset=utf-8' } as const;
    const { status, headers, text } = await this.#call(path, sent);
    if (status === accepted) return;
    if (status < 300)
      throw new InfluxError(
        'influxdb.unavailable',
        `${this.name} answers a write with ${status}, not with ${accepted}: does it listen there, or a proxy in front of it?`,
      );
    throw this.#answered(status, headers, text);
  }

  /**
   * Rows of one SELECT of InfluxDB 3; none while the database does not exist, because the first write creates it.
   * A column without a value is absent from its row.
   * @param parameters texts for `$` in its conditions
   * @throws InfluxError `influxdb.query` for a statement that the server rejects
   */
  async query(
    sql: string,
    parameters: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): Promise<readonly Row[]> {
    const { database: db } = this.#address;
    const body = JSON.stringify({ db, q: sql, format: 'json', params: parameters });
    const sent = { method: 'POST', body, type: 'application/json', signal } as const;
    const { status, headers, text } = await this.#call('/api/v3/query_sql', sent, MAX_ROWS);
    if (status === 200) return this.#rowsOf(text);
    const reason = reasonOf(text.slice(0, MAX_FAULT));
    if (/database not found/i.test(reason)) return [];
    if (status === 400 || status === 422)
      throw new InfluxError('influxdb.query', `${this.name} rejects a query: ${reason}`, reason);
    throw this.#answered(status, headers, text);
  }

  #rowsOf(text: string): readonly Row[] {
    if (text.length >= MAX_ROWS)
      throw new InfluxError(
        'influxdb.query',
        `${this.name} answers a query with more than ${MAX_ROWS / 1024 / 1024} MiB: ask for a shorter range`,
      );
    try {
      const rows = JSON.parse(text) as unknown;
      if (Array.isArray(rows)) return rows as Row[];
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
    throw new InfluxError(
      'influxdb.unavailable',
      `${this.name} answers a query with ${excerpt(text)}, not with rows: does it listen there, or a proxy in front of it?`,
    );
  }

  async #call(path: string, { method, body, type, signal }: Sent, limit = MAX_ANSWER) {
    const { url, timeoutMs } = this.#address;
    const patience = AbortSignal.timeout(timeoutMs);
    try {
      const response = await fetch(`${url.replace(/\/$/, '')}${path}`, {
        method,
        headers: { ...this.#credentials(), ...(type !== undefined && { 'Content-Type': type }) },
        ...(body !== undefined && { body }),
        redirect: 'error',
        signal: signal ? AbortSignal.any([signal, patience]) : patience,
      });
      const { status, headers } = response;
      return { status, headers, text: await beginningOf(response, limit) };
    } catch (error) {
      signal?.throwIfAborted();
      throw new InfluxError('influxdb.unavailable', `${this.name} cannot be reached: ${causeText(error)}`);
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

async function beginningOf(response: Response, limit: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    text += decoder.decode(part, { stream: true });
    if (text.length >= limit) break;
  }
  return text;
}

/** What InfluxDB 3 says about the first line that it rejects, within `data`. */
function lineFaults(text: string): readonly string[] {
  const said = /"error_message":\s*("(?:[^"\\]|\\.)*")/.exec(text)?.[1];
  return said === undefined ? [] : [String(JSON.parse(said))];
}
