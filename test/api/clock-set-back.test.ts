import { afterEach, beforeEach, expect, test } from 'vitest';
import { FIRST_TIME, person, poseFrame } from '../support/fake-topology.js';
import { openService, type TestService } from './support.js';

/** Frames from an hour later: the clock was ahead when they were stored. */
const AHEAD = 36_000;

let service: TestService;
beforeEach(async () => {
  service = await openService(undefined, {
    clock: { now: () => FIRST_TIME + 60_000_000, elapsed: () => performance.now() },
  });
  service.main.feeds.clear();
});
afterEach(() => service.close());

const get = (path: string) => service.get(`/form-b/api/v1${path}`, service.token('viewer'));

test('the newest pose of a store is not one from a clock that was ahead and was set back', async () => {
  service.main.publish(poseFrame(AHEAD, [person(1, 1, 1)]));
  expect((await get('/pose/latest')).status).toBe(404);
  service.main.publish(poseFrame(10, [person(2, 1, 1)]), poseFrame(11, [person(2, 1, 1)]));
  const { data } = (await (await get('/pose/latest')).json()) as { data: { timestamp: string } };
  expect(Date.parse(data.timestamp) * 1000).toBe(poseFrame(11, []).time);
});

test('nor are the tracked persons', async () => {
  service.main.publish(poseFrame(10, [person(2, 1, 1)]), poseFrame(AHEAD, [person(1, 1, 1)]));
  const statusOf = async (track: number) => {
    const { data } = (await (await get(`/pose/tracking/${track}`)).json()) as { data: { status: string } };
    return data.status;
  };
  expect([await statusOf(1), await statusOf(2)]).toEqual(['ended', 'active']);
});

test('finds the newest pose of a run ahead of the clock, such as a simulation', async () => {
  const { main } = service;
  const status = main.status();
  const nodes = status.nodes.map((node) => ({ ...node, lastRecord: poseFrame(AHEAD, []).time }));
  main.status = () => ({ ...status, nodes });
  main.publish(poseFrame(10, []), poseFrame(AHEAD, []));
  const { data } = (await (await get('/pose/latest')).json()) as { data: { timestamp: string } };
  expect(Date.parse(data.timestamp) * 1000).toBe(poseFrame(AHEAD, []).time);
});
