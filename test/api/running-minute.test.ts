import { afterEach, beforeEach, expect, test } from 'vitest';
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

async function summaryOf(start: number, end: number): Promise<Record<string, Record<string, unknown>>> {
  const range = `start_time=${iso(start)}&end_time=${iso(end)}`;
  const response = await service.get(`/form-b/api/v1/analytics/summary?${range}`, service.token('viewer'));
  return ((await response.json()) as { data: Record<string, Record<string, unknown>> }).data;
}

/** Ten a second, of two people. */
const frames = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) =>
    poseFrame(from + index, [person(1, 1, 1), person(2, 3, 2)]),
  );

test('the running minute counts before anything is measured', async () => {
  service.main.publish(...frames(0, 291));
  const { detection_stats, system_stats } = await summaryOf(FIRST_TIME - 30_000_000, FIRST_TIME + 30_000_000);
  expect(detection_stats).toMatchObject({ total_detections: 582, unique_persons: 2, peak_occupancy: 2 });
  expect(detection_stats!['average_confidence']).toBeCloseTo(0.8, 3);
  expect(system_stats).toMatchObject({ frames_processed: 291, uptime_percentage: 100 });
});

test('a measured minute counts once; of one that begins before the range, what lies in it', async () => {
  service.main.publish(...frames(0, 900));
  const measured = { port: 'measure', environment: 'test-room', subject: null, source: 'csiflow' } as const;
  for (const [name, value] of [
    ['frames', 600],
    ['detections', 1200],
  ] as const)
    service.main.measures.push({
      ...measured,
      ...{ name, value, time: FIRST_TIME, provenance: { origin: 'live' } },
    });
  const whole = await summaryOf(FIRST_TIME, FIRST_TIME + 90_000_000);
  expect(whole['system_stats']).toMatchObject({ frames_processed: 900 });
  const last = await summaryOf(FIRST_TIME + 30_000_000, FIRST_TIME + 90_000_000);
  expect(last['system_stats']).toMatchObject({ frames_processed: 600 });
  expect(last['detection_stats']).toMatchObject({ total_detections: 1200, unique_persons: 2 });
});
