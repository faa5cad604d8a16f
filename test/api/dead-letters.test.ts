import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DeadLetter } from '../../pipeline/state/index.js';
import { fallEvent, poseFrame } from '../support/fake-topology.js';
import { openService, type TestService } from './support.js';

const BASE = '/form-b/api/v1/topologies/test/dead-letters';

let service: TestService;
beforeEach(async () => {
  service = await openService();
  service.main.deadLetters = [1, 2, 3, 4, 5].map((id) => letter(id, id < 4 ? 'history' : 'alerts'));
});
afterEach(() => service.close());

const letter = (id: number, node: string): DeadLetter => ({
  id,
  node,
  stage: 'write',
  code: 'store.value.invalid',
  reason: 'it is refused',
  record: fallEvent({ id: `fall-${id}` }),
  at: 1_700_000_000_000_000,
  epoch: 7,
  attempts: 1,
  replayAsked: false,
});

const json = async (response: Response) => (await response.json()) as { data: unknown };

test('lists them in pages, without their records', async () => {
  const answer = await json(await service.get(`${BASE}?page=2&per_page=2`, service.token('viewer')));
  expect(answer).toMatchObject({
    data: [
      { id: 3, node: 'history', code: 'store.value.invalid', port: 'event', at: '2023-11-14T22:13:20.000Z' },
      { id: 4, node: 'alerts' },
    ],
    pagination: { page: 2, per_page: 2, total: 5, has_next: true },
  });
  expect(JSON.stringify(answer)).not.toContain('fall-3');
});

test('lists those of a node', async () => {
  const answer = await json(await service.get(`${BASE}?node=alerts`, service.token('viewer')));
  expect(answer).toMatchObject({ data: [{ id: 4 }, { id: 5 }], pagination: { total: 2 } });
});

test('shows one with its record; an unknown one is not found', async () => {
  const token = service.token('viewer');
  const answer = await json(await service.get(`${BASE}/3`, token));
  expect(answer).toMatchObject({ data: { id: 3, record: { id: 'fall-3', type: 'fall_detection' } } });
  expect((await service.get(`${BASE}/99`, token)).status).toBe(404);
});

test('replays selected letters, those of a node, or all', async () => {
  const token = service.token('operator');
  const replay = async (body: object) => json(await service.post(`${BASE}/replay`, body, token));
  expect(await replay({ ids: [2, 99] })).toMatchObject({ data: { replayed: [2], refused: [] } });
  expect(await replay({ node: 'alerts' })).toMatchObject({ data: { replayed: [4, 5] } });
  expect(await replay({})).toMatchObject({ data: { replayed: [1, 2, 3, 4, 5] } });
});

test('drops one, or those of a node', async () => {
  const drop = (path: string) =>
    fetch(service.server.address + path, {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${service.token('operator')}` },
    });
  expect((await drop(`${BASE}/1`)).status).toBe(204);
  expect((await drop(`${BASE}/1`)).status).toBe(404);
  expect(await json(await drop(`${BASE}?node=alerts`))).toMatchObject({ data: { dropped: 2 } });
  expect(service.main.deadLetters.map(({ id }) => id)).toEqual([2, 3]);
  expect(await json(await drop(`${BASE}?ids=3,99`))).toMatchObject({ data: { dropped: 1 } });
  expect(service.main.deadLetters.map(({ id }) => id)).toEqual([2]);
  expect((await drop(`${BASE}?ids=`)).status).toBe(422);
});

test('a viewer may look, but neither replay nor drop', async () => {
  const token = service.token('viewer');
  expect((await service.post(`${BASE}/replay`, {}, token)).status).toBe(403);
  const dropped = await fetch(service.server.address + BASE, {
    method: 'DELETE',
    headers: { Authorization: `Bearer ${token}` },
  });
  expect(dropped.status).toBe(403);
});

describe('with anonymity, a rejected record is shown only if it can be anonymized', () => {
  const anonymous = {
    dataRetentionDays: null,
    anonymizeData: true,
    enableEncryption: false,
    key: 'k'.repeat(32),
  };
  const { metadata, ...bare } = fallEvent({ person: 7, location: { x: 1.234, y: 2.345, z: 0 } });
  const frame = poseFrame(1);
  const { position, ...nowhere } = frame.persons[0]!;
  const { port, ...portless } = frame;

  async function shown(record: unknown): Promise<{ status: number; record: unknown; body: string }> {
    const { topology } = service.main;
    service.main.topology = { ...topology, settings: { ...topology.settings, privacy: anonymous } };
    service.main.deadLetters = [{ ...letter(1, 'an-operator'), record }];
    const response = await service.get(`${BASE}/1`, service.token('viewer'));
    const body = await response.text();
    const { data } = JSON.parse(body) as { data: { record: unknown } };
    return { status: response.status, record: data.record, body };
  }

  test.each<[string, unknown]>([
    ['an event without metadata', bare],
    ['an event whose metadata is null', { ...bare, metadata: null }],
    ['an event with a field of its own', { ...bare, metadata, name: 'Ada' }],
    ['an event whose person is a name', { ...bare, metadata, person: 'Ada' }],
    ['a frame without a port', portless],
    ['a person without a position', { ...frame, persons: [nowhere] }],
    ['a person with a field of its own', { ...frame, persons: [{ ...nowhere, position, name: 'Ada' }] }],
    ['a port that there is not', { ...portless, port: `${port} of Ada` }],
    ['raw input', Uint8Array.of(1, 2, 3)],
    ['a text', 'Ada'],
  ])('%s: null', async (_, record) => {
    const { status, body, ...answer } = await shown(record);
    expect(status, body).toBe(200);
    expect(answer.record).toBeNull();
    expect(body).not.toContain('Ada');
  });

  test('a frame with probabilities of numbers of people, and ignored links: as published', async () => {
    const { record } = await shown({
      ...frame,
      counts: [0.1, 0.8, 0.1],
      leftOut: [{ link: 'link-1', fault: 'noise' }],
    });
    expect(record).toMatchObject({ port: 'pose', counts: [0.1, 0.8, 0.1] });
  });

  test('an entire event and an entire frame: as published', async () => {
    const event = await shown({ ...bare, metadata: { ...metadata, note: 'Ada' } });
    expect(event.record).toMatchObject({ type: 'fall_detection', location: { x: 1, y: 2.5, z: 0 } });
    expect(event.body).not.toContain('Ada');
    expect(event.record).not.toMatchObject({ person: 7 });
    const { record } = await shown(frame);
    expect(record).toMatchObject({ port: 'pose', persons: [{ keypoints: [], heading: null }] });
  });

  test('a list shows no port that does not exist', async () => {
    await shown({ port: 'Ada' });
    const list = await (await service.get(BASE, service.token('viewer'))).text();
    expect(list).not.toContain('Ada');
  });
});
