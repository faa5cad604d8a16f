import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { StateKeys } from './keys.js';
import { headerOf } from './header.js';
import { openMdb } from './mdb.js';
import { Seal } from './seal.js';
import { STATE_FILE, StateStore } from './store.js';
import { WriteThreads } from './write-threads.js';

/** Values that are written before it is waited for the disk. */
const AT_ONCE = 1_000;

/**
 * Opens the store of a state folder as it is to be: one that lies in the clear and is to be encrypted, or the other
 * way round, is written anew first, whole or not at all, and the old file is deleted.
 * @param told called before that, with what it becomes
 * @throws Error as {@link StateStore}
 */
export async function openState(
  folder: string,
  topology: string,
  { key, formerKey = null }: StateKeys,
  told: (becomes: 'encrypted' | 'clear') => void = () => undefined,
): Promise<StateStore> {
  const store = new StateStore(folder, topology, key, formerKey);
  if (store.isSealed === (key !== null)) return store;
  told(key ? 'encrypted' : 'clear');
  try {
    await replace(store, join(folder, STATE_FILE), topology, key);
  } finally {
    await store.close();
  }
  return new StateStore(folder, topology, key, formerKey);
}

async function replace(store: StateStore, file: string, topology: string, key: Buffer | null): Promise<void> {
  const part = `${file}.part`;
  const clean = () => {
    for (const name of [part, `${part}-lock`]) rmSync(name, { force: true });
  };
  clean();
  try {
    await write(store, part, topology, key && new Seal(key));
    renameSync(part, file);
  } finally {
    clean();
  }
}

async function write(store: StateStore, part: string, topology: string, seal: Seal | null): Promise<void> {
  const root = openMdb(part);
  const threads = new WriteThreads();
  try {
    let count = 0;
    for (const name of store.tables) {
      const target = root.openDB<Buffer, number | string>(name, { encoding: 'binary' });
      for (const { key, value } of store.table(name).getRange({})) {
        const sealed = seal ? seal.close(value, name) : Buffer.from(value);
        const written = threads.of(target.put(key as string, sealed));
        if (++count % AT_ONCE === 0) await written;
      }
    }
    await threads.of(root.put('header', headerOf(topology, seal)));
    await threads.ended();
  } finally {
    await threads.close(root);
  }
}
