import type { DuckDBInstance } from '@duckdb/node-api';
import { copyFileSync, existsSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from '../../pipeline/telemetry/folders.js';
import { quoted, withConnection } from '../shared/database.js';

/** Name of a copy within a folder of its own. */
const COPY = 'store.duckdb';

/** Copies what is committed into `folder`, as it stands at one moment. Rows go on being written meanwhile. */
export async function copyStore(instance: DuckDBInstance, folder: string): Promise<void> {
  await withConnection(instance, async (connection) => {
    const [[name]] = (await connection.runAndReadAll('SELECT current_database()')).getRows() as [[string]];
    await connection.run(`ATTACH ${quoted(join(folder, COPY))} AS csiflow_copy`);
    try {
      await connection.run(`COPY FROM DATABASE "${name.replaceAll('"', '""')}" TO csiflow_copy`);
    } finally {
      await connection.run('DETACH csiflow_copy');
    }
  });
}

/** Puts a copy in the store's place. What was there stays beside it, under a name that ends in `aside`. */
export function restoreStore(folder: string, path: string, aside: string): void {
  makeFolder(dirname(path));
  const part = join(dirname(path), `.${basename(path)}.part`);
  copyFileSync(join(folder, COPY), part);
  for (const file of [path, `${path}.wal`]) if (existsSync(file)) renameSync(file, `${file}.${aside}`);
  renameSync(part, path);
}
