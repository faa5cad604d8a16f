import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AnySink, Reader, Sink } from '../../pipeline/component/index.js';
import { packageFile } from '../../pipeline/base/paths.js';
import { duckdb } from '../../sinks/duckdb/duckdb.js';
import { influxdb } from '../../sinks/influxdb/influxdb.js';
import { withDefaults } from '../kit/definition.js';
import { testContext } from '../support/context.js';
import { Csiflow } from '../support/csiflow.js';
import { panelsOf } from '../support/dashboards.js';
import { INFLUX_USERS, startInflux, type InfluxServer } from '../support/servers/influx.js';
import { startPrometheus, type PrometheusServer } from '../support/servers/prometheus.js';

/** The demo with InfluxDB instead of DuckDB, and a DuckDB beside it for comparison. */
let folder: string;
let influx: InfluxServer;
let prometheus: PrometheusServer;
let demo: Csiflow;
let address: string;
let token: string;
/** Functions that end everything, last first, even if the start fails halfway. */
const open: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'csiflow-influx-demo-'));
  open.push(() => rm(folder, { recursive: true, force: true }));
  influx = await startInflux();
  open.push(() => influx.server.stop());
  const file = join(folder, 'demo.yaml');
  await writeFile(file, await topology());
  demo = new Csiflow(['run', file, '--port', '0'], {
    env: {
      CSIFLOW_DATA: folder,
      INFLUXDB_URL: influx.url,
      CSIFLOW_SECRET_INFLUXDB_PASSWORD: INFLUX_USERS.writer,
    },
  });
  open.push(() => demo.interrupt());
  const [, password] = await demo.printed(/admin \/ (\S+)/);
  address = (await demo.printed(/live page +(http:\/\/[\d.:]+)/))[1]!;
  prometheus = await startPrometheus([new URL(address).host]);
  open.push(() => prometheus.server.stop());
  const response = await fetch(`${address}/form-a/api/v1/auth/token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password }),
  });
  token = ((await response.json()) as { access_token: string }).access_token;
}, 60_000);
afterAll(async () => {
  for (const end of open.reverse()) await end();
}, 60_000);

async function topology(): Promise<string> {
  const text = await readFile(packageFile('topologies/demo.yaml'), 'utf8');
  const sinks = [
    '  history:',
    '    type: influxdb',
    '    from: [motion, people, falls]',
    '    url: "${INFLUXDB_URL}"',
    '    database: csi',
    '    username: writer',
    '    password: "${secret:influxdb_password}"',
    '  beside: { type: duckdb, from: [motion, people, falls], path: beside.duckdb }',
  ];
  const changed = text
    .replace(/ {2}history: .*/, sinks.join('\n'))
    .replaceAll('environments/', `${packageFile('topologies/environments')}/`);
  expect(changed).toContain('type: influxdb');
  return changed;
}

const get = async (path: string): Promise<{ status: number; body: unknown }> => {
  const response = await fetch(address + path, { headers: { Authorization: `Bearer ${token}` } });
  return { status: response.status, body: await response.json() };
};

interface HistoryA {
  readonly poses: readonly { readonly timestamp: string }[];
  readonly pagination: { readonly total_count: number; readonly next_cursor: string | null };
}

test('the history is served from InfluxDB in both forms, page by page', async () => {
  await expect.poll(async () => (await get('/form-a/api/v1/pose/history?limit=10')).status).toBe(200);
  await expect
    .poll(
      async () =>
        ((await get('/form-a/api/v1/pose/history?limit=10')).body as HistoryA).pagination.total_count,
      { timeout: 30_000 },
    )
    .toBeGreaterThan(25);
  const seen: number[] = [];
  let cursor: string | null = '';
  while (cursor !== null && seen.length < 30) {
    const { body } = await get(`/form-a/api/v1/pose/history?limit=7${cursor && `&cursor=${cursor}`}`);
    const page = body as HistoryA;
    seen.push(...page.poses.map(({ timestamp }) => Date.parse(timestamp)));
    cursor = page.pagination.next_cursor;
  }
  // One frame every 200 ms, each once.
  expect(seen).toEqual(seen.map((_, index) => seen[0]! + index * 200));

  const range = new URLSearchParams({
    start_time: new Date(Date.now() - 3_600_000).toISOString(),
    end_time: new Date(Date.now() + 3_600_000).toISOString(),
    per_page: '5',
  });
  const { status, body } = await get(`/form-b/api/v1/pose/history?${range.toString()}`);
  expect(status).toBe(200);
  const { data, pagination } = body as { data: readonly object[]; pagination: { total: number } };
  expect(pagination.total).toBeGreaterThan(5);
  expect(data).toHaveLength(5);
  expect(data[0]).toHaveProperty('keypoints');

  const empty = await get('/form-a/api/v1/pose/history?end_time=2001-01-01T00:00:00Z');
  expect(empty).toMatchObject({ status: 404, body: { error: { code: 'POSE_DATA_NOT_FOUND' } } });
}, 60_000);

test('every panel about the engine has data in a Prometheus that scrapes it', async () => {
  await prometheus.waitFor('csiflow_checkpoint_seconds_count > 3');
  await prometheus.waitFor('csiflow_latency_seconds_count{node="history"} > 3');
  const empty: string[] = [];
  for (const { title, query } of await panelsOf('engine', { topology: 'demo', $__rate_interval: '10s' })) {
    const found = await prometheus.query(query);
    if (found.length === 0) empty.push(`${title}: ${query}`);
  }
  expect(empty).toEqual([]);
}, 60_000);

test('no secret is in the logs, the metrics or the answers', async () => {
  const answers = await Promise.all(
    ['/metrics', '/form-b/api/v1/health/detailed', '/form-b/api/v1/topologies', '/form-b/api/v1/config'].map(
      async (path) => (await fetch(address + path, { headers: { Authorization: `Bearer ${token}` } })).text(),
    ),
  );
  for (const text of [demo.output, ...answers]) expect(text).not.toContain(INFLUX_USERS.writer);
});

test('both stores hold the same, and answer every query alike', async () => {
  expect(await demo.interrupt()).toBe(0);
  const openSink = async (component: AnySink, config: object): Promise<Sink> => {
    const sink = component.create(
      withDefaults(component, config) as never,
      testContext({ folder, stateFolder: folder }).context,
    );
    await sink.open();
    return sink;
  };
  const duck = await openSink(duckdb, { path: 'beside.duckdb' });
  const { writer: password } = INFLUX_USERS;
  const flux = await openSink(influxdb, { url: influx.url, database: 'csi', username: 'writer', password });
  const environment = 'demo-flat';
  const poses = await duck.reader!.poses({ environment });
  const middle = poses[poses.length >> 1]!;
  const person = poses.findLast(({ persons }) => persons.length > 0)!.persons[0]!.track!.id;
  const questions: ((reader: Reader) => Promise<unknown>)[] = [
    (reader) => reader.poses({ environment }),
    (reader) => reader.latestPose(environment),
    (reader) => reader.range(environment),
    (reader) => reader.poses({ environment, after: middle, limit: 9 }),
    (reader) => reader.poses({ environment, person, limit: 50 }),
    (reader) => reader.poses({ environment, minConfidence: 0.5 }),
    (reader) => reader.countPoses({ environment, minConfidence: 0.5, end: middle.time }),
    (reader) => reader.persons({ environment, offset: 3, limit: 20 }),
    (reader) => reader.countPersons({ environment, person }),
    (reader) => reader.measures({ environment }),
    (reader) => reader.measures({ environment, names: ['motion'], subject: 'door-desk', limit: 5 }),
    (reader) => reader.events({ environment, ownOnly: false }),
  ];
  try {
    for (const question of questions)
      expect(await question(flux.reader!), String(question)).toEqual(await question(duck.reader!));
  } finally {
    await flux.close();
    await duck.close();
  }
}, 60_000);
