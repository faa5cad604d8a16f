import type { DuckDBConnection } from '@duckdb/node-api';
import type { Data, Failure } from '../../pipeline/model/index.js';
import type { Logger } from '../../pipeline/component/index.js';
import { append } from './append.js';
import { Commits } from './commits.js';
import { openDatabase, type Database, type DatabaseOptions } from './database.js';
import { PendingRecords, TABLE_NAMES } from './tables.js';

/** A database with a separate connection for writing. */
export interface OpenWriter {
  readonly database: Database;
  readonly connection: DuckDBConnection;
  readonly writer: Writer;
}

/**
 * Opens the database at `path` for writing. If that fails, as on a full disk, the file is released: otherwise
 * this process would keep it in use, and could not open it again.
 * @param prepare called before the first row
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
    // Report the first error; on a full disk, this fails too.
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

  /** Commits of the store, which checkpoints record. */
  get commits(): number {
    return this.#commits.count;
  }

  /** Rows that are not committed yet. */
  get rows(): number {
    return this.#pending.rows;
  }

  /** Time of the earliest pose frame of these rows, or an earlier one, in microseconds since 1970; Infinity if there is none. */
  get earliestPose(): number {
    return this.#pending.earliestPose;
  }

  /** Adds records of an epoch, no earlier than the previous one; returns those that cannot be stored. */
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

  /** Afterwards the rows are durable: DuckDB syncs its write-ahead log with each commit. */
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
   * Deletes rows of later epochs, both stored and pending. Fast without an index: epochs only grow, so zone
   * maps suffice.
   * @param commits number of commits that the checkpoint counted
   * @throws Error `store.damaged` if some of them are missing
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

  /** A failed commit has already rolled back; then there is nothing to roll back, and this is not a second error. */
  async #rollback(cause: unknown): Promise<void> {
    try {
      await this.#connection.run('ROLLBACK');
    } catch (error) {
      if (!String(error).includes('no transaction is active'))
        throw new AggregateError([cause, error], 'the transaction could not be rolled back');
    }
  }
}
