import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { csiflow } from '../support/csiflow.js';

let empty: string;
beforeAll(async () => {
  empty = await mkdtemp(join(tmpdir(), 'csiflow-falls-'));
});
afterAll(() => rm(empty, { recursive: true }));

test('csiflow train falls names missing recordings and how to get them', async () => {
  const { code, output } = await csiflow('train', 'falls', '--data', empty, '--out', join(empty, 'out'));
  expect(code).toBe(2);
  expect(output).toContain(`${join(empty, 'captures/esp32-serial')} does not exist`);
  expect(output).toContain('--data');
  expect(output).not.toContain('    at ');
  expect(await readdir(empty)).toEqual([]);
});

test('csiflow train falls requires the folder of its recordings', async () => {
  const { code, output } = await csiflow('train', 'falls', '--out', join(empty, 'out'));
  expect(code).toBe(2);
  expect(output).toContain('--data');
  expect(await readdir(empty)).toEqual([]);
});

test('csiflow evaluate reports that tables of recordings need --data', async () => {
  const { code, output } = await csiflow('evaluate', '--only', 'recordings', 'real-falls');
  expect(code).toBe(0);
  expect(output.match(/^not measured: .*; pass the folder .* with --data/gm)).toHaveLength(2);
});

test('csiflow train falls rejects a seed that is not an integer', async () => {
  const { code, output } = await csiflow('train', 'falls', '--data', empty, '--seed', 'often');
  expect(code).toBe(2);
  expect(output).toContain('whole number');
});
