import { afterAll, beforeAll, expect, test } from 'vitest';
import { grafanaQuery, readDashboard } from '../support/dashboards.js';
import { startInflux3, type Influx3Server } from '../support/servers/influx3.js';

let influx: Influx3Server;
const HOUR = 3_600_000;

/** Nights in which the clock changes: a minute of lying in each half hour, and a fall in each hour. */
const NIGHTS = [
  ['Europe/Berlin', '2026-10-24T22:00Z', 27],
  ['Europe/Berlin', '2026-03-28T23:00Z', 25],
  ['America/Santiago', '2026-09-05T04:00Z', 48],
] as const;

beforeAll(async () => {
  influx = await startInflux3();
  const lines = NIGHTS.flatMap(([, start, hours]) =>
    Array.from({ length: 2 * hours }, (_, half) => {
      const time = `${Date.parse(start) + (half * HOUR) / 2}000000`;
      const tags = 'environment=flat,origin=live,source=csiflow';
      const minute = `measure,${tags},name=lying_seconds value=60 ${time}`;
      return half % 2 > 0 ? minute : `${minute}\nevent,${tags},type=fall_detection id="${half}" ${time}`;
    }),
  );
  const written = await post('write_lp?db=csi', lines.join('\n'));
  expect(written.status).toBe(204);
}, 60_000);
afterAll(() => influx.server.stop());

const post = (path: string, body: string): Promise<Response> =>
  fetch(`${influx.url}/api/v3/${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${influx.token}`, 'Content-Type': 'application/json' },
    body,
  });

/** The bars of a panel over a night. */
async function barsOf(title: string, night: number, sums: string) {
  const [timezone, start, hours] = NIGHTS[night]!;
  const from = Date.parse(start);
  const { panels } = await readDashboard('people-and-falls', 'influxdb3');
  const q = grafanaQuery(
    panels.find((panel) => panel.title === title)!,
    {
      ...{ from, to: from + hours * HOUR - 1, points: 100 },
      variables: { environment: ['flat'], origin: ['live'], sums, timezone },
    },
  );
  const answer = await post('query_sql', JSON.stringify({ db: 'csi', q, format: 'json' }));
  const text = await answer.text();
  expect(answer.status, text).toBe(200);
  return (JSON.parse(text) as { time: string; value?: number; falls?: number }[]).map(
    ({ time, value, falls }) => [time.slice(0, 16), value ?? falls],
  );
}

const LYING = 'Lying, minutes per $sums';

test('both of the hours that a clock shows twice have a bar', async () => {
  expect((await barsOf(LYING, 0, '1h')).slice(1, 5)).toEqual([
    ['2026-10-24T23:00', 2],
    ['2026-10-25T00:00', 2],
    ['2026-10-25T01:00', 2],
    ['2026-10-25T02:00', 2],
  ]);
});

test.each([
  [
    'of 25 hours',
    0,
    [
      ['2026-10-24T22:00', 25],
      ['2026-10-25T23:00', 2],
    ],
  ],
  [
    'of 23 hours',
    1,
    [
      ['2026-03-28T23:00', 23],
      ['2026-03-29T22:00', 2],
    ],
  ],
  [
    'without a midnight',
    2,
    [
      ['2026-09-05T04:00', 24],
      ['2026-09-06T04:00', 23],
      ['2026-09-07T03:00', 1],
    ],
  ],
] as const)('a day %s is one bar from its first moment', async (_, night, hours) => {
  expect(await barsOf(LYING, night, '1d')).toEqual(hours.map(([time, count]) => [time, 2 * count]));
  expect(await barsOf('Falls per day', night, '1d')).toEqual(hours);
});
