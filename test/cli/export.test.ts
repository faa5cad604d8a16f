import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase, storeKey, withConnection } from '../../sinks/shared/database.js';
import { secretOf } from '../../pipeline/state/index.js';
import { packageFile } from '../../pipeline/base/paths.js';
import { Csiflow, csiflow, csiflowWith } from '../support/csiflow.js';

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
  expect(output).toContain('is encrypted: set --key-file');
  expect(code).toBe(2);
});

test('nor with another key', async () => {
  const file = join(folder, 'other');
  writeFileSync(file, 'the secret of another room');
  const { code, output } = await exported('--key-file', file);
  expect(output).toContain(`${file} is not the key of ${store}`);
  expect(code).toBe(2);
});

describe('a store that is not open is queried in its file', () => {
  const closed = join(folder, 'closed.duckdb');
  beforeAll(async () => {
    const limits = { memoryLimitBytes: 64 * 2 ** 20, walLimitBytes: 16 * 2 ** 20 };
    await (await openDatabase(closed, limits)).close();
  });
  const query = (sql: string, ...more: readonly string[]) => csiflow('query', sql, '--from', closed, ...more);
  const rows = `SELECT * FROM (VALUES (1, 'a"b', NULL), (20, '', TIMESTAMP '2026-11-23')) AS t(n, name, "time")`;

  test.each([
    ['table', ' n  name  time\n--  ----  -------------------\n 1  a"b   -\n20        2026-11-23 00:00:00\n'],
    ['csv', 'n,name,time\n1,"a""b",\n20,"",2026-11-23 00:00:00\n'],
    ['ndjson', '{"n":1,"name":"a\\"b","time":null}\n{"n":20,"name":"","time":"2026-11-23 00:00:00"}\n'],
  ])('as %s', async (format, text) => {
    expect(await query(rows, '--format', format)).toMatchObject({ code: 0, out: text, err: '' });
  });

  test('as JSON, with its columns; an incomplete result is reported', async () => {
    const { out, err } = await query(rows, '--json', '--max-rows', '1');
    expect(JSON.parse(out)).toMatchObject({ rows: [[1, 'a"b', null]], truncated: true });
    expect(err).toContain('only the first 1 rows');
  });

  test.each([
    [['DELETE FROM poses'], 'the query was refused: only one SELECT'],
    [['SELECT 1', '--max-rows', '0'], 'whole number from 1 to 100000'],
    [['SELECT 1', '--format', 'xml'], '--format must be one of table, csv, json, ndjson'],
  ])('%j: 2', async ([sql, ...more], why) => {
    const { code, output } = await query(sql!, ...more);
    expect(output).toContain(why);
    expect(code).toBe(2);
  });

  test('an encrypted one needs its key', async () => {
    const { code, output } = await csiflow('query', 'SELECT 1', '--from', store);
    expect(output).toContain('is encrypted: set --key-file');
    expect(code).toBe(2);
    const file = join(folder, 'key');
    writeFileSync(file, 'the secret of this room');
    expect((await csiflow('query', 'SELECT 1 AS x', '--from', store, '--key-file', file)).out).toContain(
      'x\n-\n1',
    );
  });
});

describe('by day', () => {
  const days = join(folder, 'days.duckdb');
  beforeAll(async () => {
    const limits = { memoryLimitBytes: 64 * 2 ** 20, walLimitBytes: 16 * 2 ** 20 };
    const database = await openDatabase(days, limits);
    await withConnection(database.instance, (connection) =>
      connection.run(
        `INSERT INTO measures BY NAME SELECT 1 AS epoch, TIMESTAMP '2026-11-22 22:00:00' + to_hours(i) AS "time",
           'hall' AS environment, 'motion' AS name, i AS value, 'csiflow' AS source, 'live' AS origin
         FROM (VALUES (0), (1), (2), (49)) AS t(i)`,
      ),
    );
    await database.close();
  });
  const exportDays = (to: string, ...more: readonly string[]) =>
    csiflow(
      'export',
      '--from',
      days,
      '--table',
      'measures',
      '--by',
      'day',
      '--to',
      join(folder, to),
      ...more,
    );
  const files = (to: string) =>
    readdirSync(join(folder, to), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.\w+$/.test(path))
      .sort();

  test('each day with rows is a file in a folder named by the day; together they are complete', async () => {
    expect(await exportDays('csv', '--format', 'csv')).toMatchObject({ code: 0, err: '' });
    expect(files('csv')).toEqual([
      'date=2026-11-22/measures.csv',
      'date=2026-11-23/measures.csv',
      'date=2026-11-24/measures.csv',
    ]);
    const to = join(folder, 'whole.csv');
    await csiflow('export', '--from', days, '--table', 'measures', '--to', to);
    const rows = (path: string) => readFileSync(path, 'utf8').trimEnd().split('\n').slice(1);
    expect(files('csv').flatMap((path) => rows(join(folder, 'csv', path)))).toEqual(rows(to));
  });

  test('is Parquet by default; start and end limit the first and the last day', async () => {
    const range = ['--start', '2026-11-22T23:30:00Z', '--end', '2026-11-24T00:00:00Z', '--json'];
    expect(JSON.parse((await exportDays('parquet', ...range)).out)).toMatchObject({ rows: 1 });
    expect(files('parquet')).toEqual(['date=2026-11-23/measures.parquet']);
  });

  test('rejects any other division', async () => {
    expect(
      (await csiflow('export', '--from', days, '--table', 'poses', '--to', 'x', '--by', 'hour')).code,
    ).toBe(2);
  });
});

