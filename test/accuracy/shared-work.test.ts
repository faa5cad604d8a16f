import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Elsewhere, SharedWork } from '../../bench/accuracy/chain/shared-work.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'csiflow-test-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** The work of a process, at its first table. */
function begun(helps: boolean): SharedWork {
  const work = new SharedWork(folder, helps);
  work.begin('walking');
  return work;
}

const ITEMS = Array.from({ length: 20 }, (_, i) => i);

test('each item is done once, and the main process has all results in order', async () => {
  const done: number[] = [];
  const square = async (item: number): Promise<{ square: number; missing: number }> => {
    await Promise.resolve();
    done.push(item);
    return { square: item ** 2, missing: NaN };
  };
  const helpers = [1, 2].map(() => begun(true).each(ITEMS, 1, square));
  const [results, ...others] = await Promise.allSettled([begun(false).each(ITEMS, 2, square), ...helpers]);
  expect(results).toEqual({
    status: 'fulfilled',
    value: ITEMS.map((item) => ({ square: item ** 2, missing: NaN })),
  });
  for (const other of others) expect(other).toMatchObject({ reason: expect.any(Elsewhere) as unknown });
  expect(done.toSorted((a, b) => a - b)).toEqual(ITEMS);
});

test('tables are kept apart', async () => {
  const work = begun(false);
  expect(await work.each([1, 2], 1, (item) => Promise.resolve(item))).toEqual([1, 2]);
  work.begin('falls');
  expect(await work.each([1, 2], 1, (item) => Promise.resolve(-item))).toEqual([-1, -2]);
});

test('a second call for a table, which helpers would skip, is an error', async () => {
  const work = begun(false);
  await work.each([1, 2], 1, (item) => Promise.resolve(item));
  await expect(work.each([1, 2], 1, (item) => Promise.resolve(item))).rejects.toThrow('in one call');
});
