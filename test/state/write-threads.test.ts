import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { StateStore } from '../../pipeline/state/index.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'csiflow-state-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** The parts of lmdb's environment used here. */
interface Environment {
  /**
   * Calls `reported` with 1 when the transaction of a thread is visible, and with 0 when the thread has ended.
   */
  startWriting(address: number, reported: (status: number) => unknown): void;
  close(): void;
}

/** Delays the end of a store's first thread. */
function slowFirstThread(store: StateStore) {
  const { env } = store.root as unknown as { readonly env: Environment };
  const start = env.startWriting.bind(env);
  const close = env.close.bind(env);
  const ends: (() => void)[] = [];
  let threads = 0;
  let closed = false;
  // lmdb's methods cannot be assigned to.
  Object.defineProperty(env, 'startWriting', {
    value: (address: number, reported: (status: number) => unknown) => {
      const isFirst = threads++ === 0;
      start(address, (status) => {
        if (!isFirst || status !== 0) return reported(status);
        ends.push(() => reported(status));
        return undefined;
      });
    },
  });
  Object.defineProperty(env, 'close', {
    value: () => {
      closed = true;
      close();
    },
  });
  return {
    ended: () => ends.length === 1,
    end: () => {
      for (const end of ends) end();
    },
    closed: () => closed,
  };
}

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};

test('a store is closed when the last of its threads has ended, not when the newest has', async () => {
  const store = new StateStore(folder, 'test');
  const table = store.table('rows');
  const first = slowFirstThread(store);
  void table.put(1, Buffer.from('a'));
  await expect.poll(first.ended).toBe(true);
  await table.put(2, Buffer.from('b'));
  await store.root.flushed;

  const closed = store.close();
  await turns(20);
  expect(first.closed()).toBe(false);
  first.end();
  await closed;
  expect(first.closed()).toBe(true);

  const again = new StateStore(folder, 'test');
  expect([...again.table('rows').getKeys({})]).toEqual([1, 2]);
  await again.close();
});

test('a store is closed when the copy in progress is complete', async () => {
  const store = new StateStore(folder, 'test');
  await store.table('rows').put(1, Buffer.alloc(2 ** 20));
  const done: string[] = [];
  const copied = store.copyTo(join(folder, 'copy', 'state.mdb')).then(() => done.push('copied'));
  await turns(1);
  await Promise.all([copied, store.close().then(() => done.push('closed'))]);
  expect(done).toEqual(['copied', 'closed']);

  const copy = new StateStore(join(folder, 'copy'), 'test');
  expect([...copy.table('rows').getKeys({})]).toEqual([1]);
  await copy.close();
});
