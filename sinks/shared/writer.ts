import type { DuckDBConnection } from '@duckdb/node-api';
import { appendRows, type EncodedRow } from './columns.js';
import { TABLE_NAMES, TABLES, type RecordRows, type TableName } from './tables.js';

interface PendingRow {
  readonly epoch: number;
  readonly row: EncodedRow;
}

/** Collects rows and commits them in one transaction. What a failed commit held stays pending. */
export class Writer {
  readonly #connection: DuckDBConnection;
  #pending = emptyTables();
  #rows = 0;

  constructor(connection: DuckDBConnection) {
    this.#connection = connection;
  }

  /** Rows that are not committed yet. */
  get rows(): number {
    return this.#rows;
  }

  add(record: RecordRows, epoch: number): void {
    for (const table of TABLE_NAMES) {
      for (const row of record[table] ?? []) {
        this.#pending[table].push({ epoch, row });
        this.#rows++;
      }
    }
  }

  /** After it the rows are durable: DuckDB syncs its write-ahead log with each commit. */
  async commit(): Promise<void> {
    if (this.#rows === 0) return;
    await this.#transaction(async () => {
      for (const table of TABLE_NAMES) if (this.#pending[table].length > 0) await this.#append(table);
    });
    this.#pending = emptyTables();
    this.#rows = 0;
  }

  /** Deletes rows of later epochs, stored and pending ones. Quick without an index: epochs only grow, so zone maps tell. */
  async rewind(epoch: number): Promise<void> {
    await this.#transaction(async () => {
      for (const table of TABLE_NAMES)
        await this.#connection.run(`DELETE FROM ${table} WHERE epoch > $epoch`, { epoch: BigInt(epoch) });
    });
    for (const table of TABLE_NAMES)
      this.#pending[table] = this.#pending[table].filter((pending) => pending.epoch <= epoch);
    this.#rows = TABLE_NAMES.reduce((sum, table) => sum + this.#pending[table].length, 0);
  }

  async #append(table: TableName): Promise<void> {
    const appender = await this.#connection.createAppender(table);
    try {
      appendRows(
        appender,
        TABLES[table],
        this.#pending[table].map(({ row }) => row),
      );
    } finally {
      appender.closeSync();
    }
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

  /** A commit that failed has rolled back already; then there is nothing to roll back, which is no second error. */
  async #rollback(cause: unknown): Promise<void> {
    try {
      await this.#connection.run('ROLLBACK');
    } catch (error) {
      if (!String(error).includes('no transaction is active'))
        throw new AggregateError([cause, error], 'the transaction could not be rolled back');
    }
  }
}

const emptyTables = (): Record<TableName, PendingRow[]> => ({
  poses: [],
  persons: [],
  events: [],
  measures: [],
});
