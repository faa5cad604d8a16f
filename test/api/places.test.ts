import { afterEach, beforeEach, expect, test } from 'vitest';
import { TooManyRows } from '../../pipeline/component/index.js';
import { person, poseFrame } from '../support/fake-topology.js';
import { openService, type TestService } from './support.js';

let service: TestService;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.close());

interface Answer {
  readonly data?: { readonly cells: readonly object[]; readonly cell_m: number };
  readonly error?: { readonly message: string; readonly details: { readonly field?: string } };
}

const ask = async (query: string): Promise<{ readonly status: number; readonly body: Answer }> => {
  const range = 'start_time=2026-01-01T00:00:00Z&end_time=2026-01-01T00:02:00Z';
  const answer = await service.get(`/form-b/api/v1/pose/places?${range}&${query}`, service.token('viewer'));
  return { status: answer.status, body: (await answer.json()) as Answer };
};

test('sums up how long people were in each cell', async () => {
  // Ten frames a second: a minute beside the door, then half a minute with a second person by the window.
  for (let index = 0; index < 900; index++) {
    const window = index < 600 ? [] : [person(2, 4.1, 3.6)];
    const lost = person(3, 2, 2);
    const gone = { ...lost, track: { ...lost.track!, state: 'lost' as const } };
    service.main.publish(poseFrame(index, [person(1, 0.6, 0.2), ...window, gone]));
  }
  const { status, body } = await ask('cell_m=0.5');
  expect(status).toBe(200);
  expect(body.data?.cells).toEqual([
    { x: 0.75, y: 0.25, seconds: 90 },
    { x: 4.25, y: 3.75, seconds: 30 },
  ]);
});

test('a range without frames has no cells', async () => {
  const { body } = await ask('');
  expect(body.data).toMatchObject({ cell_m: 0.25, cells: [] });
});

test('refuses cells that are too many, and a range that its store cannot sum up', async () => {
  service.main.topology = {
    ...service.main.topology,
    environments: [{ ...service.main.topology.environments[0]!, size: { x: 50, y: 40, z: 3 } }],
  };
  const small = await ask('cell_m=0.1');
  expect(small.status).toBe(422);
  expect(small.body.error?.message).toContain('use 0.45 or more');
  service.main.reader.places = () => Promise.reject(new TooManyRows(400_000));
  const long = await ask('cell_m=1');
  expect(long.status).toBe(400);
  expect(long.body.error?.message).toContain('more than 400000 rows: use a shorter one');
});
