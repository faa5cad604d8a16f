import { stat } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import { withTemporaryFolder } from '../../pipeline/base/temporary-folders.js';
import type { Reader, Sink } from '../../pipeline/component/index.js';
import type { Measure } from '../../pipeline/model/index.js';
import { duckdb } from '../../sinks/duckdb/duckdb.js';
import { influxdb } from '../../sinks/influxdb/influxdb.js';
import { openSink } from '../shared/context.js';
import { summary, timedInPairs } from '../shared/timed.js';

/**
 * Fills a store with measures of every minute, and aggregates a month of them by hour, a year by day and a
 * day by five minutes. Runs each query twice, alternating: the second figure is the control of the first.
 *
 * `node dist/bench/speed/measures.js [--days 365] [--influxdb http://127.0.0.1:8086 --database bench]`
 */

const MINUTE = 60_000_000;
const DAY = 1_440 * MINUTE;
const START = 1_704_067_200_000_000;
const ENVIRONMENT = 'flat-1';
/** 16 of the whole flat, and 4 for each of 2 persons. */
const FLAT = Array.from({ length: 16 }, (_, index) => `seconds_${index}`);
const OF_PERSONS = ['person_seconds', 'moving_seconds', 'walking_seconds', 'sitting_seconds'];
const PERSONS = ['1', '2'];
const ROUNDS = 10;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      days: { type: 'string', default: '365' },
      influxdb: { type: 'string' },
      database: { type: 'string', default: 'bench' },
    },
  });
  const days = Number(values.days);
  await withTemporaryFolder('csiflow-bench-measures-', async (folder) => {
    const started = performance.now();
    const sink =
      values.influxdb === undefined
        ? await filledDuckDB(folder, days)
        : await filledInfluxDB(folder, days, { url: values.influxdb, database: values.database });
    try {
      print({ days, rows: days * 1_440 * 24, filled_in_s: round((performance.now() - started) / 1_000) });
      for (const [query, run] of queriesOf(sink.reader!, days)) print({ query, ...(await timed(run)) });
      print({ load: loadavg()[0] });
    } finally {
      await sink.close();
    }
  });
}

function queriesOf(reader: Reader, days: number): readonly (readonly [string, () => Promise<unknown>])[] {
  const environment = ENVIRONMENT;
  const names = [...FLAT, ...OF_PERSONS];
  const middle = START + Math.floor(days / 2) * DAY;
  const sums = (start: number, length: number, bucket: number, wanted = names) =>
    reader.aggregates({ environment, start, end: start + length, names: wanted, bucket });
  return [
    ['a month by the hour, 20 names', () => sums(middle, 30 * DAY, 60 * MINUTE)],
    ['a month by the hour, one name', () => sums(middle, 30 * DAY, 60 * MINUTE, ['seconds_1'])],
    [
      'a month by the hour, one name of persons',
      () => sums(middle, 30 * DAY, 60 * MINUTE, ['moving_seconds']),
    ],
    ['a month by the day, 20 names', () => sums(middle, 30 * DAY, DAY)],
    ['a day by five minutes, 20 names', () => sums(middle, DAY, 5 * MINUTE)],
    ['all by the day, 20 names', () => sums(START, days * DAY, DAY)],
  ];
}

async function filledDuckDB(folder: string, days: number): Promise<Sink> {
  const open = () => openSink(duckdb, { path: 'store.duckdb' }, folder);
  await open().then((sink) => sink.close());
  const path = join(folder, 'store.duckdb');
  const instance = await DuckDBInstance.create(path, { preserve_insertion_order: 'true' });
  const connection = await instance.connect();
  const kinds = [
    ...FLAT.map((name) => `('${name}', NULL)`),
    ...OF_PERSONS.flatMap((name) => PERSONS.map((person) => `('${name}', '${person}')`)),
  ];
  await connection.run(`INSERT INTO measures
    SELECT minute, make_timestamp(${START} + minute * ${MINUTE}), '${ENVIRONMENT}', name, subject,
      (minute * 7919 % 6000) / 100, 'csiflow', 'simulated', NULL, NULL, NULL, NULL
    FROM range(${days * 1_440}) AS minutes(minute), (VALUES ${kinds.join(', ')}) AS kinds(name, subject)
    ORDER BY minute`);
  connection.closeSync();
  instance.closeSync();
  print({ file_mb: Math.round((await stat(path)).size / 1e6) });
  return open();
}

async function filledInfluxDB(folder: string, days: number, address: object): Promise<Sink> {
  const sink = await openSink(influxdb, address, folder);
  for (let minute = 0; minute < days * 1_440; minute += 200) {
    const minutes = Array.from({ length: 200 }, (_, index) => minute + index);
    const failures = await sink.write(minutes.flatMap(measuresOf), 1);
    if (failures.length > 0) throw new Error(failures[0]!.reason);
  }
  return sink;
}

const measuresOf = (minute: number): readonly Measure[] => [
  ...FLAT.map((name) => measureOf(minute, name, null)),
  ...OF_PERSONS.flatMap((name) => PERSONS.map((person) => measureOf(minute, name, person))),
];

const measureOf = (minute: number, name: string, subject: string | null): Measure => ({
  port: 'measure',
  name,
  environment: ENVIRONMENT,
  subject,
  time: START + minute * MINUTE,
  value: ((minute * 7919) % 6_000) / 100,
  source: 'csiflow',
  provenance: { origin: 'simulated' },
});

async function timed(run: () => Promise<unknown>): Promise<object> {
  const found = (await run()) as readonly unknown[];
  const [first, second] = await timedInPairs(run, ROUNDS);
  return { sums: found.length, ...summary(first), control: summary(second) };
}

const round = (value: number): number => Math.round(value * 10) / 10;

const print = (result: object): void => {
  process.stdout.write(`${JSON.stringify(result)}\n`);
};

await main();
