import { TABLE_NAMES } from '../shared/tables.js';
import { timestampValue, type DuckDBConnection } from '@duckdb/node-api';

/** Approximate number of rows of a table that a step deletes: few enough to fit between two writes. */
const STEP_ROWS = 20_000;
const MAX_PAUSE_MS = 60 * 60 * 1000;
const DAY_US = 86_400_000_000;
/** Rows may outlive their limit by this share of it, and by an hour at most. */
const LATE = 1 / 20;

/** Deletes rows older than this many days, in small steps between the writes, once an hour or more often. */
export class Retention {
  readonly #connection: DuckDBConnection;
  readonly #days: number;
  #nextAt = -Infinity;
  #deleted = false;

  constructor(connection: DuckDBConnection, days: number) {
    this.#connection = connection;
    this.#days = days;
  }

  /**
   * Runs one step, if one is due. After the last, a checkpoint frees the space for new rows.
   * @param now microseconds since 1970
   * @param elapsed monotonic milliseconds
   * @returns true if more is left to delete
   */
  async step(now: number, elapsed: number): Promise<boolean> {
    if (elapsed < this.#nextAt) return false;
    const end = await this.#stepEnd(now - this.#days * DAY_US);
    if (end !== null) {
      await this.#deleteUpTo(end);
      this.#deleted = true;
      return true;
    }
    if (this.#deleted) await this.#connection.run('CHECKPOINT');
    this.#deleted = false;
    this.#nextAt = elapsed + Math.min(MAX_PAUSE_MS, (this.#days * DAY_US * LATE) / 1000);
    return false;
  }

  /** Rows arrive in order of time, so the first ones that the scan meets are approximately the oldest. */
  async #stepEnd(cutoff: number): Promise<bigint | null> {
    const ends = TABLE_NAMES.map(
      (table) =>
        `SELECT max("time") AS "end" FROM (SELECT "time" FROM ${table} WHERE "time" < $cutoff LIMIT ${STEP_ROWS})`,
    );
    const rows = (
      await this.#connection.runAndReadAll(`SELECT epoch_us(min("end")) FROM (${ends.join(' UNION ALL ')})`, {
        cutoff: timestampValue(BigInt(Math.round(cutoff))),
      })
    ).getRows();
    return (rows[0]?.[0] as bigint | null | undefined) ?? null;
  }

  /** Deletes a pose frame together with its persons. A failure leaves no transaction open, which would stop all writing. */
  async #deleteUpTo(end: bigint): Promise<void> {
    await this.#connection.run('BEGIN TRANSACTION');
    try {
      for (const table of TABLE_NAMES)
        await this.#connection.run(`DELETE FROM ${table} WHERE "time" <= $end`, {
          end: timestampValue(end),
        });
    } catch (error) {
      await this.#connection.run('ROLLBACK');
      throw error;
    }
    await this.#connection.run('COMMIT');
  }
}
