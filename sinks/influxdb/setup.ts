import type { Connection } from './connection.js';
import { InfluxError } from '../shared/line-protocol/error.js';
import { POSE_FRAME, MEASURE_MEASUREMENTS } from '../shared/line-protocol/points.js';
import { identifier, textLiteral } from './query.js';
import type { Row } from '../shared/line-protocol/rows.js';
import { rowsOf } from './rows.js';
import type { TagValues } from '../shared/line-protocol/tags.js';

/** How long data is retained. */
export interface RetentionOptions {
  /** Policy for writes; null: the database's default. */
  readonly retentionPolicy: string | null;
  /** All data is deleted after this many days; null: nothing is deleted, and no policy is changed. */
  readonly retentionDays: number | null;
  /** After this many days only means are retained; null: there are no means. */
  readonly fullRateDays: number | null;
  readonly meansIntervalS: number;
}

/** Policy of the means. */
const MEANS_POLICY = 'csiflow_means';

/**
 * Creates or checks database, retention and downsampling, and reads the existing tag values.
 *
 * @returns the server's version
 * @throws InfluxError saying what is missing and how to fix it
 */
export async function prepare(
  connection: Connection,
  retention: RetentionOptions,
  tags: TagValues,
): Promise<string> {
  const version = await connection.version();
  if (/^v?1\./.test(version)) {
    const policies = await policiesOf(connection);
    const main = policies.find((row) =>
      retention.retentionPolicy === null
        ? row['default'] === true
        : row['name'] === retention.retentionPolicy,
    );
    const name = retention.retentionPolicy ?? (main?.['name'] as string | undefined);
    if (name === undefined) throw withoutDefault(connection);
    await setRetention(connection, name, main, retention.fullRateDays ?? retention.retentionDays);
    if (retention.fullRateDays !== null) {
      const means = policies.find((row) => row['name'] === MEANS_POLICY);
      await setRetention(connection, MEANS_POLICY, means, retention.retentionDays ?? Infinity);
      await downsample(connection, name, retention.meansIntervalS);
    }
  } else await checkBucket(connection, retention);
  await learnTags(connection, tags);
  return version;
}

// ------------------------------------------------------- InfluxDB 1: policies

async function policiesOf(connection: Connection): Promise<Row[]> {
  const { database } = connection.address;
  const show = async () =>
    rowsOf((await connection.query(`SHOW RETENTION POLICIES ON ${identifier(database)}`))[0]!);
  try {
    return await show();
  } catch (error) {
    if (!(error instanceof InfluxError)) throw error;
    if (/not authorized to execute/.test(error.reason))
      throw new InfluxError(error.code, `${error.message}. ${toMake(connection)}`, error.reason);
    if (error.code !== 'influxdb.database') throw error;
  }
  await administer(connection, `CREATE DATABASE ${identifier(database)}`);
  return show();
}

function withoutDefault({ address: { url, database } }: Connection): InfluxError {
  return new InfluxError(
    'influxdb.database',
    `Database ${database} of InfluxDB at ${url} has no default retention policy: name one in retention_policy`,
  );
}

/**
 * An account that may not list databases may lack the database or its rights, so the message has both
 * statements.
 */
function toMake({ address: { database, username } }: Connection): string {
  const name = identifier(database);
  return `As an administrator of InfluxDB run: CREATE DATABASE ${name}; GRANT ALL ON ${name} TO ${identifier(username ?? 'USER')}`;
}

/** Sets the duration of a policy, creating the policy if missing; null leaves an existing one unchanged. */
async function setRetention(
  connection: Connection,
  name: string,
  found: Row | undefined,
  days: number | null,
): Promise<void> {
  if (found && (days === null || sameDuration(found, days))) return;
  const database = identifier(connection.address.database);
  const duration = days === null || days === Infinity ? 'INF' : `${Math.round(days * 1440)}m`;
  const shard = shardHours(days ?? Infinity);
  await administer(
    connection,
    `${found ? 'ALTER' : 'CREATE'} RETENTION POLICY ${identifier(name)} ON ${database} ` +
      `DURATION ${duration} REPLICATION 1 SHARD DURATION ${shard}h`,
  );
}

const sameDuration = (policy: Row, days: number): boolean => {
  const minutes = days === Infinity ? 0 : Math.round(days * 1440);
  return minutesOf(String(policy['duration'])) === minutes;
};

/** Minutes of `2160h0m0s`; 0 means forever. */
function minutesOf(duration: string): number {
  const [, hours = '0', minutes = '0'] = /^(?:(\d+)h)?(?:(\d+)m)?/.exec(duration) ?? [];
  return Number(hours) * 60 + Number(minutes);
}

/**
 * InfluxDB deletes whole shards once their newest point is old enough, so a shard is a small part of the
 * retention.
 */
const shardHours = (days: number): number => (days < 2 ? 1 : days <= 180 ? 24 : 168);

// --------------------------------------------------- InfluxDB 1: downsampling

/** Means are recomputed with late points for this long: an outbox may be delivered hours later. */
const RESAMPLE_FOR = '2h';

