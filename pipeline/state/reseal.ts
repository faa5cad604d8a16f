import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkMdbInTurns } from './damage.js';
import type { StateKeys } from './keys.js';
import { HEADER, headerOf } from './header.js';
import { lockFolder } from './lock.js';
import { openMdb, type Key, type Table } from './mdb.js';
import { DiskSpace } from './disk-space.js';
import { Seal } from './seal.js';
import { lookedAt, STATE_FILE, StateStore } from './store.js';
import { Values } from './values.js';
import { WriteThreads } from './write-threads.js';

/** Number of values written before waiting for the disk. */
const AT_ONCE = 1_000;

/**
 * Opens the store of a state folder in its target form. A store that must be encrypted, decrypted or given
 * checksums is first rewritten atomically, and the old file is deleted.
 * @param onRewrite called before rewriting, with the target form
 * @throws Error as {@link StateStore}
 */
export async function openState(
  folder: string,
  topology: string,
  { key, formerKey = null }: StateKeys,
  onRewrite: (becomes: 'encrypted' | 'clear') => void = () => undefined,
): Promise<StateStore> {
  const store = await openChecked(folder, topology, key, formerKey);
  const part = join(folder, `${STATE_FILE}.part`);
  // Leftovers of a killed start may be unencrypted, even if the setting was turned back meanwhile.
  forget(part);
  const isAsAsked = store.isSealed === (key !== null);
  if (isAsAsked && store.hasChecksums) return store;
  if (!isAsAsked) onRewrite(key ? 'encrypted' : 'clear');
  try {
    await write(store, part, topology, key && new Seal(key));
    renameSync(part, join(folder, STATE_FILE));
  } finally {
    forget(part);
    await store.close();
  }
  return new StateStore(folder, topology, key, formerKey);
}

/** A large file is checked in turns. */
async function openChecked(
  folder: string,
  topology: string,
  key: Uint8Array | null,
  formerKey: Uint8Array | null,
): Promise<StateStore> {
  const unlock = lockFolder(folder);
  try {
    const file = join(folder, STATE_FILE);
    if (existsSync(file)) await checkMdbInTurns(file);
  } catch (error) {
    unlock();
    throw error;
  }
  return new StateStore(folder, topology, key, formerKey, unlock);
}

function forget(part: string): void {
  for (const name of [part, `${part}-lock`]) rmSync(name, { force: true });
}

/** @throws Error `state.write` if any write is rejected */
async function write(store: StateStore, part: string, topology: string, seal: Seal | null): Promise<void> {
  const root = openMdb(part);
  const space = new DiskSpace(dirname(part));
  const threads = new WriteThreads();
  const values = new Values(part, seal, true);
  const put = (table: Table, key: Key, value: Buffer): Promise<boolean> => {
    space.require(value.length);
    return lookedAt(dirname(part), threads.of(table.put(key, value)));
  };
  try {
    let writes: Promise<boolean>[] = [];
    for (const name of store.tables) {
      const target: Table = root.openDB<Buffer, Key>(name, { encoding: 'binary' });
      for (const { key, value } of store.table(name).getRange({})) {
        writes.push(put(target, key, values.toFile(name, key, value)));
        if (writes.length < AT_ONCE) continue;
        await Promise.all(writes);
        writes = [];
      }
    }
    await Promise.all(writes);
    await put(root, HEADER, headerOf(topology, seal));
    await threads.ended();
  } finally {
    await threads.close(root);
  }
}
