import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { duckdb } from '../../sinks/duckdb/duckdb.js';
import { testContext } from '../support/context.js';
import { measure, poseFrame, sensedEvent } from '../support/records.js';

// The queries of docs/stores.md, on a store that csiflow wrote.

const folder = mkdtempSync(join(tmpdir(), 'csiflow-queries-'));
let instance: DuckDBInstance;
let connection: DuckDBConnection;

beforeAll(async () => {
  const { context } = testContext({ folder });
  const sink = duckdb.create(Value.Default(duckdb.config, { path: 'store.duckdb' }) as never, context);
  await sink.open();
  for (const index of [0, 1, 2])
    await sink.write([poseFrame(index, { people: 2 }), sensedEvent(index), measure(index)], 1);
  await sink.close();
  instance = await DuckDBInstance.create(join(folder, 'store.duckdb'), { access_mode: 'READ_ONLY' });
  connection = await instance.connect();
});
afterAll(() => {
  connection.closeSync();
  instance.closeSync();
  rmSync(folder, { recursive: true });
});

const queries = [...readFileSync('docs/stores.md', 'utf8').matchAll(/^```sql\n([^]*?)^```/gm)].map(
  ([, text]) => text!,
);

test('the page contains queries', () => {
  expect(queries.length).toBeGreaterThanOrEqual(4);
});

test.each(queries)('%s', async (query) => {
  const rows = await connection.runAndReadAll(query);
  expect(rows.currentRowCount).toBeGreaterThan(0);
});
