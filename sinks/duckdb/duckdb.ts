import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Type, type Static } from 'typebox';
import {
  defineSink,
  filePath,
  type Context,
  type Reader,
  type Sink,
  required,
} from '../../pipeline/component/index.js';
import type { Data, Failure } from '../../pipeline/model/index.js';
import { tellReseal } from '../../pipeline/telemetry/reseal.js';
import { BACKUPS } from '../../pipeline/state/index.js';
import { namingDamage } from '../shared/damage.js';
import type { Writer } from '../shared/writer.js';
import { storeClosed } from '../shared/store-closed.js';
import { DuckDBReader } from './reader.js';
import type { Store } from './store.js';

const Config = Type.Object(
  {
    path: required(
      filePath({
        description: 'File of the store; a relative path starts from the folder of the topology.',
      }),
    ),
    batch_rows: Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      default: 5_000,
      description: 'Number of uncommitted rows at which a commit follows.',
    }),
    commit_interval_ms: Type.Integer({
      minimum: 0,
      maximum: 60_000,
      default: 500,
      description:
        'Age of the oldest uncommitted row at which the next write commits. Readers see rows after this delay.',
    }),
    retention_days: Type.Union([Type.Number({ exclusiveMinimum: 0, maximum: 36_500 }), Type.Null()], {
      default: null,
      description:
        'Rows with older event time are deleted; null deletes nothing. Beware with old recordings.',
    }),
    memory_limit_bytes: Type.Integer({
      minimum: 64 * 2 ** 20,
      default: 256 * 2 ** 20,
      description: 'Memory that DuckDB may use; larger sorts go to a temporary file beside the store.',
    }),
    threads: Type.Integer({
      minimum: 1,
      maximum: 256,
      default: 1,
      description:
        'Threads that compute a query. With several, queries over millions of rows are quicker, but DuckDB keeps a core busy whenever a commit waits for the disk.',
    }),
    wal_limit_bytes: Type.Integer({
      minimum: 2 ** 20,
      default: 32 * 2 ** 20,
      description:
        'Size of the write-ahead log at which its content is moved into the file. Larger: quicker appends, a slower start after a kill.',
    }),
  },
  { additionalProperties: false },
);

export const duckdb = defineSink({
  name: 'duckdb',
  summary: 'Stores poses, tracks, events and measures in a DuckDB file, and reads them back.',
  description: `The embedded store: no server, one file, SQL for analysts (docs/stores.md has the tables and examples).

- One thread of one process owns the file. Other programs query it through the service interface, or with \`csiflow export\`; a second owner is rejected.
- Connect it to the pose frames of one node: with two nodes that send pose frames of an environment, each person is stored twice.
- Inferred values are rounded before storing: lengths to 1 mm, confidences and angles to four decimals. Events and measures are stored exactly, times to a microsecond.
- Every half minute, it returns memory that the process has freed to the system, which may stop csiflow for some milliseconds.
- Values that it cannot return exactly (NaN, Infinity, broken Unicode) are rejected, and become dead letters.
- Each row carries the epoch it was written in; after a crash, later epochs are deleted and written again. \`epoch\` and \`processing_ms\` describe the run: only they may differ between two runs of the same input, and \`csiflow export\` omits them.`,
  inputs: ['pose', 'event', 'measure'],
  recovery: 'rewind',
  privacy: ['retention', 'encryption'],
  store: true,
  config: Config,
  examples: [
    { title: 'Keep everything', config: { path: 'data/ward-3.duckdb' } },
    { title: 'Keep ninety days', config: { path: 'data/ward-3.duckdb', retention_days: 90 } },
  ],
  claims: ({ path }, folder) => [{ what: resolve(folder, path), field: 'path' }],
  create: (config, context) => new DuckDBSink(config, context),
});

