import { Type, type Static } from 'typebox';
import {
  defineSink,
  type Complaint,
  type Context,
  type Reader,
  type Sink,
} from '../../pipeline/component/index.js';
import type { Data, Failure } from '../../pipeline/model/index.js';
import { Connection } from './connection.js';
import { InfluxError } from '../shared/line-protocol/error.js';
import { loginComplaints, RequestFields } from '../shared/line-protocol/login.js';
import { Delivery, type Encoded } from '../shared/line-protocol/delivery.js';
import { pointKey, pointsOf, type Point } from '../shared/line-protocol/points.js';
import { InfluxReader } from './reader.js';
import { prepare, type RetentionOptions } from './setup.js';
import { TagValues } from '../shared/line-protocol/tags.js';
import { errorText } from '../../pipeline/base/error-text.js';
import { storeClosed } from '../shared/store-closed.js';
import { optionalText } from '../shared/optional-text.js';

const Days = (description: string) =>
  Type.Union([Type.Number({ minimum: 0.042, maximum: 36_500 }), Type.Null()], {
    default: null,
    description,
  });

const Config = Type.Object(
  {
    url: Type.String({
      pattern: '^https?://[^/@?#]+(/[^?#]*)?$',
      'x-expected': 'must be an address such as http://influxdb:8086, without user, password, ? and #',
      default: 'http://127.0.0.1:8086',
      description: 'Where InfluxDB listens, without user and password.',
    }),
    database: Type.String({
      minLength: 1,
      maxLength: 255,
      default: 'csiflow',
      description:
        'Database of InfluxDB 1 (created if it is missing and the user has the rights), or bucket of InfluxDB 2.',
    }),
    username: optionalText('User of InfluxDB 1; null: no login.'),
    password: optionalText('Its password: `${secret:influxdb_password}`.'),
    token: optionalText('Token of InfluxDB 2, instead of user and password: `${secret:influxdb_token}`.'),
    retention_policy: optionalText(
      "Retention policy to write to and read, created if it is missing; null: the database's default.",
    ),
    retention_days: Days(
      'Older points are deleted, including means; sets the duration of the retention policy (in InfluxDB 2 of the bucket). Null: nothing is deleted, and the policy is not changed.',
    ),
    full_rate_days: Days(
      'After this many days, only means over `means_interval_s` remain, until `retention_days`; continuous queries of InfluxDB 1 compute them. Null: there are no means.',
    ),
    means_interval_s: Type.Integer({
      minimum: 1,
      maximum: 86_400,
      default: 60,
      description: 'Length of the periods of means, seconds.',
    }),
    ...RequestFields,
  },
  { additionalProperties: false },
);
type Config = Static<typeof Config>;

export const influxdb = defineSink({
  name: 'influxdb',
  summary: 'Stores poses, tracks, events and measures in InfluxDB 1 or 2, and reads them back.',
  description: `The store for sites that already have InfluxDB and Grafana (docs/influxdb.md has the measurements, queries and dashboards).

- A record always becomes the same points, so records repeated after a crash overwrite themselves.
- Persons are fields or take turns in 16 slots: a new person adds no series. A tag has 1,000 values at most beside what the environments declare; a record beyond that is a dead letter.
- While a server is offline, slow, full or has new credentials, records wait in the outbox. \`Retry-After\` is honoured.
- Points that InfluxDB rejects are found by halving the batch; only they become dead letters, with its reason (\`influxdb.refused\`). \`store.value.invalid\`: a value that it could not return exactly. \`influxdb.point.taken\`: two events that InfluxDB would merge.
- Inferred values are rounded as in the other stores: lengths to 1 mm, confidences and angles to four decimals.
- csiflow uses the version 1 paths of InfluxDB 2, with a token; 2.7 maps each bucket to a database of the same name by itself.`,
  inputs: ['pose', 'event', 'measure'],
  recovery: 'idempotent',
  maxInFlight: () => MAX_IN_FLIGHT,
  privacy: ['retention'],
  store: true,
  config: Config,
  examples: [
    {
      title: 'InfluxDB 1, ninety days',
      config: {
        url: 'http://influxdb:8086',
        database: 'ward-3',
        username: 'csiflow',
        password: '${secret:influxdb_password}',
        retention_days: 90,
      },
    },
    {
      title: 'InfluxDB 2',
      config: { url: 'https://influx.example.org', database: 'ward-3', token: '${secret:influxdb_token}' },
    },
    {
      title: 'Two weeks in full, means over a minute for a year',
      config: {
        username: 'csiflow',
        password: '${secret:influxdb_password}',
        full_rate_days: 14,
        retention_days: 365,
      },
    },
  ],
  check: complaints,
  create: (config, context) => new InfluxSink(config, context),
});

function complaints(config: Config): readonly Complaint[] {
  const { retention_days: all, full_rate_days: full } = config;
  return [
    ...loginComplaints(config),
    ...(all !== null && full !== null && full > all
      ? [{ path: ['full_rate_days'], message: `must not be more than retention_days, which is ${all}` }]
      : []),
  ];
}