const NUMBERS =
  'mean("value") AS "value", min("value") AS "value_min", max("value") AS "value_max", count("value") AS "value_count"';
const FRAMES =
  'mean("person_count") AS "person_count", max("person_count") AS "person_count_max", ' +
  'mean("signal_quality") AS "signal_quality", mean("links") AS "links"';

/**
 * Continuous queries that fill {@link MEANS_POLICY}: only numbers, neither skeletons nor the paths of people.
 */
async function downsample(connection: Connection, from: string, seconds: number): Promise<void> {
  const database = identifier(connection.address.database);
  const queries = [
    ...MEASURE_MEASUREMENTS.map((measurement) => [measurement, measurement, NUMBERS, ''] as const),
    ['frames', 'occupancy', FRAMES, `WHERE "name" = ${textLiteral(POSE_FRAME)}`] as const,
  ];
  for (const [name, measurement, numbers, where] of queries) {
    const query = identifier(`csiflow_${name}`);
    const source = `${database}.${identifier(from)}.${identifier(measurement)}`;
    const target = `${database}.${identifier(MEANS_POLICY)}.${identifier(measurement)}`;
    const create =
      `CREATE CONTINUOUS QUERY ${query} ON ${database} RESAMPLE EVERY ${seconds}s FOR ${RESAMPLE_FOR} ` +
      `BEGIN SELECT ${numbers} INTO ${target} FROM ${source} ${where} GROUP BY time(${seconds}s), * END`;
    // A query of the same name with other content is an error; an identical one is not.
    await administer(connection, create).catch(async (error: unknown) => {
      if (!(error instanceof InfluxError && error.reason.includes('already exists'))) throw error;
      await administer(connection, `DROP CONTINUOUS QUERY ${query} ON ${database}`);
      await administer(connection, create);
    });
  }
}

/** @throws InfluxError with the statement, for an administrator to run */
async function administer(connection: Connection, statement: string): Promise<void> {
  try {
    await connection.query(statement);
  } catch (error) {
    if (!(error instanceof InfluxError && error.code === 'influxdb.credentials')) throw error;
    throw new InfluxError(
      error.code,
      `${error.message}. As an administrator of InfluxDB run: ${statement}`,
      error.reason,
    );
  }
}

// ----------------------------------------------------------------- InfluxDB 2

/** A bucket has its own retention, and downsampling is a task there. */
async function checkBucket(connection: Connection, retention: RetentionOptions): Promise<void> {
  const { url, database, token } = connection.address;
  await connection.query('SHOW MEASUREMENTS LIMIT 1');
  if (retention.fullRateDays !== null)
    throw new InfluxError(
      'influxdb.query',
      `InfluxDB at ${url} is not version 1: it has no continuous queries. Remove full_rate_days, and create a task there`,
    );
  if (retention.retentionDays === null) return;
  const everySeconds = Math.round(retention.retentionDays * 86_400);
  const api = `${url.replace(/\/$/, '')}/api/v2/buckets`;
  const ask = async (path: string, init?: RequestInit) => {
    const response = await fetch(`${api}${path}`, {
      ...init,
      headers: { ...(token !== null && { Authorization: `Token ${token}` }) },
      signal: AbortSignal.timeout(connection.address.timeoutMs),
    }).catch((error: unknown) => {
      throw new InfluxError('influxdb.unavailable', `InfluxDB at ${url} cannot be reached: ${String(error)}`);
    });
    if (response.ok) return response.json();
    await response.body?.cancel();
    if (response.status === 429 || response.status >= 500)
      throw new InfluxError(
        'influxdb.unavailable',
        `InfluxDB at ${url} cannot tell of bucket ${database} now (${response.status})`,
      );
    throw new InfluxError(
      'influxdb.credentials',
      `InfluxDB at ${url} rejects setting the retention of bucket ${database} (${response.status}): give the token ` +
        `rights on buckets, or run: influx bucket update --id <id> --retention ${everySeconds}s, and leave retention_days out`,
    );
  };
  const found = (await ask(`?name=${encodeURIComponent(database)}`)) as {
    readonly buckets: readonly { id: string; retentionRules: readonly { everySeconds: number }[] }[];
  };
  const [bucket] = found.buckets;
  if (!bucket)
    throw new InfluxError('influxdb.database', `InfluxDB at ${url} has no bucket ${database}: make it there`);
  if (bucket.retentionRules[0]?.everySeconds === everySeconds) return;
  const retentionRules = [{ type: 'expire', everySeconds }];
  await ask(`/${bucket.id}`, { method: 'PATCH', body: JSON.stringify({ retentionRules }) });
}

// ----------------------------------------------------------------------- both

async function learnTags(connection: Connection, tags: TagValues): Promise<void> {
  const keys = ['environment', 'name', 'subject', 'source', 'type'].map(identifier);
  const [series] = await connection.query(`SHOW TAG VALUES WITH KEY IN (${keys.join(', ')})`);
  for (const row of rowsOf(series!)) tags.note(row['key'] as string, row['value'] as string);
}
