import { appendFile, stat } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { makeSite, type Site } from './site.js';
import { Service } from './service.js';
import { isoTime } from '../../../pipeline/base/iso-time.js';
import { summary, timedInPairs } from '../../shared/timed.js';

/**
 * Requests the analytics of a month from a running csiflow, over a DuckDB store of a year of minutes as
 * written by `watch-zones` and `detect-activity`. Makes each call twice, alternating: the second figure is
 * the control of the first.
 *
 * `node dist/bench/speed/system/analytics.js [DAYS]`: takes about two minutes and 1 GB of disk.
 */

const MINUTE = 60_000_000;
const DAY_MINUTES = 1_440;
const ROUNDS = 10;
const ENVIRONMENT = 'room-1';
const ZONES = ['bed', 'door', 'shelf'];
/** Distinct persons per day, two of them at a time. */
const PERSONS_OF_A_DAY = 4;
const OF_THE_ROOM = [
  ...[
    'frames',
    'detections',
    'detection_confidence',
    'occupancy_confidence',
    'occupancy_mean',
    'occupancy_peak',
  ],
  ...['presence_seconds', 'seconds_with_1_persons', 'seconds_with_2_persons', 'bed_seconds', 'sleep_seconds'],
];
const OF_A_ZONE = ['occupancy_mean', 'occupancy_peak', 'zone_seconds'];
const OF_A_PERSON = [
  ...['person_seconds', 'moving_seconds', 'walking_seconds', 'standing_seconds', 'sitting_seconds'],
];
const ROWS_A_MINUTE = OF_THE_ROOM.length + OF_A_ZONE.length * ZONES.length + OF_A_PERSON.length * 2;

async function main(): Promise<void> {
  const days = Number(process.argv[2] ?? 365);
  const site = await makeSite({ rooms: 1, chain: 'motion' });
  try {
    await appendFile(join(site.folder, `${ENVIRONMENT}.yaml`), zones());
    const first = new Service(site);
    const password = await first.password();
    await first.running();
    await first.end();
    const end = Math.floor((Date.now() * 1000) / MINUTE) * MINUTE;
    await fill(join(site.folder, 'bench.duckdb'), days, end);
    print({ days, measures: days * DAY_MINUTES * ROWS_A_MINUTE, load: loadavg()[0] });
    await ask(site, password, end);
  } finally {
    site.remove();
  }
}

async function ask(site: Site, password: string, end: number): Promise<void> {
  const service = new Service(site);
  try {
    await service.running();
    const token = await service.login(password);
    const month = `start_time=${isoTime(end - 30 * DAY_MINUTES * MINUTE)}&end_time=${isoTime(end)}`;
    const paths = [
      ...['healthcare', 'retail', 'security'].map(
        (domain) => `/form-a/api/v1/analytics/${domain}?period=month`,
      ),
      ...['hour', 'day'].map((word) => `/form-b/api/v1/analytics/summary?${month}&granularity=${word}`),
      ...['5min', '15min', '1hour'].map(
        (word) => `/form-b/api/v1/analytics/occupancy?${month}&interval=${word}`,
      ),
      ...['', '&event_type=alert', '&page=40'].map(
        (words) => `/form-b/api/v1/analytics/events?${month}&per_page=100${words}`,
      ),
    ];
    for (const path of paths)
      print({ path: shown(path), ...(await timed(service, () => get(service, path, token))) });
    print({ load: loadavg()[0] });
  } finally {
    await service.end();
  }
}

const shown = (path: string): string =>
  path.replace(/^.*analytics/, '').replace(/start_time.*&/, '30 days, ');

async function get(service: Service, path: string, token: string): Promise<number> {
  const response = await fetch(service.address + path, { headers: { Authorization: `Bearer ${token}` } });
  const body = await response.text();
  if (response.status !== 200) throw new Error(`${path} was answered ${response.status}: ${body}`);
  return body.length;
}