class DuckDBSink implements Sink {
  readonly reader: Reader;
  readonly #config: Static<typeof Config>;
  readonly #context: Context;
  readonly #path: string;
  #opened: Store | null = null;
  /** Key of an encrypted file; {@link open} determines it. */
  #key: string | null = null;
  /** Elapsed milliseconds when the oldest uncommitted row arrived. */
  #oldestAt = 0;
  /** The current step: steps of one connection never overlap. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(config: Static<typeof Config>, context: Context) {
    this.#config = config;
    this.#context = context;
    this.#path = resolve(context.folder, config.path);
    this.reader = new DuckDBReader(() => this.#store().pool);
  }

  async open(): Promise<void> {
    if (this.#opened) throw new Error(`${this.#path} is open already`);
    // Load DuckDB here, so that reading the definition does not.
    const { openStore } = await import('./store.js');
    const { storage } = this.#context;
    this.#key = await this.#keyOf();
    this.#opened = await openStore(this.#path, {
      memoryLimitBytes: this.#config.memory_limit_bytes,
      walLimitBytes: this.#config.wal_limit_bytes,
      threads: this.#config.threads,
      retentionDays: shorter(this.#config.retention_days, storage?.retentionDays ?? null),
      key: this.#key,
      copiesTo: join(this.#context.stateFolder, BACKUPS),
    });
  }

  async reseal(): Promise<void> {
    const [{ forgetPart, isEncrypted, reseal }, { storeKey }] = await Promise.all([
      import('./reseal.js'),
      import('./store.js'),
    ]);
    const key = this.#context.storage?.key ?? null;
    forgetPart(this.#path);
    const lies = isEncrypted(this.#path);
    if (lies === null || lies === (key !== null)) return;
    tellReseal(this.#context.log, this.#path, key ? 'encrypted' : 'clear');
    await reseal(this.#path, {
      from: await this.#keyOf(),
      to: key && storeKey(key),
      memoryLimitBytes: this.#config.memory_limit_bytes,
      walLimitBytes: this.#config.wal_limit_bytes,
    });
  }

  /** The key that the existing file needs; null: none. A new file follows `storage`. */
  async #keyOf(): Promise<string | null> {
    const [{ isEncrypted }, { storeKey }] = await Promise.all([import('./reseal.js'), import('./store.js')]);
    const { key = null, formerKey = null } = this.#context.storage ?? {};
    const lies = isEncrypted(this.#path) ?? key !== null;
    const secret = lies ? (key ?? formerKey) : null;
    return secret && storeKey(secret);
  }

  async write(records: readonly Data[], epoch: number): Promise<readonly Failure[]> {
    return this.#inOrder(async (store) => {
      if (this.#isDue(store.writer)) await this.#commit(store);
      if (store.writer.rows === 0) this.#oldestAt = this.#context.clock.elapsed();
      return store.writer.add(records, epoch);
    });
  }

  async flush(): Promise<void> {
    await this.#inOrder((store) => this.#commit(store));
  }

  mark(): number {
    return this.#store().writer.commits;
  }

  async rewind(epoch: number, mark?: unknown): Promise<void> {
    await this.#inOrder(async ({ writer, pool }) => {
      await pool.counts.during(async () => {
        await writer.rewind(epoch, mark, this.#context.log);
        return -Infinity;
      });
    });
  }

  async copyTo(folder: string): Promise<void> {
    const [{ copyStore }, store] = await Promise.all([
      import('./backup.js'),
      this.#inOrder(async (open) => {
        await commitRows(open);
        return open;
      }),
    ]);
    await copyStore(store.database.instance, folder, this.#key);
  }

  async restoreFrom(folder: string, aside: string): Promise<() => void> {
    const { restoreStore } = await import('./backup.js');
    return restoreStore(folder, this.#path, aside);
  }

  describe(): Readonly<Record<string, unknown>> {
    return {
      path: this.#path,
      open: this.#opened !== null,
      encrypted: this.#key !== null,
      uncommitted_rows: this.#opened?.writer.rows ?? 0,
    };
  }

  async close(): Promise<void> {
    if (!this.#opened) return;
    await this.#inOrder(async ({ database, connection, pool, writer }) => {
      this.#opened = null;
      try {
        await pool.close();
        await writer.commit();
      } finally {
        connection.closeSync();
        await database.close();
      }
    });
  }

  #isDue(writer: Writer): boolean {
    if (writer.rows === 0) return false;
    const age = this.#context.clock.elapsed() - this.#oldestAt;
    return writer.rows >= this.#config.batch_rows || age >= this.#config.commit_interval_ms;
  }

  async #commit(store: Store): Promise<void> {
    const { retention, freedMemory, connection, pool } = store;
    const { clock, log, settledNow = () => clock.now() } = this.#context;
    await commitRows(store);
    if (retention)
      await pool.counts.during(async () =>
        (await retention.step(settledNow(), clock.elapsed())) ? -Infinity : Infinity,
      );
    await this.#boundLog(connection);
    await freedMemory.step(clock.elapsed(), log);
  }

  /** DuckDB moves its log into the file by itself at a commit, but not while readers prevent it. */
  async #boundLog(connection: Store['connection']): Promise<void> {
    const size = await sizeOf(`${this.#path}.wal`);
    this.#context.metrics.gauge('wal_bytes', size);
    if (size > 2 * this.#config.wal_limit_bytes) await connection.run('CHECKPOINT');
  }

  #store(): Store {
    if (!this.#opened) throw storeClosed(this.#path);
    return this.#opened;
  }

  async #inOrder<T>(step: (store: Store) => Promise<T>): Promise<T> {
    const result = this.#last.then(() => namingDamage(this.#path, () => step(this.#store())));
    this.#last = result.catch(() => undefined);
    return result;
  }
}

const commitRows = ({ writer, pool }: Store): Promise<void> =>
  pool.counts.during(async () => {
    const from = writer.earliestPose;
    await writer.commit();
    return from;
  });

const shorter = (own: number | null, all: number | null): number | null =>
  own === null ? all : all === null ? own : Math.min(own, all);

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}
