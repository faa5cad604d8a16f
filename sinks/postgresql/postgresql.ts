import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Client } from 'pg';
import { Type, type Static } from 'typebox';
import {
  defineSink,
  hostComplaints,
  authorityFile,
  type Complaint,
  type Context,
  type Sink,
} from '../../pipeline/component/index.js';
import { urlFault } from '../../pipeline/base/host.js';
import type { Data, Failure } from '../../pipeline/model/index.js';
import { storeClosed } from '../shared/store-closed.js';
import { PendingRecords, TABLE_NAMES } from '../shared/tables.js';
import { Connection } from './connection.js';
import { PostgresError } from './error.js';
import { createTable, insertInto, parametersOf } from './tables.js';
import { optionalText } from '../shared/optional-text.js';

const Config = Type.Object(
  {
    url: Type.String({
      pattern: '^postgres(ql)?://[^/@?#]+/[^/?#]+$',
      'x-expected':
        'must be an address with a database, such as postgresql://db.example/csiflow, without user, password, ? and #',
      maxLength: 1024,
      default: 'postgresql://127.0.0.1:5432/csiflow',
      description: 'Where PostgreSQL listens, and the database, which must exist; without user and password.',
    }),
    username: Type.String({ minLength: 1, maxLength: 63, default: 'csiflow', description: 'User.' }),
    password: optionalText('Its password: `${secret:postgresql_password}`; null: the server asks for none.'),
    tls: Type.Boolean({
      default: false,
      description: 'Whether to connect by TLS, and verify the certificate.',
    }),
    ca: authorityFile('server'),
    schema: Type.String({
      pattern: '^[a-z_][a-z0-9_]{0,62}$',
      'x-expected': 'must be a small letter or _, then at most 62 small letters, digits and _',
      default: 'csiflow',
      description: 'Schema of the tables; created if it is missing.',
    }),
    batch_records: Type.Integer({
      minimum: 1,
      maximum: 10_000,
      default: 1_000,
      description: 'Records of one transaction, at most.',
    }),
    timeout_ms: Type.Integer({
      minimum: 100,
      maximum: 50_000,
      default: 10_000,
      description: 'Time limit for a connection, and for an answer.',
    }),
  },
  { additionalProperties: false },
);
type Config = Static<typeof Config>;

export const postgresql = defineSink({
  name: 'postgresql',
  summary: 'Stores poses, persons, events and measures in tables of PostgreSQL or TimescaleDB.',
  description: `Tables \`poses\`, \`persons\`, \`events\` and \`measures\`, with the columns of [the other stores](../../data-dictionary.md) (docs/postgresql.md has types, keys and queries). csiflow writes them and does not read them: the service interface needs a store such as \`duckdb\` beside it.

- A row that is written again replaces itself, so records repeated after a crash are stored once.
- With the extension \`timescaledb\`, new tables become hypertables.
- While the server is offline, slow, full or restarting, records wait in the outbox.
- Records that PostgreSQL rejects, by a constraint or trigger of yours for example, are found by halving the batch; only they become dead letters, with its reason (\`postgresql.refused\`). \`store.value.invalid\`: a value that it could not return exactly.
- csiflow deletes nothing: use a retention policy of TimescaleDB, or a job.`,
  inputs: ['pose', 'event', 'measure'],
  recovery: 'idempotent',
  config: Config,
  examples: [
    {
      title: 'A server in the local network',
      config: { url: 'postgresql://db:5432/ward_3', password: '${secret:postgresql_password}' },
    },
    {
      title: 'A hosted server, with TLS',
      config: {
        url: 'postgresql://pg.example.org/sensing',
        password: '${secret:postgresql_password}',
        tls: true,
      },
    },
  ],
  check: ({ url, tls, ca }): readonly Complaint[] => [
    ...hostComplaints(['url'], urlFault(url.replace(/^postgres(ql)?:/, 'http:'))),
    ...(ca !== undefined && !tls ? [{ path: ['ca'], message: '`ca` is for TLS: set `tls: true`' }] : []),
  ],
  create: (config, context) => new PostgresSink(config, context),
});

class PostgresSink implements Sink {
  readonly #config: Config;
  readonly #context: Context;
  #connection: Connection | null = null;

