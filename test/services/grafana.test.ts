import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sink } from '../../pipeline/component/index.js';
import type { Data } from '../../pipeline/model/index.js';
import { packageFile } from '../../pipeline/base/paths.js';
import { Connection } from '../../sinks/influxdb/connection.js';
import { influxdb } from '../../sinks/influxdb/influxdb.js';
import { withDefaults } from '../kit/definition.js';
import { testContext } from '../support/context.js';
import { panelsOf, readDashboard } from '../support/dashboards.js';
import { measure, person, poseFrame, sensedEvent } from '../support/records.js';
import { INFLUX_USERS, startInflux, type InfluxServer } from '../support/servers/influx.js';

const SECOND = 1_000_000;
const HOUR = 3_600;
const now = Math.floor(Date.now() / 1_000) * SECOND;

let influx: InfluxServer;
let connection: Connection;

beforeAll(async () => {
  influx = await startInflux();
  const account = { url: influx.url, database: 'csi', username: 'writer', password: INFLUX_USERS.writer };
  const sink: Sink = influxdb.create(withDefaults(influxdb, account) as never, testContext().context);
  await sink.open();
  for (let second = 0; second < HOUR; second += 60) {
    const records = Array.from({ length: 60 }, (_, index) => simulated(second + index)).flat();
    expect(await sink.write(records, 1)).toEqual([]);
  }
  await sink.close();
  // As Grafana: an account that may only read.
  const { reader: password } = INFLUX_USERS;
  connection = await Connection.to({
    ...account,
    username: 'reader',
    password,
    token: null,
    timeoutMs: 10_000,
  });
}, 60_000);
afterAll(async () => {
  connection.close();
  await influx.server.stop();
});

/** What happens in a second of the hour before now: two people, one of whom falls and lies for some minutes. */
function simulated(second: number): Data[] {
  const time = now - (HOUR - second) * SECOND;
  const lies = second % 1_200 > 1_100;
  const frame = poseFrame(second, {
    persons: [person(second, 0, { posture: lies ? 'lying' : 'upright' }), person(second, 1)],
  });
  const perLink = ['link-1', 'link-2'].flatMap((subject) => [
    measure(second, { time, subject }),
    measure(second, { time, subject, name: 'motion_energy_db', value: 3 }),
    measure(second, { time, subject, name: 'packet_loss', value: 0.01 }),
    measure(second, { time, subject, name: 'rssi_dbm', value: -55 }),
  ]);
  return [
    { ...frame, time },
    ...perLink,
    measure(second, { time, subject: null, name: 'presence', value: 1 }),
    measure(second, { time, subject: '1', name: 'breathing_rate_bpm', value: 14 }),
    ...(second % 60 === 0
      ? [measure(second, { time, subject: '1', name: 'activity_walking_minutes', value: 0.5 })]
      : []),
    ...(second % 1_200 === 1_101 ? [sensedEvent(second, { time })] : []),
    ...(second % 300 === 0
      ? [sensedEvent(second, { id: `zone-${second}`, time, type: 'zone_entered' })]
      : []),
  ];
}

describe.each(['people-and-falls', 'links-and-signal-quality'])('dashboard %s', (name) => {
  test('every panel has rows after an hour', async () => {
    const panels = await panelsOf(name, {
      $timeFilter: `time >= ${(now - HOUR * SECOND) * 1_000} AND time <= ${now * 1_000}`,
      $__interval: '1m',
      $environment: '(test-room)',
    });
    expect(panels.length).toBeGreaterThan(5);
    const empty: string[] = [];
    for (const { title, query } of panels) {
      const [series] = await connection.query(query);
      const rows = series!.flatMap(({ values }) => values ?? []);
      if (rows.length === 0) empty.push(`${title}: ${query}`);
    }
    expect(empty).toEqual([]);
  });

  test('its variable gives the environments', async () => {
    const { templating } = await readDashboard(name);
    const [series] = await connection.query(templating.list[0]!.query as string);
    expect(series![0]!.values).toEqual([['environment', 'test-room']]);
  });
});

test('the figures of some panels are those that were written', async () => {
  const range = `time >= ${(now - HOUR * SECOND) * 1_000} AND time <= ${now * 1_000}`;
  const panels = await panelsOf('people-and-falls', {
    $timeFilter: range,
    $__interval: '1h',
    $environment: '(test-room)',
  });
  const values = async (title: string) => {
    const [series] = await connection.query(panels.find((panel) => panel.title === title)!.query);
    return series!.flatMap((found) => found.values!.map((row) => row[1]));
  };
  expect(await values('Falls in this range')).toEqual([3]);
  expect(await values('People now')).toEqual([2]);
  expect((await values('Lying')).reduce((sum, value) => (sum as number) + (value as number), 0)).toBe(3 * 99);
});

test('each dashboard names data sources that are provisioned, and ids of its own', async () => {
  const names = ['people-and-falls', 'links-and-signal-quality', 'engine'];
  const { datasources } = parse(
    await readFile(packageFile('topologies/grafana/provisioning/datasources/csiflow.yaml'), 'utf8'),
  ) as { readonly datasources: readonly { readonly uid: string }[] };
  const uids = datasources.map(({ uid }) => uid);
  for (const name of names) {
    const { panels } = await readDashboard(name);
    expect(uids).toEqual(expect.arrayContaining(panels.map(({ datasource }) => datasource.uid)));
  }
});
