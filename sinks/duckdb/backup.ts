import { copyFileSync, existsSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from '../../pipeline/telemetry/folders.js';
import { quoted, withConnection, type Connectable } from '../shared/database.js';

/** Name of a copy within a folder of its own. */
const COPY = 'store.duckdb';

/** Copies what is committed into `folder`, as it stands at one moment. Rows go on being written meanwhile. @param key of copy and store */
export async function copyStore(instance: Connectable, folder: string, key: string | null): Promise<void> {
  await copyInto(instance, join(folder, COPY), key);
}

/** Copies what is committed into a new file. @param key of that file; null: it is not encrypted */
export async function copyInto(instance: Connectable, file: string, key: string | null): Promise<void> {
  await withConnection(instance, async (connection) => {
    const [[name]] = (await connection.runAndReadAll('SELECT current_database()')).getRows() as [[string]];
    const encrypted = key === null ? '' : ` (ENCRYPTION_KEY ${quoted(key)})`;
    await connection.run(`ATTACH ${quoted(file)} AS csiflow_copy${encrypted}`);
    try {
      await connection.run(`COPY FROM DATABASE "${name.replaceAll('"', '""')}" TO csiflow_copy`);
    } finally {
      await connection.run('DETACH csiflow_copy');
    }
  });
}

/** Brings a copy beside the store. What it gives puts it in its place; what was there stays under a name that ends in `aside`. */
export function restoreStore(folder: string, path: string, aside: string): () => void {
  makeFolder(dirname(path));
  const part = join(dirname(path), `.${basename(path)}.part`);
  copyFileSync(join(folder, COPY), part);
  return () => {
    // What lies aside already is the old one: a try before this one was broken off.
    if (!existsSync(`${path}.${aside}`))
      for (const file of [`${path}.wal`, path]) if (existsSync(file)) renameSync(file, `${file}.${aside}`);
    renameSync(part, path);
  };
}
