import { WebSocket } from 'ws';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createClient, type ClientOptions, type ServerMessages } from '../../api/client/index.js';
import type { Environment, SensedEvent } from '../../pipeline/model/index.js';
import { testEnvironment } from '../support/context.js';
import { FakeTopology, fallEvent, FIRST_TIME, person, poseFrame } from '../support/fake-topology.js';
import { storeOf } from '../../api/service/deployment/environments.js';
import { InfluxError } from '../../sinks/shared/line-protocol/error.js';
import { openService, type TestService } from './support.js';

const B = '/form-b/api/v1';
const RANGE = `start_time=2026-01-01T00:00:00Z&end_time=2026-01-01T01:00:00Z`;

const HALL: Environment = { ...testEnvironment, id: 'hall', name: 'Hall' };

let service: TestService;
let hall: FakeTopology;
const closing: (() => void)[] = [];

beforeEach(async () => {
  hall = new FakeTopology(HALL);
  hall.topology = {
    ...hall.topology,
    id: 'ground-floor',
    hash: 'ground-floor',
    settings: { ...hall.topology.settings, domain: 'security', stateFolder: './ground-floor' },
  };
  service = await openService(undefined, { beside: [hall] });
});
afterEach(async () => {
  for (const close of closing.splice(0)) close();
  await service.close();
});

const inHall = (index: number, ...persons: Parameters<typeof poseFrame>[1] & object) => ({
  ...poseFrame(index, persons),
  environment: HALL.id,
});
const intrusion = (overrides: Partial<SensedEvent> = {}): SensedEvent =>
  fallEvent({ id: 'hall-intrusion-1', type: 'intrusion', environment: HALL.id, ...overrides });

async function ask(path: string): Promise<{ status: number; data: never; error: { message: string } }> {
  const response = await service.get(B + path, service.token('viewer'));
  return { status: response.status, ...((await response.json()) as { data: never; error: never }) };
}

test('an environment of another topology is answered from its own feed and store', async () => {
  service.main.publish(poseFrame(1, [person(1, 2, 2)]));
  hall.publish(inHall(2, person(7, 1, 1)), intrusion());
  expect(await ask('/pose/latest')).toMatchObject({
    data: { environment_id: 'test-room', persons: [{ person_id: 1 }] },
  });
  expect(await ask('/pose/latest?environment_id=hall')).toMatchObject({
    status: 200,
    data: { environment_id: 'hall', persons: [{ person_id: 7 }] },
  });
  expect(await ask(`/pose/history?${RANGE}&environment_id=hall`)).toMatchObject({ data: [{ person_id: 7 }] });
  expect(await ask('/pose/tracking/7?environment_id=hall')).toMatchObject({ data: { total_frames: 1 } });
  expect((await ask('/pose/tracking/7')).status).toBe(404);
  expect(await ask('/analytics/events?environment_id=hall')).toMatchObject({
    data: [{ type: 'intrusion', environment_id: 'hall' }],
  });
  expect((await ask('/analytics/events')).data).toEqual([]);
  expect(await ask(`/analytics/summary?${RANGE}&environment_id=hall`)).toMatchObject({
    data: { activity_stats: { alert_count: 1 } },
  });
  expect((await ask(`/analytics/occupancy?${RANGE}&environment_id=hall`)).status).toBe(200);
});

test('an unknown environment is not found, and the answer lists all', async () => {
  const { status, error } = await ask('/pose/latest?environment_id=cellar');
  expect(status).toBe(404);
  expect(error.message).toBe('No environment has the id cellar; available: test-room, hall');
});

test('the environment of a stopped topology is not ready, and all others are', async () => {
  service.main.publish(poseFrame(1));
  hall.state = 'stopped';
  const { status, error } = await ask('/pose/latest?environment_id=hall');
  expect(status).toBe(503);
  expect(error.message).toContain('the topology ground-floor is stopped');
  expect((await ask('/pose/latest')).status).toBe(200);
});

test('the clip of an alert comes from the store of its environment', async () => {
  hall.publish(inHall(0, person(7, 1, 1)), intrusion());
  const path = `/alerts/${new Date(FIRST_TIME / 1000).toISOString()}/hall-intrusion-1/clip`;
  const response = await service.get(B + path, service.token('viewer'));
  expect(response.status).toBe(200);
  expect(await response.text()).toContain('<svg');
});

test('it is found even if the store of another environment fails', async () => {
  hall.publish(inHall(0, person(7, 1, 1)), intrusion());
  for (const reader of service.main.readers.values())
    reader.events = () => Promise.reject(new Error('the store is away'));
  const at = new Date(FIRST_TIME / 1000).toISOString();
  expect((await ask(`/alerts/${at}/nothing/clip`)).status).toBe(500);
  const found = await service.get(`${B}/alerts/${at}/hall-intrusion-1/clip`, service.token('viewer'));
  expect(found.status).toBe(200);
});

test('the page receives the rooms of all topologies', async () => {
  const scene: unknown = await (await service.get('/scene.json')).json();
  expect(scene).toMatchObject({
    environments: [
      { id: 'test-room', topology: 'test', name: 'test-room' },
      { id: 'hall', topology: 'ground-floor', name: 'Hall' },
    ],
  });
});

