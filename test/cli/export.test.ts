import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase, storeKey } from '../../sinks/shared/database.js';
import { secretOf } from '../../pipeline/state/index.js';
import { csiflow } from '../support/csiflow.js';

const folder = mkdtempSync(join(tmpdir(), 'csiflow-export-'));
const store = join(folder, 'room.duckdb');

beforeAll(async () => {
  const limits = { memoryLimitBytes: 64 * 2 ** 20, walLimitBytes: 16 * 2 ** 20 };
  const database = await openDatabase(store, {
    ...limits,
    key: storeKey(secretOf('the secret of this room')),
  });
  await database.close();
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const exported = (...more: readonly string[]) =>
  csiflow('export', '--from', store, '--table', 'persons', '--to', join(folder, 'persons.csv'), ...more);

test('an encrypted store is not exported without its key: the option is named', async () => {
  const { code, output } = await exported();
  expect(output).toContain('is encrypted: say --key-file');
  expect(code).toBe(2);
});

test('nor with another key', async () => {
  const file = join(folder, 'other');
  writeFileSync(file, 'the secret of another room');
  const { code, output } = await exported('--key-file', file);
  expect(output).toContain(`${file} is not the key of ${store}`);
  expect(code).toBe(2);
});
