import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkMdb } from './damage.js';
import { checkHeader, hasChecksums, HEADER, sealOf } from './header.js';
import type { StateKeys } from './keys.js';
import { isHeld } from './lock.js';
import { openMdb, readThrough, type Key, type Table } from './mdb.js';
import { Seal } from './seal.js';
import { STATE_FILE, type StateStore } from './store.js';
import { Values } from './values.js';

/** A read-only state store: its tables are those of `tables`, and writing to them throws. */
export type StateView = Pick<StateStore, 'tables' | 'table'>;

/**
 * Runs `work` on a consistent snapshot of a state folder and returns its result, also while another process
 * runs the topology: it takes no lock. `work` is synchronous: a store that this process opened meanwhile
 * would be read-only too.
 * @returns undefined if nothing was stored yet
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
  checkToLook(folder, file);
  const root = openMdb(file, { readOnly: true });
  try {
    const header = root.get(HEADER);
    // The process that created the file has not got further.
    if (!header) return undefined;
    const secret = key ?? formerKey;
    const found = checkHeader(file, header, topology);
    const seal = sealOf(file, found, secret && new Seal(secret));
    const values = new Values(file, seal, hasChecksums(found.version));
    const tables = [...root.getKeys({})].filter((name) => name !== HEADER);
    return work({
      tables,
      table: (name) => {
        const table: Table = root.openDB<Buffer, Key>(name, { encoding: 'binary' });
        readThrough(table, (at, value) => values.fromFile(name, at, value));
        return table;
      },
    });
  } finally {
    void root.close();
  }
}

/** Incomplete writes of another process are not damage: that process checked the file when it started. */
function checkToLook(folder: string, file: string): void {
  if (isHeld(folder)) return;
  try {
    checkMdb(file);
  } catch (error) {
    if (!isHeld(folder)) throw error;
  }
}

/**
 * Checks a store before it is put in place, as its first start would: for another topology, or a layout that
 * this csiflow does not read.
 * @param source how an error names the file
 * @throws Error `state.newer`, `state.older`, `state.foreign`, `state.corrupt`
 */
export function checkState(folder: string, topology: string, source: string): void {
  const file = join(folder, STATE_FILE);
  if (!existsSync(file)) return;
  checkMdb(file);
  const root = openMdb(file, { readOnly: true });
  try {
    const header = root.get(HEADER);
    if (header) checkHeader(source, header, topology);
  } finally {
    void root.close();
    rmSync(`${file}-lock`, { force: true });
  }
}
