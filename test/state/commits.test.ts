import { afterEach, expect, test, vi } from 'vitest';
import { Commits } from '../../pipeline/state/commits.js';
import { StateStore } from '../../pipeline/state/index.js';
import { temporaryFolder } from '../support/flow.js';

afterEach(() => {
  vi.useRealTimers();
});

const fail = (error: Error) => {
  throw error;
};

/** Commits of a store, and the numbers of the writes that were started. */
function commits() {
  const store = new StateStore(temporaryFolder(), 'test');
  const table = store.table('numbers');
  const started: number[] = [];
  const group = new Commits(store, 'the numbers', fail);
  const add = (number: number, bytes = 1) => {
    group.add(() => {
      started.push(number);
      return table.put(number, Buffer.of(number));
    }, bytes);
  };
  return { store, table, started, group, add };
}

test('writes wait for others, in their order', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { store, started, add } = commits();
  for (const number of [1, 2, 3]) add(number);
  vi.advanceTimersByTime(40);
  expect(started).toEqual([]);
  add(4);
  vi.advanceTimersByTime(10);
  expect(started).toEqual([1, 2, 3, 4]);
  await store.close();
});

test('many bytes do not wait', async () => {
  const { store, started, add } = commits();
  add(1, 2 ** 19);
  expect(started).toEqual([]);
  add(2, 2 ** 19);
  expect(started).toEqual([1, 2]);
  await store.close();
});

test('a caller that waits for them starts them', async () => {
  const { store, table, group, add } = commits();
  expect(group.durable()).toBeUndefined();
  for (const number of [1, 2, 3]) add(number);
  await group.durable();
  expect([...table.getKeys({})]).toEqual([1, 2, 3]);
  expect(group.durable()).toBeUndefined();
  await store.close();
});

test('a store writes them before it closes', async () => {
  const folder = temporaryFolder();
  const store = new StateStore(folder, 'test');
  const table = store.table('numbers');
  new Commits(store, 'the numbers', fail).add(() => table.put(1, Buffer.of(1)), 1);
  await store.close();
  const again = new StateStore(folder, 'test');
  expect([...again.table('numbers').getKeys({})]).toEqual([1]);
  await again.close();
});
