import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase, withConnection, type Database } from '../../sinks/shared/database.js';
import { ReadPool } from '../../sinks/duckdb/pool.js';

const folder = mkdtempSync(join(tmpdir(), 'csiflow-asked-'));
const copies = join(folder, 'backups');
let database: Database;
let pool: ReadPool;

beforeAll(async () => {
  mkdirSync(copies);
  writeFileSync(join(copies, 'export.csv'), 'a\n1\n');
  database = await openDatabase(join(folder, 'room.duckdb'), {
    memoryLimitBytes: 128 * 2 ** 20,
    walLimitBytes: 16 * 2 ** 20,
    copiesTo: copies,
  });
  pool = new ReadPool(database, 1);
  await withConnection(database.instance, (connection) =>
    connection.run(
      `INSERT INTO measures BY NAME SELECT 1 AS epoch, TIMESTAMP '2026-11-23' + to_seconds(i) AS "time", 'hall' AS environment,
         'motion' AS name, i / 4 AS value, 'csiflow' AS source, 'live' AS origin FROM range(100) AS r(i)`,
    ),
  );
});
afterAll(async () => {
  await pool.close();
  await database.close();
  rmSync(folder, { recursive: true });
});

const ask = (sql: string, limits = {}, signal?: AbortSignal) =>
  pool.read((snapshot) => snapshot.asked(sql, { maxRows: 1000, maxBytes: 2 ** 20, ...limits }), signal);

describe('a query of a store', () => {
  test('is a SELECT on its tables; integers are numbers, times are text', async () => {
    const asked = await ask(
      `WITH late AS (SELECT * FROM main.measures WHERE value >= 24)
       SELECT count(*) AS n, min("time") AS first, max(value) AS top, list(value)[1:1] AS some, NULL AS nothing FROM Late`,
    );
    expect(asked).toEqual({
      columns: [
        { name: 'n', type: 'BIGINT' },
        { name: 'first', type: 'TIMESTAMP' },
        { name: 'top', type: 'DOUBLE' },
        { name: 'some', type: 'DOUBLE[]' },
        { name: 'nothing', type: 'INTEGER' },
      ],
      rows: [[4, '2026-11-23 00:01:36', 24.75, [24], null]],
      truncated: false,
    });
  });

  test.each([
    'DESCRIBE measures',
    'SUMMARIZE measures',
    'FROM range(3)',
    'SELECT unnest([1, 2])',
    'VALUES (1)',
    'PIVOT measures ON environment IN (hall) USING count(*)',
    'SELECT * FROM tracks, keypoints LIMIT 1',
  ])('%s', async (sql) => {
    expect((await ask(sql)).columns.length).toBeGreaterThan(0);
  });

  test.each([
    ['INSERT INTO measures SELECT * FROM measures', 'only one SELECT'],
    ['DELETE FROM measures', 'only one SELECT'],
    ['SELECT 1; SELECT 2', 'only one SELECT'],
    ["ATTACH 'x.duckdb'", 'only one SELECT'],
    ["COPY measures TO 'x.csv'", 'only one SELECT'],
    ['INSTALL httpfs', 'only one SELECT'],
    ["SET memory_limit = '1TB'", 'only one SELECT'],
    ['PRAGMA database_list', 'only one SELECT'],
    ['BEGIN', 'only one SELECT'],
    ['', 'only one SELECT'],
    ["SELECT * FROM read_csv('/etc/passwd')", 'read_csv cannot be read from'],
    ["SELECT (SELECT max(content) FROM read_text('/etc/passwd'))", 'read_text cannot be read from'],
    ["SELECT * FROM glob('/*')", 'glob cannot be read from'],
    ["SELECT * FROM query('SELECT 1')", 'query cannot be read from'],
    ["SELECT * FROM query_table('/etc/passwd')", 'query_table cannot be read from'],
    ['SELECT * FROM duckdb_settings()', 'duckdb_settings cannot be read from'],
    ["FROM '/etc/passwd.csv'", 'there is no table /etc/passwd.csv'],
    [`FROM "${copies}/export.csv"`, 'there is no table'],
    [`WITH "${copies}/export.csv" AS (SELECT 1) FROM "${copies}/export.csv"`, 'name the queries of WITH'],
    ['SELECT * FROM csiflow_schema', 'there is no table csiflow_schema'],
    ['SELECT * FROM information_schema.tables', 'there is no table information_schema.tables'],
    ['SELECT * FROM other.measures', 'there is no table other.measures'],
    ['SELECT * FROM measures WHERE value = $1', 'parameters'],
    ['SELECT nothing FROM measures', 'nothing'],
    ['SELEC 1', 'syntax error'],
    ["SELECT CAST('x' || environment AS INTEGER) FROM measures", 'Could not convert'],
  ])('rejects %s', async (sql, why) => {
    await expect(ask(sql)).rejects.toMatchObject({
      code: 'query.refused',
      message: expect.stringContaining(why) as string,
    });
  });

  test('is bounded in rows and in bytes', async () => {
    const few = await ask('SELECT value FROM measures', { maxRows: 3 });
    expect(few).toMatchObject({ rows: [[0], [0.25], [0.5]], truncated: true });
    expect(await ask('SELECT value FROM measures', { maxRows: 100 })).toMatchObject({ truncated: false });
    const small = await ask("SELECT repeat('x', 100) FROM measures", { maxBytes: 1000 });
    expect(small.rows).toHaveLength(9);
    expect(small.truncated).toBe(true);
    // Endless, but what is beyond the limit is not computed.
    expect((await ask('SELECT * FROM range(1000000000000)', { maxRows: 1 })).rows).toEqual([[0]]);
  });

  test('is interrupted by its signal; the store remains usable', async () => {
    const stop = new AbortController();
    const endless = ask(
      'SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b',
      {},
      stop.signal,
    );
    stop.abort(new Error('too long'));
    await expect(endless).rejects.toThrow('too long');
    expect((await ask('SELECT count(*) FROM measures')).rows).toEqual([[100]]);
  });

  test('fails if the store has too little memory; the store remains usable', async () => {
    await expect(ask('SELECT len(list(i::VARCHAR)) FROM range(20000000) AS r(i)')).rejects.toMatchObject({
      code: 'query.refused',
      message: expect.stringContaining('Out of Memory') as string,
    });
    expect((await ask('SELECT count(*) FROM measures')).rows).toEqual([[100]]);
  });
});
