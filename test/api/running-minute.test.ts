import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  FROM_POSE_FRAMES,
  poseFrameFigures,
} from '../../api/service/queries/analytics/pose-frame-figures.js';
import { Rollups } from '../../api/service/queries/analytics/rollups.js';
import { figuresOver } from '../../api/service/queries/analytics/unmeasured.js';
import type { Reader } from '../../pipeline/component/index.js';
import { FIRST_TIME, person, poseFrame } from '../support/fake-topology.js';
import { openService, type TestService } from './support.js';

let service: TestService;
beforeEach(async () => {
  service = await openService(undefined, {
    clock: { now: () => FIRST_TIME + 90_000_000, elapsed: () => performance.now() },
  });
});
afterEach(() => service.close());

const iso = (time: number) => new Date(time / 1000).toISOString();

async function dataOf(path: string): Promise<Record<string, Record<string, unknown>>> {
  const response = await service.get(path, service.token('viewer'));
  expect(response.status).toBe(200);
  return ((await response.json()) as { data: Record<string, Record<string, unknown>> }).data;
}

async function summaryOf(start: number, end: number): Promise<Record<string, Record<string, unknown>>> {
  const range = `start_time=${iso(start)}&end_time=${iso(end)}`;
  return dataOf(`/form-b/api/v1/analytics/summary?${range}`);
}

/** Stores measures, as `watch-zones` does. */
function measured(
  time: number,
  values: Readonly<Record<string, number>>,
  subject: string | null = null,
): void {
  const from = { port: 'measure', environment: 'test-room', source: 'csiflow' } as const;
  for (const [name, value] of Object.entries(values))
    service.main.measures.push({ ...from, subject, name, value, time, provenance: { origin: 'live' } });
}

/** Ten per second, of two people. */
const frames = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) =>
    poseFrame(from + index, [person(1, 1, 1), person(2, 3, 2)]),
  );

test('the current minute counts before anything is measured', async () => {
  service.main.publish(...frames(0, 291));
  const { detection_stats, system_stats } = await summaryOf(FIRST_TIME - 30_000_000, FIRST_TIME + 30_000_000);
  expect(detection_stats).toMatchObject({ total_detections: 582, unique_persons: 2, peak_occupancy: 2 });
  expect(detection_stats!['average_confidence']).toBeCloseTo(0.8, 3);
  expect(system_stats).toMatchObject({ frames_processed: 291, uptime_percentage: 100 });
});

test('it also counts beside rows from a clock that was ahead', async () => {
  service.main.publish(...frames(0, 291), ...frames(36_000, 36_010));
  const { system_stats } = await summaryOf(FIRST_TIME - 30_000_000, FIRST_TIME + 30_000_000);
  expect(system_stats).toMatchObject({ frames_processed: 291 });
});

test('a measured minute counts once; one that starts before the range counts in part', async () => {
  service.main.publish(...frames(0, 900));
  measured(FIRST_TIME, { frames: 600, detections: 1200 });
  const whole = await summaryOf(FIRST_TIME, FIRST_TIME + 90_000_000);
  expect(whole['system_stats']).toMatchObject({ frames_processed: 900 });
  const last = await summaryOf(FIRST_TIME + 30_000_000, FIRST_TIME + 90_000_000);
  expect(last['system_stats']).toMatchObject({ frames_processed: 600 });
  expect(last['detection_stats']).toMatchObject({ total_detections: 1200, unique_persons: 2 });
});

test.each([0, 1, 2, 3, 4, 5])('a minute that is measured before read %d counts once', async (before) => {
  const minute = 60_000_000;
  const poses = frames(0, 900);
  let reads = 0;
  const within = ({ start = 0, end = Infinity }, time: number) => time >= start && time < end;
  const reader: Partial<Reader> = {
    range: () => Promise.resolve({ start: FIRST_TIME, end: poses.at(-1)!.time }),
    poses: (query) => Promise.resolve((reads++, poses.filter(({ time }) => within(query, time)))),
    aggregates: (query) => {
      const [sum, known] = [600, reads++ >= before && within(query, FIRST_TIME)];
      const row = { name: 'frames', subject: null, start: FIRST_TIME, count: 1, sum, min: sum, max: sum };
      return Promise.resolve(known ? [row] : []);
    },
  };
  const { main } = service;
  const figures = await figuresOver(
    reader as Reader,
    main.topology.environments[0]!,
    { start: FIRST_TIME, end: FIRST_TIME + 2 * minute },
    FIRST_TIME + 2 * minute,
    (range) => reader.aggregates!({ environment: 'test-room', names: ['frames'], bucket: minute, ...range }),
  );
  expect(new Rollups([...figures.measured, ...figures.running]).sum('frames')).toBe(900);
});

