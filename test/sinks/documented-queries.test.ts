import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { duckdb } from '../../sinks/duckdb/duckdb.js';
import { EXIT } from '../../pipeline/base/exit.js';
import { SAMPLES } from '../formats/samples.js';
import { blocksOf } from '../support/code-blocks.js';
import { testContext } from '../support/context.js';
import { csiflow } from '../support/csiflow.js';
import { measure, poseFrame, sensedEvent } from '../support/records.js';

// The queries of docs/stores.md, on a store that csiflow wrote; that of docs/formats/tables.md, on a recording.

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

const queriesOf = (wanted: string): readonly string[] =>
  blocksOf('sql').flatMap(({ page, text }) => (page === wanted ? [text] : []));
const queries = queriesOf('docs/stores.md');

test('the page contains queries', () => {
  expect(queries.length).toBeGreaterThanOrEqual(4);
});

test.each(queries)('%s', async (query) => {
  const rows = await connection.runAndReadAll(query);
  expect(rows.currentRowCount).toBeGreaterThan(0);
});

test('frames that `csiflow convert` wrote as Parquet are read', async () => {
  const [log, parquet] = [join(folder, 'board.log'), join(folder, 'evening.parquet')];
  writeFileSync(log, Buffer.concat(SAMPLES.find(({ format }) => format === 'esp-csi')!.records));
  expect((await csiflow('convert', log, parquet)).code).toBe(EXIT.fine);
  const [query, ...others] = queriesOf('docs/formats/tables.md');
  expect(others).toEqual([]);
  const rows = await connection.runAndReadAll(query!.replace('evening.parquet', parquet));
  const counts = rows.getRowsJson().map(([sender, layout, count]) => [sender, layout, Number(count) > 0]);
  expect(counts).toContainEqual(['1a:00:00:00:00:00', 'lltf1x1', true]);
});
