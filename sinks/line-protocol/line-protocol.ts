import { Type, type Static } from 'typebox';
import { choice, defineSink, type Context, type Reader, type Sink } from '../../pipeline/component/index.js';
import { errorText } from '../../pipeline/base/error-text.js';
import type { Data, Failure } from '../../pipeline/model/index.js';
import { Delivery, type Encoded } from '../shared/line-protocol/delivery.js';
import { InfluxError } from '../shared/line-protocol/error.js';
import { loginComplaints, RequestFields } from '../shared/line-protocol/login.js';
import { pointsOf } from '../shared/line-protocol/points.js';
import { TagValues } from '../shared/line-protocol/tags.js';
import { storeClosed } from '../shared/store-closed.js';
import { SqlReader } from './reader.js';
import { LineServer } from './server.js';
import { optionalText } from '../shared/optional-text.js';

const Config = Type.Object(
  {
    server: choice(
      {
        influxdb3: 'InfluxDB 3: `/api/v3/write_lp`.',
        questdb: 'QuestDB: `/write`.',
        grafana: 'Grafana Live: `/api/live/push`.',
      },
      { default: 'influxdb3', description: 'The kind of server.' },
    ),
    url: Type.String({
      pattern: '^https?://[^/@?#]+(/[^?#]*)?$',
      'x-expected': 'must be an address such as http://questdb:9000, without user, password, ? and #',
      default: 'http://127.0.0.1:8181',
      description: 'Where the server listens, without user and password. QuestDB: port 9000; Grafana: 3000.',
    }),
    database: Type.String({
      minLength: 1,
      maxLength: 64,
      default: 'csiflow',
      description:
        'Database of InfluxDB 3, which creates it at the first write; stream of Grafana. QuestDB has only one.',
    }),
    token: optionalText('Token: `${secret:influxdb_token}`; null: none. Grafana: of a service account.'),
    username: optionalText('User of QuestDB, instead of a token; null: no login.'),
    password: optionalText('Its password: `${secret:questdb_password}`.'),
    ...RequestFields,
  },
  { additionalProperties: false },
);
type Config = Static<typeof Config>;

export const lineProtocol = defineSink({
  name: 'line-protocol',
  summary:
    'Writes poses, tracks, events and measures to InfluxDB 3 (and reads them back), QuestDB or Grafana Live.',
  description: `For servers that analysts query with SQL ([how to use it](../../line-protocol.md)). Tables and columns are the measurements, tags and fields of the sink [influxdb](influxdb.md), which is for InfluxDB 1 and 2.

- InfluxDB 3 is a store: the service interface reads history and analytics from it, by SQL. From QuestDB and Grafana Live, csiflow reads nothing back: use another store of the topology for that, such as [duckdb](duckdb.md).
- InfluxDB 3: a record always becomes the same points, so records repeated after a crash overwrite themselves. QuestDB: they may be there twice, unless you make the tables with \`DEDUP UPSERT KEYS\`.
- Grafana Live shows results as they arrive, and stores nothing: each measurement is a channel \`stream/<database>/<measurement>\`.
- While a server is offline, slow or full, records wait in the outbox. \`Retry-After\` is honoured.
- InfluxDB 3 stores a request whole or not at all. Points that the server rejects are found by halving it; only their records become dead letters, with its reason (\`influxdb.refused\`).
- A tag has 1,000 values at most beside what the environments declare; a record beyond that is a dead letter (\`store.value.invalid\`).`,
  inputs: ['pose', 'event', 'measure'],
  recovery: ({ server }) => (server === 'influxdb3' ? 'idempotent' : 'at-least-once'),
  store: ({ server }) => server === 'influxdb3',
  maxInFlight: () => 4,
  config: Config,
  examples: [
    {
      title: 'InfluxDB 3',
      config: { url: 'http://influxdb3:8181', database: 'ward-3', token: '${secret:influxdb_token}' },
    },
    { title: 'QuestDB', config: { server: 'questdb', url: 'http://questdb:9000' } },
    {
      title: 'Live panels of Grafana',
      config: {
        server: 'grafana',
        url: 'http://grafana:3000',
        database: 'ward-3',
        token: '${secret:grafana_token}',
      },
    },
  ],
  check: loginComplaints,
  create: (config, context) => new LineProtocolSink(config, context),
});

class LineProtocolSink implements Sink {
  /** Present for InfluxDB 3 only. */
  readonly reader?: Reader;
  readonly #context: Context;
  readonly #server: LineServer;
  readonly #tags: TagValues;
  readonly #delivery: Delivery;
  #version: string | null = null;
  #isOpen = false;
  /** The server asked for no requests before this time, monotonic milliseconds. */
  #quietUntil = -Infinity;

  constructor(config: Config, context: Context) {
    this.#context = context;
    this.#server = new LineServer({ ...config, timeoutMs: config.timeout_ms });
    if (config.server === 'influxdb3')
      this.reader = new SqlReader((...asked) => this.#opened.query(...asked));
    this.#tags = new TagValues(
      context.environments.flatMap(({ id, links, zones }) => [
        id,
        ...[...links, ...zones].map((each) => each.id),
      ]),
    );
    this.#delivery = new Delivery(async (points) => {
      await this.#opened.write(points);
      context.metrics.count('influxdb_points_total', points.length);
    }, config.batch_points);
  }

  /** An offline server is retried; wrong credentials abort the start. */
  async open(): Promise<void> {
    try {
      this.#version = await this.#server.version();
      this.#isOpen = true;
    } catch (error) {
      if (!(error instanceof InfluxError && error.retriable)) throw error;
      this.#isOpen = true;
      this.#context.log.warn('the server is offline: records wait in the outbox', { error: error.message });
    }
  }

  async write(records: readonly Data[]): Promise<readonly Failure[]> {
    if (this.#context.clock.elapsed() < this.#quietUntil)
      throw new InfluxError('influxdb.busy', `${this.#server.name} asked not to be called for a while`);
    const failures: Failure[] = [];
    const encoded = records.flatMap((record) => this.#encode(record, failures) ?? []);
    try {
      return [...failures, ...(await this.#delivery.deliver(encoded))];
    } catch (error) {
      if (error instanceof InfluxError && error.retryAfterMs !== null)
        this.#quietUntil = this.#context.clock.elapsed() + error.retryAfterMs;
      throw error;
    }
  }

  /** All written records are in the store: the server answers once they are in its log. */
  async flush(): Promise<void> {
    await Promise.resolve();
  }

  describe(): Readonly<Record<string, unknown>> {
    return { server: this.#server.name, version: this.#version };
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    await Promise.resolve();
  }

  get #opened(): LineServer {
    if (!this.#isOpen) throw storeClosed(`the connection to ${this.#server.name}`);
    return this.#server;
  }

  #encode(record: Data, failures: Failure[]): Encoded | null {
    try {
      return { record, points: pointsOf(record, this.#tags) };
    } catch (error) {
      failures.push({ record, code: 'store.value.invalid', reason: errorText(error), retriable: false });
      return null;
    }
  }
}
