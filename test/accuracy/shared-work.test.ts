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

const ITEMS = Array.from({ length: 20 }, (_, i) => i);

test('each item is done once, and the main process has all results in order', async () => {
  const done: number[] = [];
  const square = async (item: number): Promise<{ square: number; missing: number }> => {
    await Promise.resolve();
    done.push(item);
    return { square: item ** 2, missing: NaN };
  };
  const helpers = [1, 2].map(() => new SharedWork(folder, true).each(ITEMS, 1, square));
  const [results, ...others] = await Promise.allSettled([
    new SharedWork(folder, false).each(ITEMS, 2, square),
    ...helpers,
  ]);
  expect(results).toEqual({
    status: 'fulfilled',
    value: ITEMS.map((item) => ({ square: item ** 2, missing: NaN })),
  });
  for (const other of others) expect(other).toMatchObject({ reason: expect.any(Elsewhere) as unknown });
  expect(done.toSorted((a, b) => a - b)).toEqual(ITEMS);
});

test('calls are kept apart by their order', async () => {
  const work = new SharedWork(folder, false);
  expect(await work.each([1, 2], 1, (item) => Promise.resolve(item))).toEqual([1, 2]);
  expect(await work.each([1, 2], 1, (item) => Promise.resolve(-item))).toEqual([-1, -2]);
});