  constructor(config: Config, context: Context) {
    this.#config = config;
    this.#context = context;
  }

  /** Rejects if the server is offline, rejects the login, or does not let csiflow create tables. */
  async open(): Promise<void> {
    const { url, username, password, tls, ca, timeout_ms: timeoutMs } = this.#config;
    const authority = ca === undefined ? undefined : await readFile(resolve(this.#context.folder, ca));
    this.#connection = new Connection(
      { url, username, password, tls: tls ? { ...(authority && { ca: authority }) } : undefined, timeoutMs },
      (client) => this.#prepare(client),
    );
    await this.#connection.transaction(async () => Promise.resolve());
  }

  async write(records: readonly Data[]): Promise<readonly Failure[]> {
    if (!this.#connection) throw storeClosed(`the connection to PostgreSQL at ${this.#config.url}`);
    const failures: Failure[] = [];
    const good = records.filter((record) => {
      const reason = faultOf(record);
      if (reason !== null) failures.push({ record, code: 'store.value.invalid', reason, retriable: false });
      return reason === null;
    });
    for (let at = 0; at < good.length; at += this.#config.batch_records)
      failures.push(...(await this.#deliver(good.slice(at, at + this.#config.batch_records))));
    return failures;
  }

  /** All written records are committed. */
  async flush(): Promise<void> {
    await Promise.resolve();
  }

  describe(): Readonly<Record<string, unknown>> {
    const { url, schema } = this.#config;
    return { url, schema };
  }

  async close(): Promise<void> {
    await this.#connection?.close();
    this.#connection = null;
  }

  async #deliver(records: readonly Data[]): Promise<readonly Failure[]> {
    try {
      await this.#connection!.transaction((client) => this.#insert(client, records));
      return [];
    } catch (error) {
      if (!(error instanceof PostgresError && error.code === 'postgresql.refused')) throw error;
      if (records.length === 1)
        return [{ record: records[0]!, code: error.code, reason: error.message, retriable: false }];
      const half = records.length >> 1;
      const first = await this.#deliver(records.slice(0, half));
      return [...first, ...(await this.#deliver(records.slice(half)))];
    }
  }

  async #insert(client: Client, records: readonly Data[]): Promise<void> {
    const pending = pendingOf(records);
    for (const table of TABLE_NAMES)
      if (pending[table].rows > 0)
        await client.query(insertInto(this.#config.schema, table), parametersOf(table, pending));
  }

  /** One process at a time: PostgreSQL reports an error if two create the same table. */
  async #prepare(client: Client): Promise<void> {
    const { schema } = this.#config;
    const known = await client.query<{ count: string }>(
      'SELECT count(*) FROM information_schema.tables WHERE table_schema = $1 AND table_name = ANY($2)',
      [schema, TABLE_NAMES],
    );
    if (Number(known.rows[0]!.count) === TABLE_NAMES.length) return;
    await client.query('BEGIN');
    await client.query(`SELECT pg_advisory_xact_lock(${LOCK})`);
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
    for (const table of TABLE_NAMES) await client.query(createTable(schema, table));
    const timescale = await client.query<{ schema: string }>(
      "SELECT n.nspname AS schema FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE extname = 'timescaledb'",
    );
    for (const { schema: home } of timescale.rows)
      for (const table of TABLE_NAMES)
        await client.query(
          `SELECT ${home}.create_hypertable('${schema}.${table}', 'time', if_not_exists => true, migrate_data => true)`,
        );
    await client.query('COMMIT');
    this.#context.log.info('tables of PostgreSQL created', {
      schema,
      hypertables: timescale.rows.length > 0,
    });
  }
}

/** A number that other programs are unlikely to lock: "csifl". */
const LOCK = 0x637369666c;

function pendingOf(records: readonly Data[]): PendingRecords {
  const pending = new PendingRecords();
  for (const record of records) pending.add(record, 0);
  return pending;
}

/** Why a record cannot be stored; null: it can. */
function faultOf(record: Data): string | null {
  try {
    const pending = pendingOf([record]);
    for (const table of TABLE_NAMES) parametersOf(table, pending);
    return null;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return error.message;
  }
}