test.each([
  ['begins in a minute', 30, 30],
  ['begins with a minute', 0, 0],
])('the peak is that of the first minute if the range %s', async (_, from, peak) => {
  service.main.publish(...frames(0, 900));
  for (const time of [FIRST_TIME, FIRST_TIME + 60e6]) measured(time, { frames: 2, occupancy_peak: 2 });
  const range = `start_time=${iso(FIRST_TIME + from * 1e6)}&end_time=${iso(FIRST_TIME + 90e6)}`;
  const { summary } = await dataOf(`/form-b/api/v1/analytics/occupancy?${range}&interval=5min`);
  expect(summary).toMatchObject({ peak_occupancy: 2, peak_time: iso(FIRST_TIME + peak * 1e6) });
});

test('a lost person counts as present in the current minute, and is not in sight', async () => {
  const { track } = person(1, 1, 1);
  const lost = person(1, 1, 1, { track: { ...track!, state: 'lost' } });
  service.main.publish(
    ...Array.from({ length: 101 }, (_, index) =>
      poseFrame(index, [index < 50 ? person(1, 1, 1, { confidence: 0.3 }) : lost]),
    ),
  );
  const range = `start_time=${iso(FIRST_TIME)}&end_time=${iso(FIRST_TIME + 10e6)}`;
  const { distribution } = await dataOf(`/form-b/api/v1/analytics/occupancy?${range}`);
  expect(distribution).toMatchObject({ '0_persons': 0, '1_person': 100 });
  const { detection_stats } = await summaryOf(FIRST_TIME, FIRST_TIME + 10e6);
  expect(detection_stats).toMatchObject({ total_detections: 50 });
});

test('a minute without pose frames leaves later ones measured', async () => {
  service.main.publish(...frames(0, 100), ...frames(700, 900));
  measured(FIRST_TIME + 60e6, { frames: 200, detections: 7 });
  const { detection_stats } = await summaryOf(FIRST_TIME, FIRST_TIME + 90e6);
  expect(detection_stats).toMatchObject({ total_detections: 7 });
});

test('an arrival in the current minute is a visit', async () => {
  service.main.publish(...frames(0, 300));
  for (const seconds of [1, 20]) measured(FIRST_TIME + seconds * 1e6, { person_entered: 1 }, '1');
  const response = await service.get(
    '/form-a/api/v1/analytics/retail?period=hour&metrics=traffic',
    service.token('viewer'),
  );
  expect(await response.json()).toMatchObject({ metrics: { traffic: { total_visitors: 3 } } });
});

test('what was never in sight is nobody once it is lost', async () => {
  const { track } = person(1, 1, 1);
  const faint = (state: 'active' | 'lost') =>
    person(1, 1, 1, { confidence: 0.1, track: { ...track!, state } });
  service.main.publish(
    ...Array.from({ length: 101 }, (_, index) => poseFrame(index, [faint(index < 50 ? 'active' : 'lost')])),
  );
  const range = `start_time=${iso(FIRST_TIME)}&end_time=${iso(FIRST_TIME + 10e6)}`;
  const { distribution } = await dataOf(`/form-b/api/v1/analytics/occupancy?${range}`);
  expect(distribution).toMatchObject({ '0_persons': 100 });
});

test('pose frames give only measures that are known as theirs', () => {
  const poseFrames = frames(0, 10);
  const [environment] = service.main.topology.environments;
  const range = { start: FIRST_TIME, end: FIRST_TIME + 1e6 };
  const names = poseFrameFigures(environment!, range, poseFrames).map(({ name }) => name);
  expect(names.filter((name) => !FROM_POSE_FRAMES.has(name))).toEqual([]);
});

test('occupancy includes the current minute', async () => {
  service.main.publish(...frames(0, 290));
  service.main.publish(...Array.from({ length: 100 }, (_, index) => poseFrame(290 + index, [])));
  const range = `start_time=${iso(FIRST_TIME - 30_000_000)}&end_time=${iso(FIRST_TIME + 90_000_000)}`;
  const { summary, time_series, distribution } = await dataOf(
    `/form-b/api/v1/analytics/occupancy?${range}&interval=5min`,
  );
  expect(summary).toMatchObject({
    average_occupancy: 1.491,
    peak_occupancy: 2,
    peak_time: iso(FIRST_TIME),
    total_person_hours: 0.016,
  });
  expect(time_series).toMatchObject([{ timestamp: iso(FIRST_TIME), occupancy: 1 }]);
  expect(distribution).toMatchObject({ '0_persons': 25.45, '2_persons': 74.55 });
});

test.each([
  ['security', { crowd_analysis: { max_occupancy: 2, average_occupancy: 2 } }],
  ['healthcare', { mobility_score: 1 }],
  ['retail', { traffic: { total_visitors: 2, unique_visitors: 2, peak_hour: '00:00-01:00', peak_count: 2 } }],
])('%s of an hour that has just begun includes the current minute', async (domain, metrics) => {
  service.main.publish(...frames(0, 300));
  const response = await service.get(
    `/form-a/api/v1/analytics/${domain}?period=hour`,
    service.token('viewer'),
  );
  expect(await response.json()).toMatchObject({ metrics });
});