async function timed(service: Service, call: () => Promise<number>): Promise<object> {
  const bytes = await call();
  const cpu = await service.cpuSeconds();
  const [first, second] = await timedInPairs(call, ROUNDS);
  const cpuMs = Math.round(((await service.cpuSeconds()) - cpu) * (1000 / 2 / ROUNDS));
  return { bytes, ...summary(first), control: summary(second), cpu_ms_a_call: cpuMs };
}

const zones = (): string =>
  [
    'zones:',
    '  - { id: bed, polygon: [[0, 0], [2, 0], [2, 1]], kind: bed }',
    '  - { id: door, polygon: [[3, 0], [4, 0], [4, 1]], kind: perimeter, funnel: entrance }',
    '  - { id: shelf, polygon: [[3, 3], [4, 3], [4, 4]], funnel: purchase }',
    '',
  ].join('\n');

/**
 * Fills the sink's own tables by SQL, in the order in which the sink writes them; an event every ten minutes,
 * a frame every minute.
 */
async function fill(path: string, days: number, end: number): Promise<void> {
  const instance = await DuckDBInstance.create(path, { preserve_insertion_order: 'true' });
  const connection = await instance.connect();
  const start = end - days * DAY_MINUTES * MINUTE;
  const kinds = [
    ...OF_THE_ROOM.map((name) => `('${name}', NULL, -1)`),
    ...ZONES.flatMap((zone) => OF_A_ZONE.map((name) => `('${name}', '${zone}', -1)`)),
    ...OF_A_PERSON.flatMap((name) => [0, 1].map((person) => `('${name}', NULL, ${person})`)),
  ];
  const person = `CAST(minute // ${DAY_MINUTES} * ${PERSONS_OF_A_DAY} + minute // 720 % 2 * 2 + person + 1 AS VARCHAR)`;
  const time = `make_timestamp(CAST(${start} + minute * ${MINUTE} AS BIGINT))`;
  const minutes = `range(${days * DAY_MINUTES}) AS minutes(minute)`;
  const columns = (of: string) => `INSERT INTO ${of} BY NAME`;
  await connection.run(`${columns('measures')}
    SELECT 1 AS epoch, ${time} AS "time", '${ENVIRONMENT}' AS environment, name,
      CASE WHEN person < 0 THEN subject ELSE ${person} END AS subject,
      (minute * 7919 % 6000) / 100 AS value, 'csiflow' AS source, 'simulated' AS origin
    FROM ${minutes}, (VALUES ${kinds.join(', ')}) AS kinds(name, subject, person) ORDER BY minute`);
  await connection.run(`${columns('events')}
    SELECT 1 AS epoch, ${time} AS "time", '${ENVIRONMENT}' AS environment, 'event-' || minute AS id,
      CASE WHEN minute % 1440 = 0 THEN 'fall_detection' WHEN minute % 720 = 10 THEN 'intrusion' ELSE 'zone_left' END AS type,
      'low' AS severity, 0.9 AS confidence, 1 AS person, 1.0 AS x, 2.0 AS y, 0.0 AS z,
      '{"zone":"door","persons":1,"threat_level":"low"}' AS metadata, 'csiflow' AS source, 'simulated' AS origin
    FROM ${minutes} WHERE minute % 10 = 0 ORDER BY minute`);
  await connection.run(`${columns('poses')}
    SELECT 1 AS epoch, ${time} AS "time", '${ENVIRONMENT}' AS environment, minute AS frame_id, ${time} AS window_end,
      0 AS person_count, 4 AS links, 1.0 AS signal_quality, 3.0 AS processing_ms, 'simulated' AS origin
    FROM ${minutes} ORDER BY minute`);
  connection.closeSync();
  instance.closeSync();
  print({ file_mb: Math.round((await stat(path)).size / 1e6) });
}

const print = (result: object): void => {
  process.stdout.write(`${JSON.stringify(result)}\n`);
};

await main();
