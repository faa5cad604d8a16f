import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Type } from 'typebox';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { inferPose } from '../../operators/infer-pose/infer-pose.js';
import { detectMotion } from '../../operators/detect-motion/detect-motion.js';
import { reductionOf } from '../../operators/infer-pose/model/calibration.js';
import { defineOperator } from '../../pipeline/component/index.js';
import type { Measure, Window } from '../../pipeline/model/index.js';
import { simulatedWindow } from '../../bench/shared/simulated-window.js';
import type { FakeTopology } from '../support/fake-topology.js';
import { swinging } from '../support/swinging.js';
import { openService, UNLIMITED, type TestService } from './support.js';

const PATH = '/form-b/api/v1/environments/room-1/calibration';
const { environment, window } = simulatedWindow(1, { persons: 0, id: 'room-1' });
const SECOND = 1_000_000;

let folder: string;
let main: FakeTopology;
let service: TestService;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'csiflow-calibrations-'));
  service = await openService(UNLIMITED);
  ({ main } = service);
  const node = { queue: null, secrets: [], hash: '' };
  main.topology = {
    ...main.topology,
    folder,
    environments: [environment],
    nodes: [
      {
        ...node,
        id: 'motion',
        component: detectMotion,
        config: {},
        inputs: [{ from: 'windows', ports: ['window'] }],
      },
      {
        ...node,
        id: 'poses',
        component: inferPose,
        config: { calibration: 'room.json' },
        inputs: [{ from: 'windows', ports: ['window'] }],
      },
    ],
  };
});
afterEach(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

async function call(method: string, path = '', body?: object) {
  const response = await fetch(service.server.address + PATH + path, {
    method,
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${service.token('operator')}` },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const answer = (text === '' ? {} : JSON.parse(text)) as {
    readonly data: Record<string, unknown>;
    readonly error: { readonly message: string };
  };
  return { status: response.status, ...answer };
}

const start = (seconds = 2, more = {}) => call('POST', '', { seconds, ...more });
/** A window of the empty room, so many seconds after the first. */
const at = (seconds: number, links = window.links): Window => ({
  ...window,
  start: window.start + seconds * SECOND,
  links,
});
const presence = (seconds: number, value: number): Measure => ({
  ...{ port: 'measure', name: 'presence_probability', environment: 'room-1', subject: null },
  ...{ time: window.start + seconds * SECOND, value, source: 'csiflow', provenance: { origin: 'simulated' } },
});

test('a measurement shows its progress and result, and is used when it is saved', async () => {
  expect((await call('GET')).data).toMatchObject({ state: 'none', file: 'room.json' });
  expect(await start()).toMatchObject({ status: 202, data: { state: 'measuring', heard_seconds: 0 } });
  main.publish(at(0), at(1));
  expect((await call('GET')).data).toMatchObject({ state: 'measuring', heard_seconds: 1, seconds: 2 });
  main.publish(presence(1, 0.1), at(2));
  const { data } = await call('GET');
  expect(data).toMatchObject({ state: 'measured', heard_seconds: 2, presence_seconds: 0 });
  expect(data['links']).toEqual(environment.links.map(({ id }) => ({ id, heard: true, change_db: null })));
  expect((await call('POST', '/save')).data).toMatchObject({ state: 'saved' });
  const { profiles } = JSON.parse(readFileSync(join(folder, 'room.json'), 'utf8')) as { profiles: object };
  expect(Object.keys(profiles)).toEqual(environment.links.map(({ id }) => id));
});

test('a second measurement shows how much each link differs; silent links keep their profile', async () => {
  await start();
  main.publish(at(0), at(2));
  await call('POST', '/save');
  main.state = 'running';
  const before = JSON.parse(readFileSync(join(folder, 'room.json'), 'utf8')) as {
    profiles: Record<string, number[]>;
  };
  await start();
  const louder = window.links
    .slice(1)
    .map((link) => ({ ...link, values: link.values.map((value) => 2 * value) }));
  main.publish(at(0, louder), at(2, louder));
  const { data } = await call('GET');
  const [silent, loud] = data['links'] as { heard: boolean; change_db: number | null }[];
  expect(silent).toMatchObject({ heard: false, change_db: null });
  expect(loud!.change_db).toBeCloseTo(20 * Math.log10(2), 2);
  await call('POST', '/save');
  const after = JSON.parse(readFileSync(join(folder, 'room.json'), 'utf8')) as typeof before;
  const [first, second] = environment.links.map(({ id }) => id) as [string, string];
  expect(after.profiles[first]).toEqual(before.profiles[first]);
  expect(after.profiles[second]).not.toEqual(before.profiles[second]);
});

describe('one who walks', () => {
  const walk = (seconds = 2) => start(seconds, { who: 'walker' });
  const walked = swinging(window.links);
  const saved = () =>
    JSON.parse(readFileSync(join(folder, 'room.json'), 'utf8')) as Record<string, Record<string, unknown>>;

  async function measureEmpty(): Promise<void> {
    await start();
    main.publish(at(0), at(2));
    expect((await call('POST', '/save')).status).toBe(200);
    main.state = 'running';
  }

  test('is measured after the empty room only', async () => {
    const { status, error } = await walk();
    expect(status).toBe(409);
    expect(error.message).toContain('room-1 has no empty room yet: measure it first');
  });

  test('is measured, and saved beside the empty room', async () => {
    await measureEmpty();
    expect(await walk()).toMatchObject({
      status: 202,
      data: { who: 'walker', echo_db: null, reduced_db: null },
    });
    main.publish(at(0, walked), at(1, walked));
    expect((await call('GET')).data).toMatchObject({ state: 'measuring', echo_db: null });
    main.publish(at(2, walked));
    const { data } = await call('GET');
    expect(data).toMatchObject({ state: 'measured', who: 'walker', echo_db: expect.any(Number) as number });
    expect(data['reduced_db']).toBe(reductionOf(data['echo_db'] as number));
    expect(data['links']).toEqual(environment.links.map(({ id }) => ({ id, heard: true, change_db: null })));
    expect((await call('POST', '/save')).data).toMatchObject({ state: 'saved' });
    expect(saved()['echoes']).toEqual({ 'room-1': data['echo_db'] });
    expect(Object.keys(saved()['profiles']!)).toEqual(environment.links.map(({ id }) => id));
  });

  test('stays in the file when the empty room is measured again', async () => {
    await measureEmpty();
    await walk();
    main.publish(at(0, walked), at(2, walked));
    await call('POST', '/save');
    main.state = 'running';
    const { echoes } = saved();
    await measureEmpty();
    expect(saved()['echoes']).toEqual(echoes);
  });

  test('is asked to walk if nothing moved', async () => {
    await measureEmpty();
    await walk();
    const still = window.links.map((link) => ({ ...link, values: link.values.map(() => 1) }));
    main.publish(at(0, still), at(2, still));
    const { data } = await call('GET');
    expect(data).toMatchObject({ state: 'failed', echo_db: null });
    expect(data['problem']).toContain('hardly anything moved in room-1: let one person walk about');
    expect((await call('POST', '/save')).status).toBe(409);
  });

  test('is not saved to a file without the empty room', async () => {
    await measureEmpty();
    await walk();
    main.publish(at(0, walked), at(2, walked));
    rmSync(join(folder, 'room.json'));
    expect((await call('POST', '/save')).status).toBe(409);
    expect(existsSync(join(folder, 'room.json'))).toBe(false);
  });

  test('is measured again after the size of the room has changed', async () => {
    await measureEmpty();
    await walk();
    main.publish(at(0, walked), at(2, walked));
    const larger = { ...environment, size: { ...environment.size, x: environment.size.x + 1 } };
    main.topology = { ...main.topology, environments: [larger] };
    const { status, error } = await call('POST', '/save');
    expect(status).toBe(409);
    expect(error.message).toBe('the links or the size of room-1 have changed since: measure it again');
  });
});

test('operators of your own are measured by their roles', async () => {
  const own = { outputs: ['pose'], examples: [], create: () => ({ process: () => ({ data: [] }) }) } as const;
  const network = defineOperator({
    ...{ ...own, name: 'own-network', summary: 'Sees people.', role: 'pose-network', inputs: ['window'] },
    config: Type.Object({
      calibration: Type.Optional(Type.String({ description: 'File of csiflow calibrate.' })),
    }),
  });
  const detector = defineOperator({
    ...{
      ...own,
      name: 'own-detector',
      summary: 'Sees movement.',
      role: 'motion-detector',
      inputs: ['window'],
    },
    config: Type.Object({}),
  });
  const nodes = main.topology.nodes.map((node) => ({
    ...node,
    component: node.id === 'poses' ? network : detector,
  }));
  main.topology = { ...main.topology, nodes };
  expect(await start()).toMatchObject({ status: 202, data: { state: 'measuring', file: 'room.json' } });
  for (const record of [at(0), presence(0.5, 0.9), at(1), at(2)]) main.publish(record);
  expect((await call('GET')).data).toMatchObject({ state: 'measured', presence_seconds: 1 });
  expect((await call('POST', '/save')).data).toMatchObject({ state: 'saved' });
  expect(existsSync(join(folder, 'room.json'))).toBe(true);
});

test('seconds with movement are counted', async () => {
  await start();
  for (const record of [
    at(0),
    presence(0.2, 0.9),
    presence(0.4, 0.8),
    presence(1.5, 0.9),
    at(2),
    presence(2.5, 0.9),
  ])
    main.publish(record);
  expect((await call('GET')).data['presence_seconds']).toBe(2);
});

test('a measurement that is cancelled leaves nothing, and one at a time is made', async () => {
  await start();
  expect((await start()).status).toBe(409);
  expect((await call('POST', '/save')).status).toBe(409);
  expect((await call('DELETE')).status).toBe(204);
  main.publish(at(0), at(2));
  expect((await call('GET')).data).toMatchObject({ state: 'none' });
});

test('without a file to write to, the message says what to add', async () => {
  const [motion, poses] = main.topology.nodes as [never, (typeof main.topology.nodes)[number]];
  main.topology = { ...main.topology, nodes: [motion, { ...poses, config: {} }] };
  const answer = await start();
  expect([answer.status, answer.error.message]).toEqual([
    409,
    'poses names no file: add `calibration: room-1.calibration.json` to it, and apply the topology',
  ]);
});

test('a file of another kind is not replaced', async () => {
  writeFileSync(join(folder, 'room.json'), '[]');
  const answer = await start();
  expect([answer.status, answer.error.message]).toEqual([
    409,
    expect.stringContaining('room.json is not a calibration file'),
  ]);
});

test('time without frames does not count', async () => {
  await start(4);
  main.publish(at(0), at(1), at(60), at(61));
  // A second, the two of the window before the gap, and a second.
  expect((await call('GET')).data).toMatchObject({ state: 'measured', heard_seconds: 4 });
  await start(4);
  const silent = window.links.map((link) => ({ ...link, gaps: new Uint8Array(link.gaps.length).fill(1) }));
  main.publish(at(0), at(1, silent), at(2, silent), at(3, silent), at(4, silent));
  expect((await call('GET')).data).toMatchObject({ state: 'measuring', heard_seconds: 0 });
});

/** Measures the room, and changes the topology before the result is saved. */
async function measuredThen(change: (topology: FakeTopology) => void) {
  await start();
  main.publish(at(0), at(2));
  change(main);
  return call('POST', '/save');
}

test.each(['starting', 'stopping', 'restarting'] as const)('nothing is saved while %s', async (state) => {
  const answer = await measuredThen((topology) => (topology.state = state));
  expect([answer.status, answer.error.message]).toEqual([409, `test is ${state}: save again once it runs`]);
  expect(existsSync(join(folder, 'room.json'))).toBe(false);
});

test('a restart that the state does not allow any more is a conflict', async () => {
  const answer = await measuredThen((topology) => {
    topology.restart = () =>
      Promise.reject(Object.assign(new Error('test is restarting'), { code: 'lifecycle.conflict' }));
  });
  expect([answer.status, answer.error.message]).toEqual([409, 'test is restarting']);
});

test('the result belongs to the file that is configured when it is saved', async () => {
  const { status, data } = await measuredThen((topology) => {
    const nodes = topology.topology.nodes.map((node) =>
      node.id === 'poses' ? { ...node, config: { calibration: 'new.json' } } : node,
    );
    topology.topology = { ...topology.topology, nodes };
  });
  expect([status, data['file']]).toEqual([200, 'new.json']);
  expect([existsSync(join(folder, 'room.json')), existsSync(join(folder, 'new.json'))]).toEqual([
    false,
    true,
  ]);
});

test('a result of links that have been moved since is not saved', async () => {
  const answer = await measuredThen((topology) => {
    const [first, ...rest] = environment.links;
    const links = [{ ...first!, receiver: [1, 1, 1] as [number, number, number] }, ...rest];
    topology.topology = { ...topology.topology, environments: [{ ...environment, links }] };
  });
  expect([answer.status, answer.error.message]).toEqual([
    409,
    'the links or the size of room-1 have changed since: measure it again',
  ]);
});

test('a file of `calibrate` without profiles gets them, and keeps its links', async () => {
  const links = { 'room-1-link-0': [] };
  writeFileSync(join(folder, 'room.json'), JSON.stringify({ links }));
  expect((await measuredThen(() => undefined)).status).toBe(200);
  const saved = JSON.parse(readFileSync(join(folder, 'room.json'), 'utf8')) as Record<string, object>;
  expect([saved['links'], Object.keys(saved['profiles']!).length]).toEqual([links, environment.links.length]);
});

test('one change of a topology at a time is made', async () => {
  let restarted = (): void => undefined;
  main.restart = () => new Promise((resolve) => (restarted = resolve));
  await start();
  main.publish(at(0), at(2));
  const first = call('POST', '/save');
  await expect.poll(() => existsSync(join(folder, 'room.json'))).toBe(true);
  const second = await call('POST', '/save');
  expect([second.status, second.error.message]).toEqual([
    409,
    'test is being changed by somebody else: look at it again in a moment',
  ]);
  restarted();
  expect((await first).status).toBe(200);
});
