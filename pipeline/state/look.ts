import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { RootDatabase } from 'lmdb';
import { checkHeader, HEADER, sealOf } from './header.js';
import type { StateKeys } from './keys.js';
import { openMdb, unsealed, type Key, type Table } from './mdb.js';
import { Seal } from './seal.js';
import { STATE_FILE, type StateStore } from './store.js';

/** A state store that is only read: its tables are those of `tables`, and writing to them throws. */
export type StateView = Pick<StateStore, 'tables' | 'table'>;

/**
 * Gives what `work` reads of a state folder, as it stands at one moment, also while another process runs its topology:
 * no lock is taken. `work` cannot wait: a store that this process opened meanwhile would be read only too.
 * @returns undefined where nothing was kept yet
 * @throws Error `state.newer`, `state.older`, `state.foreign`, `state.corrupt`, `state.encryption`
 */
export function lookAtState<T>(
  folder: string,
  topology: string,
  { key, formerKey = null }: StateKeys,
  work: (view: StateView) => T,
): T | undefined {
  const file = join(folder, STATE_FILE);
  if (!existsSync(file)) return undefined;
  const root = openToLook(file);
  try {
    const header = root.get(HEADER);
    // The process that made the file has not got further.
    if (!header) return undefined;
    const secret = key ?? formerKey;
    const seal = sealOf(file, checkHeader(file, header, topology), secret && new Seal(secret));
    const tables = [...root.getKeys({})].filter((name) => name !== HEADER);
    return work({
      tables,
      table: (name) => {
        const table: Table = root.openDB<Buffer, Key>(name, { encoding: 'binary' });
        if (seal) unsealed(table, (value) => seal.open(value, name));
        return table;
      },
    });
  } finally {
    void root.close();
  }
}

/** Tried once more: the process that has the store may have been writing what was looked at. */
function openToLook(file: string): RootDatabase<Buffer, string> {
  try {
    return openMdb(file, { readOnly: true });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'state.corrupt')
      return openMdb(file, { readOnly: true });
    throw error;
  }
}

/**
 * Says before a store is put in its place what its first start would: that it is of another topology, or of a layout
 * that this csiflow does not read.
 * @param source how an error names the file
 * @throws Error `state.newer`, `state.older`, `state.foreign`, `state.corrupt`
 */
export function checkState(folder: string, topology: string, source: string): void {
  const file = join(folder, STATE_FILE);
  if (!existsSync(file)) return;
  const root = openMdb(file, { readOnly: true });
  try {
    const header = root.get(HEADER);
    if (header) checkHeader(source, header, topology);
  } finally {
    void root.close();
    rmSync(`${file}-lock`, { force: true });
  }
}
