import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DeadLetters, StateStore, type NewLetter } from '../../pipeline/state/index.js';
import { encode } from '../../pipeline/state/store.js';

let folder: string;
let store: StateStore;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'csiflow-letters-'));
  store = new StateStore(folder, 'test');
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const letter = (node: string, at = 0): NewLetter => ({
  node,
  stage: 'write',
  code: 'store.refused',
  reason: 'no',
  record: { at },
  at,
  epoch: 1,
});
const ids = (letters: readonly { readonly id: number }[]) => letters.map(({ id }) => id);

test('a number is never reused, even if all letters are gone', async () => {
  const letters = new DeadLetters(store);
  for (const at of [1, 2, 3]) letters.add(letter('a', at));
  letters.remove([1, 2, 3]);
  await letters.settled();
  const next = new DeadLetters(store);
  next.add(letter('a', 4));
  await next.settled();
  expect(ids(next.list())).toEqual([4]);
});

test('a filter reads only the letters it returns', async () => {
  const letters = new DeadLetters(store);
  for (let at = 0; at < 300; at++) letters.add(letter(at % 3 === 0 ? 'a' : 'b', at));
  await letters.settled();
  letters.askReplay([7, 9]);
  await letters.settled();
  const again = new DeadLetters(store);
  const read = vi.spyOn(again, 'get');
  expect(again.count({ node: 'a' })).toBe(100);
  expect(ids(again.list({ node: 'a', offset: 1, limit: 3 }))).toEqual([4, 7, 10]);
  expect(ids(again.asked())).toEqual([7, 9]);
  expect(read).toHaveBeenCalledTimes(5);
});

test('letters of a csiflow without cards are found by their own content', async () => {
  const old = store.table('dead-letters');
  await old.put(5, encode(letter('a', 1)));
  await old.put(6, encode({ ...letter('b', 2), replayAsked: true }));
  const letters = new DeadLetters(store);
  expect(ids(letters.list({ node: 'b' }))).toEqual([6]);
  expect(ids(letters.asked())).toEqual([6]);
  letters.add(letter('c'));
  await letters.settled();
  expect(ids(letters.list())).toEqual([5, 6, 7]);
});
