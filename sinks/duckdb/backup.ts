import type { DuckDBConnection } from '@duckdb/node-api';
import { copyFileSync, existsSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from '../../pipeline/base/folders.js';
import { withConnection, type Connectable } from '../shared/database.js';
import { quoted } from '../shared/quoted.js';
import { claim } from '../shared/ownership.js';

/** Name of the copy in its folder. */
const COPY = 'store.duckdb';

/**
 * Copies committed rows into `folder`, as a consistent snapshot, while more rows are written.
 * @param key of copy and store
 */
export async function copyStore(instance: Connectable, folder: string, key: string | null): Promise<void> {
  await copyInto(instance, join(folder, COPY), key);
}

/**
 * Copies committed rows into a new file, as a consistent snapshot.
 * @param key of that file; null: it is not encrypted
 * @throws Error if the file itself, without a log, is incomplete: a full disk may show only then
 */
export async function copyInto(instance: Connectable, file: string, key: string | null): Promise<void> {
  await withConnection(instance, async (connection) => {
    const options = key === null ? [] : [`ENCRYPTION_KEY ${quoted(key)}`];
    const given = await whileAttached(connection, file, options, () => copy(connection));
    if (existsSync(`${file}.wal`)) throw new Error(`${file} was not written to its end: ${FULL}`);
    const arrived = await whileAttached(connection, file, [...options, 'READ_ONLY'], () =>
      rowsOf(connection, COPIED),
    );
    if (arrived !== given) throw new Error(`${file} contains ${arrived} instead of ${given}: ${FULL}`);
  });
}

/** Name of the copy while it is attached. */
const COPIED = 'csiflow_copy';
const FULL = 'is the disk full? The store is as it was';

/** Returns the copied rows, as {@link rowsOf} does. */
async function copy(connection: DuckDBConnection): Promise<string> {
  const [[name]] = (await connection.runAndReadAll('SELECT current_database()')).getRows() as [[string]];
  await connection.run('BEGIN');
  let rows: string;
  try {
    await connection.run(`COPY FROM DATABASE ${identifier(name)} TO ${COPIED}`);
    rows = await rowsOf(connection, name);
  } catch (error) {
    await connection.run('ROLLBACK');
    throw error;
  }
  await connection.run('COMMIT');
  // DETACH also copies, but not every version of DuckDB reports its errors.
  await connection.run(`CHECKPOINT ${COPIED}`);
  return rows;
}

/** Numbers of rows by table, as text. */
async function rowsOf(connection: DuckDBConnection, database: string): Promise<string> {
  const tables = await connection.runAndReadAll(
    `SELECT table_name FROM duckdb_tables() WHERE database_name = ${quoted(database)} ORDER BY ALL`,
  );
  const counts: string[] = [];
  for (const [table] of tables.getRows() as string[][]) {
    const counted = await connection.runAndReadAll(
      `SELECT count(*) FROM ${identifier(database)}.main.${identifier(table!)}`,
    );
    counts.push(`${table!}: ${String(counted.getRows()[0]![0])}`);
  }
  return counts.join(', ') || 'nothing';
}

async function whileAttached<T>(
  connection: DuckDBConnection,
  file: string,
  options: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  const how = options.length > 0 ? ` (${options.join(', ')})` : '';
  await connection.run(`ATTACH ${quoted(file)} AS ${COPIED}${how}`);
  try {
    return await work();
  } finally {
    await connection.run(`DETACH ${COPIED}`);
  }
}

const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/**
 * Places a copy beside the store. The returned function puts it in place; the previous store stays under a
 * name ending in `aside`. @throws Error `store.locked` if a process has the store open
 */
export function restoreStore(folder: string, path: string, aside: string): () => void {
  makeFolder(dirname(path));
  // The process that has it open would keep writing to the file that was moved aside.
  claim(path)();
  const part = partOf(path);
  copyFileSync(join(folder, COPY), part);
  return () => {
    const release = claim(path);
    // A store already moved aside is the old one: an earlier attempt was interrupted.
    if (!existsSync(`${path}.${aside}`))
      for (const file of [`${path}.wal`, path]) if (existsSync(file)) renameSync(file, `${file}.${aside}`);
    renameSync(part, path);
    release();
  };
}

/** Where the replacement of a store is created. */
export const partOf = (path: string): string => join(dirname(path), `.${basename(path)}.part`);