/** The shorter of the retention times of the sink and the topology. */
function retentionFor(
  { retention_days: own, full_rate_days: full }: Config,
  { storage: retention }: Context,
): Pick<Config, 'retention_days' | 'full_rate_days'> {
  const all = retention?.retentionDays ?? null;
  if (all === null) return { retention_days: own, full_rate_days: full };
  return {
    retention_days: own === null ? all : Math.min(own, all),
    full_rate_days: full === null ? null : Math.min(full, all),
  };
}

/** Concurrent requests: enough to hide the round trip, few enough for a small server. */
const MAX_IN_FLIGHT = 4;
/** Limit of remembered events, which detect two that InfluxDB would merge. */
const REMEMBERED_EVENTS = 4_096;

class InfluxSink implements Sink {
  readonly reader: Reader;
  readonly #config: Config;
  readonly #context: Context;
  readonly #tags: TagValues;
  readonly #delivery: Delivery;
  #connection: Connection | null = null;
  /** Version of the server, once database and policies are set up. */
  #prepared: string | null = null;
  #preparing: Promise<void> | null = null;
  /** The server asked for no requests before this time, monotonic milliseconds. */
  #quietUntil = -Infinity;
  readonly #events = new Map<string, string>();

  constructor(config: Config, context: Context) {
    this.#config = { ...config, ...retentionFor(config, context) };
    this.#context = context;
    this.#tags = new TagValues(
      context.environments.flatMap(({ id, links, zones }) => [
        id,
        ...[...links, ...zones].map((each) => each.id),
      ]),
    );
    this.#delivery = new Delivery((points) => this.#send(points), config.batch_points);
    this.reader = new InfluxReader(() => this.#open, config.retention_policy);
  }

  /** An offline server is retried; wrong credentials or a missing database abort the start. */
  async open(): Promise<void> {
    const { url, database, username, password, token, timeout_ms: timeoutMs } = this.#config;
    this.#connection = await Connection.to({ url, database, username, password, token, timeoutMs });
    try {
      await this.#prepare();
    } catch (error) {
      if (!(error instanceof InfluxError && error.retriable)) {
        await this.close();
        throw error;
      }
      this.#context.log.warn('InfluxDB is offline: records wait in the outbox', {
        error: errorText(error),
      });
    }
  }

  async write(records: readonly Data[]): Promise<readonly Failure[]> {
    if (this.#context.clock.elapsed() < this.#quietUntil)
      throw new InfluxError(
        'influxdb.busy',
        `InfluxDB at ${this.#config.url} asked not to be called for a while`,
      );
    if (this.#prepared === null) await (this.#preparing ??= this.#prepare());
    const failures: Failure[] = [];
    const encoded = records.flatMap((record) => this.#encode(record, failures) ?? []);
    return [...failures, ...(await this.#delivery.deliver(encoded))];
  }

  /** All written records are in the store: InfluxDB answers once they are in its log. */
  async flush(): Promise<void> {
    await Promise.resolve();
  }

  describe(): Readonly<Record<string, unknown>> {
    const { url, database } = this.#config;
    return { url, database, version: this.#prepared, ready: this.#prepared !== null };
  }

  async close(): Promise<void> {
    await Promise.resolve(this.#connection?.close());
    this.#connection = null;
    this.#prepared = null;
  }

  get #open(): Connection {
    if (!this.#connection) throw storeClosed(`the connection to InfluxDB at ${this.#config.url}`);
    return this.#connection;
  }

  async #prepare(): Promise<void> {
    const { retention_policy, retention_days, full_rate_days, means_interval_s } = this.#config;
    const retention: RetentionOptions = {
      retentionPolicy: retention_policy,
      retentionDays: retention_days,
      fullRateDays: full_rate_days,
      meansIntervalS: means_interval_s,
    };
    try {
      this.#prepared = await prepare(this.#open, retention, this.#tags);
    } finally {
      this.#preparing = null;
    }
  }

  #encode(record: Data, failures: Failure[]): Encoded | null {
    try {
      const points = pointsOf(record, this.#tags);
      if (record.port !== 'event' || this.#isNew(pointKey(points[0]!), record.id)) return { record, points };
      const reason = 'another event of the same kind and nanosecond is stored: InfluxDB would overwrite it';
      failures.push({ record, code: 'influxdb.point.taken', reason, retriable: false });
    } catch (error) {
      const reason = errorText(error);
      failures.push({ record, code: 'store.value.invalid', reason, retriable: false });
    }
    return null;
  }

  /** False if the point belongs to another event. */
  #isNew(key: string, id: string): boolean {
    const known = this.#events.get(key);
    if (known !== undefined) return known === id;
    this.#events.set(key, id);
    if (this.#events.size > REMEMBERED_EVENTS) this.#events.delete(this.#events.keys().next().value!);
    return true;
  }

  async #send(points: readonly Point[]): Promise<void> {
    try {
      await this.#open.write(points, this.#config.retention_policy);
      this.#context.metrics.count('influxdb_points_total', points.length);
    } catch (error) {
      throw error instanceof InfluxError ? this.#noted(error) : error;
    }
  }

  #noted(error: InfluxError): InfluxError {
    if (error.code === 'influxdb.database') {
      this.#prepared = null;
      this.#delivery.forget();
    }
    if (error.retryAfterMs !== null) this.#quietUntil = this.#context.clock.elapsed() + error.retryAfterMs;
    return error;
  }
}
