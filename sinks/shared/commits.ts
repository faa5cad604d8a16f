import type { DuckDBConnection, DuckDBPreparedStatement } from '@duckdb/node-api';
import type { Logger } from '../../pipeline/component/index.js';
import { damagedStore } from './damage.js';
import type { Database } from './database.js';

/**
 * Counts the commits of a store, within the store. If the log of a file was removed or truncated, DuckDB
 * silently opens the file in an earlier state; a checkpoint that stores the count detects it.
 */
export class Commits {
  readonly #database: Database;
  readonly #update: DuckDBPreparedStatement;
  #count: number;

  private constructor(database: Database, update: DuckDBPreparedStatement, count: number) {
    this.#database = database;
    this.#update = update;
    this.#count = count;
  }

  /** Reads the count. Stores of earlier versions have none; counting starts now. */
  static async open(database: Database, connection: DuckDBConnection): Promise<Commits> {
    await connection.run('CREATE TABLE IF NOT EXISTS csiflow_commits (count BIGINT)');
    const found = (await connection.runAndReadAll('SELECT count FROM csiflow_commits')).getRows()[0]?.[0];
    if (found === undefined) await connection.run('INSERT INTO csiflow_commits VALUES (0)');
    const update = await connection.prepare('UPDATE csiflow_commits SET count = $count');
    return new Commits(database, update, Number(found ?? 0));
  }

  get count(): number {
    return this.#count;
  }

  /** Call within the transaction of the rows. */
  async add(): Promise<void> {
    await this.#set(this.#count + 1);
  }

  /** Call after that transaction was committed. */
  added(): void {
    this.#count++;
  }

  /**
   * A new store replaces one that was moved away, and continues its count.
   * @param known as the last checkpoint has it; undefined in one of an earlier csiflow
   * @throws Error `store.damaged` if the store has seen fewer
   */
  async require(known: unknown, log: Logger): Promise<void> {
    if (typeof known !== 'number' || known <= this.#count) return;
    const { path, isNew } = this.#database;
    if (!isNew)
      throw damagedStore(
        path,
        `${path} lacks the last writes: it contains ${this.#count} commits, and the last checkpoint counted ${known}. Its log ${path}.wal was removed or truncated, or the file is an older copy`,
      );
    log.warn('the store is missing: an empty one replaces it', { path });
    await this.#set(known);
    this.#count = known;
  }

  async #set(count: number): Promise<void> {
    this.#update.bind({ count: BigInt(count) });
    await this.#update.run();
  }
}
