import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Sink } from '../../pipeline/component/index.js';
import type { TruthLine } from '../../pipeline/sources/simulator/truth-file.js';
import { duckdb } from '../../sinks/duckdb/duckdb.js';
import { withDefaults } from '../kit/definition.js';
import { testContext } from '../support/context.js';
import { END, fallsOf, FLAT, recording, START, truth } from '../support/flat-hour.js';
import { openService, type TestService } from './support.js';

/** The analytics of an hour with known truth, within the bounds of docs/analytics.md. */

const TICK = 0.2;
const ticks = truth();
let folder: string;
let store: Sink;
let service: TestService;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'csiflow-hour-'));
  store = duckdb.create(
    withDefaults(duckdb, { path: 'hour.duckdb' }) as never,
    testContext({ folder }).context,
  );
  await store.open();
  await store.write(recording(ticks), 1);
  await store.flush();
  service = await openService(undefined, {
    clock: { now: () => END - 1, elapsed: () => performance.now() },
  });
  service.main.readers.set('history', store.reader!);
  Object.assign(service.main.topology, { environments: [FLAT] });
});
afterAll(async () => {
  await service.close();
  await store.close();
  await rm(folder, { recursive: true });
});

const ask = async <T>(path: string): Promise<T> =>
  (await (await service.get(path, service.token('viewer'))).json()) as T;
const domain = async <T>(name: string): Promise<T> =>
  (await ask<{ metrics: T }>(`/form-a/api/v1/analytics/${name}?period=hour`)).metrics;

const seconds = (counts: (line: TruthLine) => boolean): number =>
  TICK * ticks.flat().filter((line) => line.present && counts(line)).length;

const isWithin = (zone: number, [x, y]: readonly [number, number]): boolean => {
  const xs = FLAT.zones[zone]!.polygon.map((corner) => corner[0]!);
  const ys = FLAT.zones[zone]!.polygon.map((corner) => corner[1]!);
  return x >= Math.min(...xs) && x <= Math.max(...xs) && y >= Math.min(...ys) && y <= Math.max(...ys);
};

/** Number of entries into the flat, or a zone. */
const comings = (counts: (line: TruthLine) => boolean): number =>
  ticks.reduce((sum, lines, index) => {
    const came = lines.filter(
      (line) =>
        line.present &&
        counts(line) &&
        !(ticks[index - 1]?.[line.person]?.present && counts(ticks[index - 1]![line.person]!)),
    );
    return sum + came.length;
  }, 0);