test('all are listed; one given to csiflow run cannot be removed', async () => {
  expect(await ask('/topologies')).toMatchObject({
    data: [
      { id: 'test', main: true },
      { id: 'ground-floor', main: false },
    ],
  });
  hall.state = 'stopped';
  const removed = await fetch(`${service.server.address}${B}/topologies/ground-floor`, {
    method: 'DELETE',
    headers: { Authorization: `Bearer ${service.token('admin')}` },
  });
  expect(removed.status).toBe(409);
  expect((await ask('/topologies/ground-floor')).status).toBe(200);
});

const Socket = WebSocket as unknown as NonNullable<ClientOptions<'b'>['WebSocket']>;

const live = () => {
  const client = createClient({
    address: service.server.address,
    form: 'b',
    credentials: { token: service.token('viewer') },
    WebSocket: Socket,
  });
  const made = client.live();
  closing.push(() => {
    made.close();
  });
  return made;
};

/** Publishes until a message arrives: the client may still be subscribing. */
const came = (list: readonly unknown[], publish: () => void): Promise<void> =>
  expect
    .poll(
      () => {
        publish();
        return list.length;
      },
      { timeout: 15_000, interval: 50 },
    )
    .toBeGreaterThan(0);

test('the WebSocket streams the frames of each environment to its subscribers', async () => {
  const frames: Record<'test-room' | 'hall', ServerMessages['pose_update'][]> = { 'test-room': [], hall: [] };
  const client = live();
  client.subscribe('pose_updates', {}, (message) => frames['test-room'].push(message));
  client.subscribe('pose_updates', { environment_id: 'hall' }, (message) => frames.hall.push(message));
  let index = 0;
  const publish = (): void => {
    service.main.publish(poseFrame(++index, [person(1, 2, 2)]));
    hall.publish(inHall(index, person(7, 1, 1)));
  };
  await came(frames['test-room'], publish);
  await came(frames.hall, publish);
  const persons = (list: readonly ServerMessages['pose_update'][]) =>
    new Set(list.flatMap(({ data }) => data.persons.map((one) => 'person_id' in one && one.person_id)));
  expect(persons(frames['test-room'])).toEqual(new Set([1]));
  expect(persons(frames.hall)).toEqual(new Set([7]));
});

test('alerts come from all topologies with their environment, unless one is selected', async () => {
  const heard: Record<'all' | 'room' | 'placed', ServerMessages['alert'][]> = {
    all: [],
    room: [],
    placed: [],
  };
  live().subscribe('alerts', {}, (alert) => heard.all.push(alert));
  live().subscribe('alerts', { environment_id: 'test-room' }, (alert) => heard.room.push(alert));
  live().subscribe('alerts', { include_environment: true }, (alert) => heard.placed.push(alert));
  let index = 0;
  const publish = (): void => {
    hall.publish(intrusion({ id: `hall-intrusion-${++index}` }));
    service.main.publish(fallEvent({ id: `test-room-fall_detection-${index}` }));
  };
  for (const list of Object.values(heard)) await came(list, publish);
  const [alert] = heard.all.filter(({ alert_type }) => alert_type === 'intrusion');
  expect(alert).not.toHaveProperty('environment_id');
  // The actions depend on the alert's own topology.
  expect(alert).toMatchObject({ actions_required: ['security_response', 'notification'] });
  expect(new Set(heard.room.map(({ alert_type }) => alert_type))).toEqual(new Set(['fall_detection']));
  expect(
    new Set(heard.placed.map(({ alert_type, environment_id }) => `${alert_type} ${environment_id}`)),
  ).toEqual(new Set(['intrusion hall', 'fall_detection test-room']));
});

test('a store that is offline gives 503 with its reason, other failures 500', async () => {
  const [reader] = service.main.readers.values();
  reader!.events = () =>
    Promise.reject(new InfluxError('influxdb.unavailable', 'InfluxDB cannot be reached'));
  const path = `${B}/analytics/events`;
  const away = await service.get(path, service.token('viewer'));
  expect(away.status).toBe(503);
  expect(away.headers.get('retry-after')).toBe('5');
  expect(await away.json()).toMatchObject({
    error: { message: 'The service cannot answer now: InfluxDB cannot be reached' },
  });
  reader!.events = () => Promise.reject(new InfluxError('influxdb.query', 'a query is refused'));
  expect((await service.get(path, service.token('viewer'))).status).toBe(500);
});

test('without a store in the file, the answer says so, instead of that none is open yet', async () => {
  const running = Object.assign(new FakeTopology(HALL), {
    openReaders: async () => new Map<string, never>(),
  });
  running.topology = { ...running.topology, nodes: [] };
  await expect(storeOf(running)).rejects.toThrow(/has none. A sink such as duckdb keeps its history/);
});

test('of several stores the first one of the file answers, even if it was opened last', async () => {
  const [near, far] = [{}, {}] as never[];
  const running = Object.assign(new FakeTopology(HALL), {
    openReaders: async () =>
      new Map([
        ['archive', near!],
        ['history', far!],
      ]),
  });
  const [node] = running.topology.nodes;
  running.topology = {
    ...running.topology,
    nodes: [
      { ...node!, id: 'history' },
      { ...node!, id: 'archive' },
    ],
  };
  expect(await storeOf(running)).toBe(far);
});
