import { afterEach, beforeEach, expect, test } from 'vitest';
import { fallEvent, FIRST_TIME, poseFrame } from '../support/fake-topology.js';
import { openService, type TestService } from './support.js';

const PATH = '/form-b/api/v1/topologies/test/nodes/routers/records';

interface Answer {
  readonly data: { readonly node: string; readonly records: readonly object[]; readonly left_out: number };
}

let service: TestService;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.close());

/** Sends a request, and publishes records until it is answered. */
async function lookWhile(query: string, publish: (round: number) => void): Promise<Answer> {
  let round = 0;
  const timer = setInterval(() => {
    publish(round++);
  }, 1);
  try {
    const response = await service.get(`${PATH}?${query}`, service.token('operator'));
    expect(response.status).toBe(200);
    return (await response.json()) as Answer;
  } finally {
    clearInterval(timer);
  }
}

test('gives the records that pass, as plain JSON, up to the limit', async () => {
  const { data } = await lookWhile('limit=2', (round) => {
    service.main.publish(poseFrame(round), fallEvent({ time: FIRST_TIME }));
  });
  expect(data.node).toBe('routers');
  expect(data.records).toHaveLength(2);
  expect(data.records).toContainEqual(
    expect.objectContaining({ port: 'event', type: 'fall_detection', time: '2026-01-01T00:00:00.000Z' }),
  );
});

test('leaves out what comes too soon, and counts it', async () => {
  const { data } = await lookWhile('limit=2&every_ms=30', (round) => {
    service.main.publish(poseFrame(2 * round), poseFrame(2 * round + 1));
  });
  expect(data.records).toHaveLength(2);
  expect(data.left_out).toBeGreaterThan(0);
});

test('ends when the time is up, with what there is', async () => {
  const response = await service.get(`${PATH}?wait_ms=20`, service.token('operator'));
  expect(await response.json()).toMatchObject({ data: { records: [], left_out: 0 } });
});

test('is not for viewers, knows its nodes, and bounds what may be asked', async () => {
  expect((await service.get(PATH, service.token('viewer'))).status).toBe(403);
  const operator = service.token('operator');
  expect((await service.get(PATH.replace('routers', 'nobody'), operator)).status).toBe(404);
  expect((await service.get(`${PATH}?limit=100000`, operator)).status).toBe(422);
  expect((await service.get(`${PATH}?wait_ms=600000`, operator)).status).toBe(422);
});

test('eight may look at once', async () => {
  const operator = service.token('operator');
  const looks = Array.from({ length: 9 }, () => service.get(`${PATH}?wait_ms=300`, operator));
  const statuses = (await Promise.all(looks)).map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array<number>(8).fill(200), 429]);
});