/** Durations of the stretches in which a condition held, seconds. */
function stretches(holds: (lines: readonly TruthLine[]) => boolean): number[] {
  const found: number[] = [];
  ticks.forEach((lines, index) => {
    if (!holds(lines)) return;
    if (index === 0 || !holds(ticks[index - 1]!)) found.push(0);
    found[found.length - 1]! += TICK;
  });
  return found;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const range = [START, END].map((time) => new Date(time / 1000).toISOString());
const RANGE = `start_time=${range[0]!}&end_time=${range[1]!}`;
const present = seconds(() => true);

interface Healthcare {
  readonly fall_events: {
    readonly count: number;
    readonly events: readonly { timestamp: string; person_id: number; response_time_seconds: number }[];
  };
  readonly activity_summary: Readonly<Record<string, number>>;
  readonly mobility_score: number;
  readonly sleep_quality: { total_sleep_hours: number; sleep_efficiency: number };
}

test('all falls are there, with the time until help came', async () => {
  const { fall_events: falls } = await domain<Healthcare>('healthcare');
  const expected = fallsOf(ticks).map(({ time, person }) => {
    const next = ticks.findIndex(
      (lines, index) =>
        lines[1]!.time > time && lines[1]!.present && index > 0 && !ticks[index - 1]![1]!.present,
    );
    return [
      new Date(time / 1000).toISOString(),
      person + 1,
      next < 0 ? 0 : (ticks[next]![1]!.time - time) / 1e6,
    ];
  });
  expect(falls.count).toBe(3);
  expect(falls.events.map((fall) => [fall.timestamp, fall.person_id, fall.response_time_seconds])).toEqual(
    expected,
  );
});

test('minutes of activities are right within half a minute an hour', async () => {
  const { activity_summary: found } = await domain<Healthcare>('healthcare');
  const walking = ({ activity }: TruthLine) => activity === 'walk';
  const minutesOf = (posture: string) => seconds((line) => !walking(line) && line.posture === posture) / 60;
  const expected = {
    walking_minutes: seconds(walking) / 60,
    sitting_minutes: minutesOf('sitting'),
    lying_minutes: minutesOf('lying'),
    standing_minutes: minutesOf('upright'),
  };
  for (const [name, minutes] of Object.entries(expected))
    expect(Math.abs(found[name]! - minutes), name).toBeLessThan(0.5);
});

test('mobility is right within 0.1, sleep within half a minute', async () => {
  const { mobility_score: mobility, sleep_quality: sleep } = await domain<Healthcare>('healthcare');
  const isLying = ({ posture }: TruthLine) => posture === 'lying';
  const walking = seconds(({ activity }) => activity === 'walk');
  expect(Math.abs(mobility - walking / (present - seconds(isLying)))).toBeLessThan(0.1);
  const slept = seconds((line) => isLying(line) && isWithin(0, line.root));
  expect(slept).toBeGreaterThan(200);
  expect(Math.abs(sleep.total_sleep_hours * 3600 - slept)).toBeLessThan(30);
});

test('visits and persons are exact, time in zones within a second a coming', async () => {
  const found = await domain<{
    traffic: Readonly<Record<string, number>>;
    zones: readonly { visitor_count: number; avg_dwell_time_minutes: number }[];
    conversion_funnel: object;
  }>('retail');
  expect(found.traffic).toMatchObject({
    ...{ total_visitors: comings(() => true), unique_visitors: 2, peak_hour: '13:00-14:00', peak_count: 2 },
    average_dwell_time_minutes: expect.closeTo(present / 60 / comings(() => true), 2) as number,
  });
  expect(found.conversion_funnel).toEqual({
    ...{ entrance: 2, product_interaction: 2, checkout_area: 2, purchase: 2 },
  });
  found.zones.forEach(({ visitor_count: visitors, avg_dwell_time_minutes: minutes }, zone) => {
    const isThere = (line: TruthLine) => isWithin(zone, line.root);
    expect(Math.abs(60 * minutes * visitors - seconds(isThere))).toBeLessThan(comings(isThere));
  });
});

test('intrusions are those that lasted a second, and their duration is right within a second', async () => {
  const found = await domain<{
    intrusion_events: { count: number; events: readonly { response_time_seconds: number }[] };
    perimeter_monitoring: Readonly<Record<string, number>>;
    crowd_analysis: Readonly<Record<string, number>>;
  }>('security');
  const both = stretches((lines) => lines.every((line) => line.present && isWithin(1, line.root)));
  const { count, events } = found.intrusion_events;
  expect(count).toBeLessThanOrEqual(both.length);
  expect(count).toBeGreaterThanOrEqual(both.filter((length) => length > 2).length);
  const lasted = sum(events.map((event) => event.response_time_seconds));
  expect(Math.abs(lasted - sum(both))).toBeLessThan(both.length);
  const { total_detections: total, authorized_entries: authorised } = found.perimeter_monitoring;
  expect(total).toBeLessThanOrEqual(comings((line) => isWithin(1, line.root)));
  expect(total! - authorised!).toBe(found.perimeter_monitoring['unauthorized_attempts']);
  expect(found.perimeter_monitoring['false_positives']).toBe(0);
  expect(found.crowd_analysis).toEqual({
    max_occupancy: 2,
    average_occupancy: expect.closeTo(present / 3600, 3) as number,
    crowd_formation_events: comings(({ person }) => person === 1),
  });
});

test('occupancy and its distribution are exact', async () => {
  const { data } = await ask<{ data: object }>(`/form-b/api/v1/analytics/occupancy?${RANGE}`);
  const withTwo = stretches((lines) => lines.filter((line) => line.present).length === 2);
  expect(data).toMatchObject({
    summary: {
      average_occupancy: expect.closeTo(present / 3600, 3) as number,
      peak_occupancy: 2,
      total_person_hours: expect.closeTo(present / 3600, 3) as number,
    },
    distribution: {
      '0_persons': 0,
      '1_person': expect.closeTo(100 - sum(withTwo) / 36, 2) as number,
      '2_persons': expect.closeTo(sum(withTwo) / 36, 2) as number,
    },
  });
});

test('the summary counts every frame and every person in it', async () => {
  const { data } = await ask<{ data: object }>(`/form-b/api/v1/analytics/summary?${RANGE}`);
  expect(data).toMatchObject({
    detection_stats: { total_detections: Math.round(present / TICK), unique_persons: 2, peak_occupancy: 2 },
    activity_stats: { fall_detections: 3 },
    system_stats: { uptime_percentage: 100, frames_processed: 18_000, error_count: 0 },
  });
});
