import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Measure } from '../../pipeline/model/index.js';
import { influxdb } from '../../sinks/influxdb/influxdb.js';
import { withDefaults } from '../kit/definition.js';
import { testContext } from '../support/context.js';
import { counter, runnerOf, sum, Table, temporaryFolder, topologyOf } from '../support/flow.js';
import { until } from '../support/waiting.js';
import { INFLUX_USERS, startInflux, type InfluxServer } from '../support/servers/influx.js';

let influx: InfluxServer;
let databases = 0;
beforeAll(async () => {
  influx = await startInflux();
});
afterAll(async () => {
  await influx.server.stop();
});

const ownDatabase = () => ({
  url: influx.url,
  database: `test-${++databases}`,
  username: 'admin',
  password: INFLUX_USERS.admin,
  timeout_ms: 2_000,
});

/** A measure for each frame, to InfluxDB and to a table beside it. */
const line = (config: object, table: Table, folder: string, source: object) =>
  topologyOf(
    {
      in: { component: counter, config: { ...source, block: 20 } },
      sums: { component: sum, from: ['in'], config: { span: 1 } },
      influx: { component: influxdb, from: ['sums'], config: { ...config } },
      table: { component: table.component, from: ['sums'] },
    },
    folder,
  );

/** Reads with a long timeout, however short the sink's own is. */
async function stored(config: object): Promise<readonly Measure[]> {
  const patient = { ...config, timeout_ms: 10_000 };
  const sink = influxdb.create(withDefaults(influxdb, patient) as never, testContext().context);
  await sink.open();
  const found = await sink.reader!.measures({ environment: 'test-room' });
  await sink.close();
  return found;
}

const text = ({ name, time, value }: Measure): string => `${name}@${time}=${value}`;
const texts = async (config: object) => (await stored(config)).map(text).sort();

/** Waits until the outbox is delivered: InfluxDB holds exactly what the table does. */
async function holdsAll(config: object, table: Table): Promise<void> {
  await expect
    .poll(async () => (await stored(config)).length, { timeout: 40_000, interval: 300 })
    .toBeGreaterThanOrEqual(table.rows.length);
  expect(await texts(config)).toEqual([...table.rows].sort());
}

test('influxd is killed and restarted during writes: no record is lost or duplicated', async () => {
  const config = ownDatabase();
  const table = new Table();
  const runner = runnerOf(line(config, table, temporaryFolder(), { count: 30_000 }));
  const sent = () => runner.status().nodes.find(({ id }) => id === 'influx')!.sent;
  await runner.start();
  for (const records of [500, 4_000, 9_000]) {
    await until(`${records} records`, () => sent() >= records);
    await influx.server.crash();
    await until('the sink notices', () => runner.status().state === 'degraded');
    await influx.server.start();
  }
  await runner.finished();
  expect(table.rows.length).toBeGreaterThanOrEqual(30_000);
  await holdsAll(config, table);
  expect(runner.status().state).toBe('running');
  expect(sent()).toBe(table.rows.length);
}, 90_000);

test('influxd is offline at the start: the other sinks continue, and the outbox is delivered later', async () => {
  const config = ownDatabase();
  const table = new Table();
  await influx.server.crash();
  const runner = runnerOf(line(config, table, temporaryFolder(), { count: 2_000 }));
  await runner.start();
  await runner.finished();
  expect(table.rows.length).toBeGreaterThanOrEqual(2_000);
  expect(runner.status().state).toBe('degraded');
  await influx.server.start();
  await holdsAll(config, table);
  expect(runner.status().state).toBe('running');
}, 60_000);

test('expired credentials degrade it; with new ones everything is stored', async () => {
  const config = { ...ownDatabase(), username: 'worker', password: 'worker-pw' };
  await influx.execute(`CREATE DATABASE "${config.database}"; CREATE USER worker WITH PASSWORD 'worker-pw'`);
  await influx.execute(`GRANT ALL ON "${config.database}" TO worker`);
  const table = new Table();
  const runner = runnerOf(line(config, table, temporaryFolder(), { count: 20_000 }));
  await runner.start();
  await until('the first', () => runner.status().nodes.find(({ id }) => id === 'influx')!.sent > 100);
  await influx.execute(`SET PASSWORD FOR worker = 'another'`);
  await until('degraded', () => runner.status().state === 'degraded');
  const { details } = runner.status().nodes.find(({ id }) => id === 'influx')!;
  expect(JSON.stringify([runner.status().problem, details])).toContain("rejects user 'worker' (401)");
  await influx.execute(`SET PASSWORD FOR worker = 'worker-pw'`);
  await runner.finished();
  await holdsAll(config, table);
  expect(runner.status().state).toBe('running');
  expect(runner.status().nodes.find(({ id }) => id === 'influx')!.failed).toBeLessThan(100); // tries, not records
}, 60_000);

test('after repeated losses of memory, the points equal those of an uninterrupted run', async () => {
  const config = ownDatabase();
  const folder = temporaryFolder();
  for (const records of [300, 700, 1_200]) {
    const runner = runnerOf(line(config, new Table(), folder, { count: 3_000 }));
    await runner.start();
    await until(
      `${records} records`,
      () => runner.status().nodes.find(({ id }) => id === 'influx')!.sent >= Math.min(records, 300),
    );
    await runner.stop({ force: true, saveState: false });
  }
  const last = runnerOf(line(config, new Table(), folder, { count: 3_000 }));
  await last.start();
  await last.finished();
  const table = new Table();
  const whole = runnerOf(line(ownDatabase(), table, temporaryFolder(), { count: 3_000 }));
  await whole.start();
  await whole.finished();
  await holdsAll(config, table);
}, 60_000);

test('a frozen influxd times out, and is served once it continues', async () => {
  const config = { ...ownDatabase(), timeout_ms: 300 };
  const table = new Table();
  const runner = runnerOf(line(config, table, temporaryFolder(), { count: 20_000 }));
  await runner.start();
  await until('the first', () => runner.status().nodes.find(({ id }) => id === 'influx')!.sent > 100);
  influx.server.freeze();
  await until('degraded', () => runner.status().state === 'degraded');
  influx.server.resume();
  await runner.finished();
  await holdsAll(config, table);
  expect(runner.status().state).toBe('running');
}, 60_000);
