import type { DuckDBConnection } from '@duckdb/node-api';
import type { Data, Failure } from '../../pipeline/model/index.js';
import type { Logger } from '../../pipeline/component/index.js';
import { append } from './append.js';
import { Commits } from './commits.js';
import { openDatabase, type Database, type DatabaseOptions } from './database.js';
import { PendingRecords, TABLE_NAMES } from './tables.js';

/** A database that rows are written to, by a connection of the writer's own. */
export interface OpenWriter {
  readonly database: Database;
  readonly connection: DuckDBConnection;
  readonly writer: Writer;
}

/**
 * Opens the database at `path` to write to it. If that fails, as on a full disk, the file is released: otherwise it would
 * be in use by this process, and could not be opened again.
 * @param prepare what the database needs before the first row
 */
export async function openWriter(
  path: string,
  options: DatabaseOptions,
  prepare?: (connection: DuckDBConnection) => Promise<void>,
): Promise<OpenWriter> {
  const database = await openDatabase(path, options);
  let connection: DuckDBConnection | undefined;
  try {
    connection = await database.instance.connect();
    await prepare?.(connection);
    return { database, connection, writer: await Writer.open(database, connection) };
  } catch (error) {
    connection?.closeSync();
    // The first error says why; a full disk fails here again.
    await database.close().catch(() => undefined);
    throw error;
  }
}

/** Collects rows and commits them in one transaction. Rows of a failed commit stay pending. */
export class Writer {
  readonly #connection: DuckDBConnection;
  readonly #commits: Commits;
  #pending = new PendingRecords();

  private constructor(connection: DuckDBConnection, commits: Commits) {
    this.#connection = connection;
    this.#commits = commits;
  }

  static async open(database: Database, connection: DuckDBConnection): Promise<Writer> {
    return new Writer(connection, await Commits.open(database, connection));
  }

  /** Commits that the store has seen, which checkpoints record. */
  get commits(): number {
    return this.#commits.count;
  }

  /** Rows that are not committed yet. */
  get rows(): number {
    return this.#pending.rows;
  }

  /** Takes records of an epoch that is not before the last one's; returns those that cannot be stored. */
  add(records: readonly Data[], epoch: number): readonly Failure[] {
    const failures: Failure[] = [];
    for (const record of records) {
      try {
        this.#pending.add(record, epoch);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        failures.push({ record, code: 'store.value.invalid', reason: error.message, retriable: false });
      }
    }
    return failures;
  }

  /** After it the rows are durable: DuckDB syncs its write-ahead log with each commit. */
  async commit(): Promise<void> {
    if (this.rows === 0) return;
    await this.#transaction(async () => {
      for (const table of TABLE_NAMES)
        if (this.#pending[table].rows > 0)
          await append(this.#connection, table, this.#pending[table].columns);
      await this.#commits.add();
    });
    this.#commits.added();
    this.#pending = new PendingRecords();
  }

  /**
   * Deletes rows of later epochs, stored and pending ones. Quick without an index: epochs only grow, so zone
   * maps tell.
   * @param commits that the store has seen, as far as the checkpoint knows
   * @throws Error `store.damaged` if it lacks some of them
   */
  async rewind(epoch: number, commits: unknown, log: Logger): Promise<void> {
    await this.#commits.require(commits, log);
    await this.#transaction(async () => {
      for (const table of TABLE_NAMES)
        await this.#connection.run(`DELETE FROM ${table} WHERE epoch > $epoch`, { epoch: BigInt(epoch) });
    });
    this.#pending.rewind(epoch);
  }

  async #transaction(work: () => Promise<void>): Promise<void> {
    await this.#connection.run('BEGIN TRANSACTION');
    try {
      await work();
      await this.#connection.run('COMMIT');
    } catch (error) {
      await this.#rollback(error);
      throw error;
    }
  }

  /** A commit that failed has rolled back already; then there is nothing to roll back, so this is not a second error. */
  async #rollback(cause: unknown): Promise<void> {
    try {
      await this.#connection.run('ROLLBACK');
    } catch (error) {
      if (!String(error).includes('no transaction is active'))
        throw new AggregateError([cause, error], 'the transaction could not be rolled back');
    }
  }
}
