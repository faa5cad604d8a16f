import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { influxdb } from '../../sinks/influxdb/influxdb.js';
import { withDefaults } from '../kit/definition.js';
import { testContext } from '../support/context.js';
import { measure, person, poseFrame, sensedEvent } from '../support/records.js';
import { INFLUX_USERS, startInflux, type InfluxServer } from '../support/servers/influx.js';

// The statements of docs/influxdb.md, on a database that csiflow wrote with the rights that the page
// requires.

const page = readFileSync('docs/influxdb.md', 'utf8');
const queries = [...page.matchAll(/^```sql\n([^]*?)^```/gm)].map(([, text]) => text!);
const grant = /`(GRANT [^`]+)`/.exec(page)![1]!;

const environment = 'ward-3';
/** A minute ago: the queries cover the last hours. */
const time = (Date.now() - 60_000) * 1000;
const PASSWORD = 'csiflow-pw';

let influx: InfluxServer;
beforeAll(async () => {
  influx = await startInflux();
  await influx.execute(`CREATE DATABASE "ward-3"; CREATE USER csiflow WITH PASSWORD '${PASSWORD}'; ${grant}`);
  const config = { url: influx.url, database: 'ward-3', username: 'csiflow', password: PASSWORD };
  const sink = influxdb.create(withDefaults(influxdb, config) as never, testContext().context);
  await sink.open();
  const track = { ...person(0).track!, id: 17 };
  const refused = await sink.write(
    [
      poseFrame(0, { environment, time, persons: [person(0, 0, { track }), person(0, 1)] }),
      sensedEvent(0, { environment, time }),
      sensedEvent(1, { environment, time, source: 'node-1' }),
      measure(0, { environment, time, value: 0.25 }),
      measure(1, { environment, time, value: 0.75, subject: 'link-2' }),
    ],
    1,
  );
  expect(refused).toEqual([]);
  await sink.close();
});
afterAll(() => influx.server.stop());

type Row = Readonly<Record<string, unknown>>;

interface Series {
  readonly tags?: Row;
  readonly columns: readonly string[];
  readonly values: readonly (readonly unknown[])[];
}

/** The rows of an answer, with their tags; without those of empty intervals. */
async function ask(query: string): Promise<readonly Row[]> {
  const parameters = new URLSearchParams({ db: 'ward-3', u: 'admin', p: INFLUX_USERS.admin, q: query });
  const answer = (await (await fetch(`${influx.url}/query?${parameters.toString()}`)).json()) as {
    readonly results: readonly [{ readonly error?: string; readonly series?: readonly Series[] }];
  };
  expect(answer.results[0].error).toBeUndefined();
  return (answer.results[0].series ?? []).flatMap(({ tags, columns, values }) =>
    values
      .filter((row) => row.slice(1).some((value) => value !== null))
      .map((row) => ({ ...tags, ...Object.fromEntries(columns.map((name, at) => [name, row[at]])) })),
  );
}

/** Results of each query, in the order of the page. */
const found: readonly (readonly Row[])[] = [
  [{ mean: 2, max: 2 }],
  [{ severity: 'high', confidence: 0.8125, person: 1, x: 1.234_567_8, y: 2 }],
  [{ posture: 'upright', keypoints: expect.stringMatching(/^(-?\d+,){67}-?\d+$/) as unknown }],
  [
    { subject: 'link-1', mean: 0.25 },
    { subject: 'link-2', mean: 0.75 },
  ],
];

test('the page contains as many queries as are tested here', () => {
  expect(queries).toHaveLength(found.length);
});

test.each(queries.map((query, index) => [query, found[index]] as const))('%s', async (query, rows) => {
  expect(await ask(query)).toMatchObject(rows!);
  expect(await ask(query)).toHaveLength(rows!.length);
});
