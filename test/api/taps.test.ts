import { afterEach, beforeEach, expect, test } from 'vitest';
import { allocateBlock, csiLayout } from '../../pipeline/model/index.js';
import { fallEvent, FIRST_TIME, poseFrame } from '../support/fake-topology.js';
import { openService, type TestService } from './support.js';

const PATH = '/form-b/api/v1/topologies/test/nodes/routers/records';

interface Answer {
  readonly data: {
    readonly node: string;
    readonly records: readonly object[];
    readonly left_out: number;
    readonly seen: number;
  };
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

test('returns passing records as plain JSON, up to the limit', async () => {
  const { data } = await lookWhile('limit=2', (round) => {
    service.main.publish(poseFrame(round), fallEvent({ time: FIRST_TIME }));
  });
  expect(data.node).toBe('routers');
  expect(data.records).toHaveLength(2);
  expect(data.records).toContainEqual(
    expect.objectContaining({ port: 'event', type: 'fall_detection', time: '2026-01-01T00:00:00.000Z' }),
  );
});

test('drops and counts records that come too soon', async () => {
  const { data } = await lookWhile('limit=2&every_ms=30', (round) => {
    service.main.publish(poseFrame(2 * round), poseFrame(2 * round + 1));
  });
  expect(data.records).toHaveLength(2);
  expect(data.left_out).toBeGreaterThan(0);
});

test('ends when the time is up, with what it has', async () => {
  const response = await service.get(`${PATH}?wait_ms=20`, service.token('operator'));
  expect(await response.json()).toMatchObject({ data: { records: [], left_out: 0, seen: 0 } });
});

test('is not for viewers, knows its nodes, and bounds its parameters', async () => {
  expect((await service.get(PATH, service.token('viewer'))).status).toBe(403);
  const operator = service.token('operator');
  expect((await service.get(PATH.replace('routers', 'nobody'), operator)).status).toBe(404);
  expect((await service.get(`${PATH}?limit=100000`, operator)).status).toBe(422);
  expect((await service.get(`${PATH}?wait_ms=600000`, operator)).status).toBe(422);
});

test('allows eight parallel inspections', async () => {
  const operator = service.token('operator');
  const looks = Array.from({ length: 9 }, () => service.get(`${PATH}?wait_ms=300`, operator));
  const statuses = (await Promise.all(looks)).map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array<number>(8).fill(200), 429]);
});

const where = (expression: string) => `where=${encodeURIComponent(expression)}`;

test('returns the records of one kind that match an expression; others are not counted', async () => {
  const { data } = await lookWhile(
    `limit=2&${where('pose.frame_id >= 3 && size(pose.persons) >= 0')}`,
    (round) => {
      service.main.publish(poseFrame(round), fallEvent({ time: FIRST_TIME }));
    },
  );
  expect(data.records).toHaveLength(2);
  for (const record of data.records) expect(record).toMatchObject({ port: 'pose' });
  expect(
    Math.min(...data.records.map((record) => (record as { frame_id: number }).frame_id)),
  ).toBeGreaterThanOrEqual(3);
  expect(data.seen).toBeGreaterThan(2);
  expect(data).toMatchObject({ problem: null });
});

test('reports why an expression fails for a record, and the position of an error', async () => {
  const { data } = await lookWhile(`wait_ms=100&${where('event.metadata.nowhere == 1')}`, () => {
    service.main.publish(fallEvent({ time: FIRST_TIME }));
  });
  expect(data).toMatchObject({ records: [], problem: expect.stringContaining('no `nowhere`') as string });
  const answer = await service.get(`${PATH}?${where('event.severty == "high"')}`, service.token('operator'));
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain(
    'where, column 7: there is no field `severty` here; did you mean `severity`?',
  );
});

test('returns frames with their values, of one link, on request', async () => {
  const layout = csiLayout({
    ...{ rx: 1, tx: 1, subcarriers: [-1, 1], bandwidthMhz: 20, centreMhz: 2437, training: 'lltf' },
  });
  const block = { ...allocateBlock(layout, 2), values: Float32Array.of(3, 4, 0, -2, 1, 0, 1, 0) };
  block.time.set([FIRST_TIME, FIRST_TIME + 1]);
  block.sequence.set([7, 8]);
  const query = `limit=1&values=true&${where('csi.sequence == 7')}`;
  const { data } = await lookWhile(query, () => {
    service.main.publish(block);
  });
  expect(data.records).toEqual([
    expect.objectContaining({
      ...{ port: 'csi', sequence: 7, indices: [-1, 1] },
      ...{ amplitudes: [[[5, 2]]], phases: [[[0.927, -1.571]]] },
    }),
  ]);
  const operator = service.token('operator');
  expect((await service.get(`${PATH}?values=true&limit=101`, operator)).status).toBe(400);
});