describe('a store that a running csiflow has open', () => {
  const file = join(folder, 'ward.yaml');
  const open = join(folder, 'ward.duckdb');
  const to = join(folder, 'measures.ndjson');
  let run: Csiflow;
  let url: string;
  let env: Record<string, string>;
  /** An account has few logins per minute: frequent callers use a token. */
  let asked: Record<string, string>;

  beforeAll(async () => {
    writeFileSync(
      file,
      `id: ward
environment: ${packageFile('topologies/environments/demo-flat.yaml')}
sources: { flat: { type: simulator, rate_hz: 20, seed: 7 } }
operators:
  windows: { type: window, from: flat, length_ms: 1000, hop_ms: 200, points: 50 }
  motion: { type: detect-motion, from: windows }
sinks: { history: { type: duckdb, from: motion, path: ward.duckdb } }
`,
    );
    run = new Csiflow(['run', file, '--port', '0']);
    url = (await run.printed(/live page +(http:\S+)\//))[1]!;
    env = { CSIFLOW_PASSWORD: (await run.printed(/admin \/ (\S+)/))[1]! };
    asked = { CSIFLOW_TOKEN: await token() };
    await run.printed(/the topology is running/);
  }, 60_000);
  afterAll(() => run.kill());

  const exportedAs = (credential: Record<string, string>, ...more: readonly string[]) =>
    csiflowWith(credential, 'export', '--from', open, '--table', 'measures', '--to', to, ...more);
  const ofOpen = (...more: readonly string[]) => exportedAs(asked, ...more);

  test('is exported by that process, even before and after', async () => {
    await expect
      .poll(async () => JSON.parse((await ofOpen('--url', url, '--json')).output) as unknown, {
        timeout: 30_000,
      })
      .toSatisfy(({ rows, file }: { rows: number; file: string }) => rows > 0 && file === to);
    const { code, output } = await exportedAs(env, '--url', url);
    expect(output).toMatch(/^[1-9]\d* rows of measures written to/);
    expect(code).toBe(0);
    expect(readFileSync(to, 'utf8').split('\n').length).toBeGreaterThan(1);
    expect(readdirSync(join(folder, 'data', 'ward.state', 'backups'))).toEqual([]);
    const earlier = await ofOpen('--url', url, '--end', '2001-01-01T00:00:00Z');
    expect(earlier.output).toMatch(/^0 rows/);
  }, 90_000);

  test('is exported by that process a day at a time', async () => {
    const folderOfDays = join(folder, 'live-days');
    const { code, output } = await csiflowWith(
      asked,
      ...['export', '--from', open, '--table', 'measures', '--by', 'day', '--to', folderOfDays],
      ...['--format', 'ndjson', '--url', url],
    );
    expect(output).toMatch(/^[1-9]\d* rows of measures written to/);
    expect(code).toBe(0);
    const [day] = readdirSync(folderOfDays);
    expect(day).toMatch(/^date=\d{4}-\d\d-\d\d$/);
    const [line] = readFileSync(join(folderOfDays, day!, 'measures.ndjson'), 'utf8').split('\n');
    expect((JSON.parse(line!) as { time: string }).time).toContain(day!.slice('date='.length));
    expect(readdirSync(join(folder, 'data', 'ward.state', 'backups'))).toEqual([]);
  }, 90_000);

  test('is queried through that process, by its path or as its only store', async () => {
    const sql = "SELECT name, count(*) AS n FROM measures WHERE name = 'motion' GROUP BY ALL";
    for (const from of [[], ['--from', open]]) {
      const { code, output } = await csiflowWith(
        asked,
        'query',
        sql,
        ...from,
        '--url',
        url,
        '--format',
        'csv',
      );
      expect(output).toMatch(/^name,n\nmotion,[1-9]\d*\n$/);
      expect(code).toBe(0);
    }
  }, 90_000);

  test.each([
    ['DROP TABLE measures', 'The query was refused: only one SELECT'],
    ["FROM '/etc/passwd'", 'there is no table /etc/passwd'],
    ['SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b', 'No answer within 1 s'],
  ])('%s is rejected by it', async (sql, why) => {
    const { code, output } = await csiflowWith(asked, 'query', sql, '--url', url, '--timeout', '1');
    expect(output).toContain(why);
    expect(code).toBe(1);
  });

  test('names its holder, and what to do, if nobody answers', async () => {
    const { code, output } = await ofOpen('--url', 'http://127.0.0.1:9');
    expect(output).toMatch(/ward\.duckdb is in use by process \d+/);
    expect(output).toMatch(/no csiflow answers at http:\/\/127\.0\.0\.1:9.*--url/);
    expect(code).toBe(3);
  });

  test("of another csiflow is reported with that one's stores", async () => {
    const answer = await fetch(`${url}/form-b/api/v1/exports`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${asked['CSIFLOW_TOKEN']}` },
      body: JSON.stringify({ store: '/elsewhere.duckdb', table: 'poses', format: 'csv' }),
    });
    expect(answer.status).toBe(404);
    expect(await answer.text()).toContain(`its stores are ${open}`);
  });

  async function token(): Promise<string> {
    const answer = await fetch(`${url}/form-b/api/v1/auth/token`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username: 'admin', password: env['CSIFLOW_PASSWORD'] }),
    });
    return ((await answer.json()) as { data: { access_token: string } }).data.access_token;
  }
});
