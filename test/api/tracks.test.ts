import { Value } from 'typebox/value';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ENDPOINTS } from '../../api/rest/endpoints.js';
import { TrackSummary } from '../../api/rest/pose/track-summary.js';
import { fallEvent, FIRST_TIME, person, poseFrame } from '../support/fake-topology.js';
import { openService, type TestService } from './support.js';

const B = '/form-b/api/v1';
let service: TestService;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.close());

const get = async (path: string) => {
  const response = await service.get(B + path, service.token('viewer'));
  return { status: response.status, body: (await response.json()) as { data: never; pagination?: unknown } };
};
const schemaOf = (path: string) => ENDPOINTS.find((endpoint) => endpoint.path === path)!.b!.response;
const iso = (frames: number) => encodeURIComponent(new Date(FIRST_TIME / 1000 + frames * 100).toISOString());

/** A tracked person at this speed along x, metres per second. */
const at = (id: number, x: number, y: number, speed: number) => {
  const { track } = person(id, x, y);
  return person(id, x, y, { track: { ...track!, velocity: { x: speed, y: 0 } } });
};

/** Ten frames at one metre per second along x, then ten of rest. */
function walkThenRest(): void {
  for (let index = 0; index < 20; index++)
    service.main.publish(
      poseFrame(index, [at(7, Math.min(index, 10) / 10, 2, index <= 10 ? 1 : 0), person(8, 4, 4)]),
    );
}

test('a track has times, distance and speed', async () => {
  walkThenRest();
  const { status, body } = await get('/pose/tracking/7');
  expect(status).toBe(200);
  expect(Value.Check(schemaOf('/pose/tracking/:track_id'), body.data)).toBe(true);
  expect(body.data).toEqual({
    track_id: 7,
    person_id: 7,
    first_seen: '2026-01-01T00:00:00.000Z',
    last_seen: '2026-01-01T00:00:01.900Z',
    duration_seconds: 1.9,
    total_frames: 20,
    average_confidence: 0.8,
    status: 'active',
    statistics: { movement_distance: 1, average_speed: 0.526, time_stationary: 0.9, time_moving: 1 },
  });
});

test('positions that differ from frame to frame are no movement while the track keeps still', async () => {
  for (let index = 0; index < 20; index++)
    service.main.publish(poseFrame(index, [at(7, 2 + (index % 2) / 20, 2, 0.19)]));
  const { body } = await get('/pose/tracking/7');
  expect(body.data).toMatchObject({
    statistics: { movement_distance: 0, average_speed: 0, time_stationary: 1.9, time_moving: 0 },
  });
});

test('a track has its trajectory on request, in the requested range', async () => {
  walkThenRest();
  const { body } = await get(
    `/pose/tracking/7?include_trajectory=true&start_time=${iso(2)}&end_time=${iso(4)}`,
  );
  expect((body.data as { trajectory: unknown }).trajectory).toEqual([
    { timestamp: '2026-01-01T00:00:00.200Z', center_x: 0.2, center_y: 2, confidence: 0.8 },
    { timestamp: '2026-01-01T00:00:00.300Z', center_x: 0.3, center_y: 2, confidence: 0.8 },
  ]);
});

test('a track absent from the newest frame has ended', async () => {
  walkThenRest();
  service.main.publish(poseFrame(20, []));
  expect((await get('/pose/tracking/7')).body.data).toMatchObject({ status: 'ended' });
});

test.each([
  ['99', 404],
  ['abc', 422],
  ['-1', 422],
  ['7.5', 422],
])('track %s is answered %d', async (id, status) => {
  walkThenRest();
  expect((await get(`/pose/tracking/${id}`)).status).toBe(status);
});

test('a trajectory is bounded, and even in time', () => {
  const summary = new TrackSummary();
  for (let index = 0; index < 35_000; index++)
    summary.add({ time: index * 1e5, frameId: index, environment: 'a', person: person(1, 0, 0) });
  const steps = summary.trajectory.slice(1).map(({ time }, at) => time - summary.trajectory[at]!.time);
  expect(summary.trajectory.length).toBeLessThanOrEqual(10_000);
  expect(new Set(steps)).toEqual(new Set([4e5]));
});

test('events can be filtered, and come in pages', async () => {
  service.main.publish(
    fallEvent(),
    fallEvent({ id: 'b', type: 'zone_entered', severity: 'low', time: FIRST_TIME + 1e6 }),
    fallEvent({ id: 'c', type: 'intrusion', person: null, time: FIRST_TIME + 2e6 }),
  );
  const ids = async (query: string) =>
    ((await get(`/analytics/events${query}`)).body.data as { event_id: string }[]).map(
      (event) => event.event_id,
    );
  expect(await ids('')).toEqual(['test-room/fall_detection/1', 'b', 'c']);
  expect(await ids('?event_type=fall')).toEqual(['test-room/fall_detection/1']);
  expect(await ids('?event_type=alert')).toEqual(['test-room/fall_detection/1', 'c']);
  expect(await ids('?severity=low')).toEqual(['b']);
  expect(await ids('?per_page=1&page=3')).toEqual(['c']);
  expect(await ids(`?start_time=${iso(10)}&end_time=${iso(20)}`)).toEqual(['b']);
  const { body } = await get('/analytics/events');
  expect(Value.Check(schemaOf('/analytics/events'), body.data)).toBe(true);
  expect((await get('/analytics/events?event_type=dance')).status).toBe(422);
});
