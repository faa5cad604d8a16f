import type { DuckDBConnection } from '@duckdb/node-api';
import { openDatabase, storeKey, type Database, type DatabaseOptions } from '../shared/database.js';
import { Writer } from '../shared/writer.js';
import { ReadPool } from './pool.js';
import { Retention } from './retention.js';

export { storeKey };

/** An open store: what writes, reads and thins out its file. */
export interface Store {
  readonly database: Database;
  /** The writer's own. */
  readonly connection: DuckDBConnection;
  readonly writer: Writer;
  readonly pool: ReadPool;
  readonly retention: Retention | null;
}

/** @throws Error where the file cannot be opened, or has another owner. */
export async function openStore(
  path: string,
  options: DatabaseOptions & { readonly retentionDays: number | null },
): Promise<Store> {
  const database = await openDatabase(path, options);
  const connection = await database.instance.connect();
  return {
    database,
    connection,
    writer: await Writer.open(database, connection),
    pool: new ReadPool(database),
    retention: options.retentionDays === null ? null : new Retention(connection, options.retentionDays),
  };
}
