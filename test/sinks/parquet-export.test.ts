import { DuckDBInstance } from '@duckdb/node-api';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageVersion } from '../../pipeline/base/paths.js';
import { duckdb } from '../../sinks/duckdb/duckdb.js';
import { EXPORTED, exportTable } from '../../sinks/duckdb/export.js';
import { withDefaults } from '../kit/definition.js';
import { afterThisTest } from '../support/clean-up.js';
import { testContext } from '../support/context.js';
import { measure, poseFrame, sensedEvent } from '../support/records.js';

test('an export to Parquet flags times as UTC, and names table, writer and units', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'csiflow-parquet-'));
  afterThisTest(() => rm(folder, { recursive: true }));
  const sink = duckdb.create(
    withDefaults(duckdb, { path: 'store.duckdb' }) as never,
    testContext({ folder }).context,
  );
  await sink.open();
  await sink.write([poseFrame(0, { people: 2 }), poseFrame(1), sensedEvent(0), measure(0)], 1);
  await sink.close();
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  afterThisTest(() => {
    connection.closeSync();
    instance.closeSync();
  });
  const ask = async (sql: string) => (await connection.runAndReadAll(sql)).getRows();
  const from = join(folder, 'store.duckdb');
  // csiflow's own time zone does not matter.
  await connection.run("SET TimeZone = 'America/New_York'");
  for (const table of EXPORTED) {
    const to = join(folder, `${table}.parquet`);
    await exportTable({ from, to, table, format: 'parquet', start: undefined, end: undefined });
    const times = await ask(
      `SELECT name, logical_type FROM parquet_schema('${to}') WHERE converted_type = 'TIMESTAMP_MICROS'`,
    );
    expect(times.length, table).toBeGreaterThan(0);
    for (const [name, type] of times)
      expect(`${table}.${String(name)}: ${String(type)}`).toContain('isAdjustedToUTC=1');
    const metadata = await ask(`SELECT decode(key), decode(value) FROM parquet_kv_metadata('${to}')`);
    expect(Object.fromEntries(metadata as [string, string][])).toEqual({
      csiflow_table: table,
      csiflow_version: packageVersion(),
      csiflow_units: expect.any(String) as unknown,
    });
  }
  const unitsOf = async (table: string) => {
    const found = await ask(
      `SELECT decode(value) FROM parquet_kv_metadata('${join(folder, `${table}.parquet`)}') WHERE decode(key) = 'csiflow_units'`,
    );
    return JSON.parse(String(found[0]![0])) as unknown;
  };
  // Only columns that the file has: `processing_ms` is left out.
  expect(await unitsOf('poses')).toEqual({});
  expect(await unitsOf('persons')).toMatchObject({ position_error: 'm', velocity_x: 'm/s', heading: 'rad' });
  const rows = await ask(`SELECT epoch_us("time"), person_index FROM '${join(folder, 'persons.parquet')}'`);
  expect(rows.map((row) => row.map(Number))).toEqual([
    [poseFrame(0).time, 0],
    [poseFrame(0).time, 1],
    [poseFrame(1).time, 0],
  ]);
});
