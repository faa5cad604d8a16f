import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { csiflow } from '../support/csiflow.js';

const folder = mkdtempSync(join(tmpdir(), 'csiflow-named-'));
const room = join(folder, 'room.yaml');
writeFileSync(room, 'id: room\nsize: { x: 5, y: 4, z: 2.5 }\nlinks: []\n');
afterAll(() => {
  rmSync(folder, { recursive: true });
});
const nowhere = join(folder, 'nowhere');
const table = ['--table', 'persons', '--to', join(folder, 'persons.csv')];

test.each([
  [['export', '--from', nowhere, ...table], `the store ${nowhere} does not exist`],
  [['export', '--from', room, ...table], `${room} is not a DuckDB store`],
  [['query', 'SELECT 1', '--from', nowhere], `the store ${nowhere} does not exist`],
  [['query', 'SELECT 1', '--from', room], `${room} is not a DuckDB store`],
  [['query', 'SELECT 1', '--from', room, '--key-file', nowhere], `${nowhere} does not exist`],
  [['plan', nowhere], `${nowhere} does not exist`],
  [['train', 'memory', '--model', 'nope'], 'there is no model `nope`: name a shipped one ('],
  [['train', 'confirmation', '--model', 'nope'], 'there is no model `nope`'],
  [['train', 'pose', '--start', 'nope', '--windows', '1'], 'there is no model `nope`'],
  [
    ['train', 'pose', '--windows', '0'],
    'A training of length {"windows":0} is empty: the length must be above 0',
  ],
  [['train', 'memory', '--model', './nope'], 'there is no model `./nope`'],
])('%j is answered by one line, and 2', async (words, line) => {
  const { code, err } = await csiflow(...words);
  expect(err).toContain(`csiflow: ${line}`);
  expect(err.trimEnd().split('\n')).toHaveLength(1);
  expect(code).toBe(2);
});
