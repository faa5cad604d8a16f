import { EventEmitter, once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createConnection } from 'node:net';
import { json } from 'node:stream/consumers';
import { WebSocket } from 'ws';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Whereabouts } from '../../pipeline/component/index.js';
import { fallEvent, person, poseFrame } from '../support/fake-topology.js';
import { ApiKeys } from '../../api/service/accounts/api-keys.js';
import { Sessions } from '../../api/service/accounts/sessions.js';
import { Users } from '../../api/service/accounts/users.js';
import { Connection } from '../../api/ws/connection.js';
import { websocket } from '../../sinks/websocket.js';
import { openService, type TestService } from './support.js';
import { stopwatch } from '../support/waiting.js';

type Message = Record<string, unknown> & { readonly type: string };

/** A client that stores received messages until the test reads them. */
class Client {
  readonly socket: WebSocket;
  readonly #inbox: Message[] = [];
  #wake: () => void = () => undefined;

  constructor(path: string, options: { protocols?: string[]; headers?: Record<string, string> } = {}) {
    this.socket = new WebSocket(
      service.server.address.replace('http', 'ws') + path,
      options.protocols ?? [],
      {
        headers: options.headers ?? {},
      },
    );
    this.socket.on('message', (data: Buffer) => {
      this.#inbox.push(JSON.parse(data.toString()) as Message);
      this.#wake();
    });
  }

  /** The next message of a type; skips earlier ones of other types. */
  async next(type: string): Promise<Message> {
    for (;;) {
      const index = this.#inbox.findIndex((message) => message.type === type);
      if (index >= 0) return this.#inbox.splice(0, index + 1).at(-1)!;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  get waiting(): readonly Message[] {
    return this.#inbox;
  }

  send(message: unknown): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  async subscribe(channel: string, filters: object = {}): Promise<string> {
    if (this.socket.readyState === WebSocket.CONNECTING) await once(this.socket, 'open');
    this.send({ type: 'subscribe', channel, filters });
    const confirmed = await this.next('subscription_confirmed');
    expect(confirmed).toMatchObject({ channel, filters_applied: filters });
    return String(confirmed['subscription_id']);
  }
}

let service: TestService;
let clients: Client[];
/** How far the service's clock is ahead, milliseconds. */
let ahead: number;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  ahead = 0;
  const clock = { now: () => (Date.now() + ahead) * 1000, elapsed: () => performance.now() + ahead };
  service = await openService(undefined, { clock });
  clients = [];
});
afterEach(async () => {
  for (const client of clients) client.socket.terminate();
  await service.close();
  vi.useRealTimers();
});

/** Advances the service's clock, and runs its once-per-second work as often. */
function pass(seconds: number): void {
  ahead += seconds * 1000;
  vi.advanceTimersByTime(seconds * 1000);
}

function connect(path = '/ws/pose', options?: ConstructorParameters<typeof Client>[1]): Client {
  const client = new Client(path, options);
  clients.push(client);
  return client;
}

const withToken = (): Client => connect(`/ws/pose?token=${service.token('viewer')}`);

test.each([
  ['the query', () => withToken()],
  [
    'the header',
    () => connect('/ws/pose', { headers: { Authorization: `Bearer ${service.token('viewer')}` } }),
  ],
  ['the subprotocols', () => connect('/ws/pose', { protocols: ['pose_v1', service.token('viewer')] })],
  ['a mount of a form', () => connect(`/form-a/api/v1/ws/pose?token=${service.token('viewer')}`)],
])('accepts a token from %s', async (_where, open) => {
  const welcome = await open().next('connection_established');
  expect(welcome['supported_protocols']).toEqual(['pose_v1', 'alerts_v1']);
});

test.each(['', '?token=nonsense'])('rejects a connection without a valid token: %j', async (query) => {
  const { socket } = connect(`/ws/pose${query}`);
  const [error] = (await once(socket, 'error')) as [Error];
  expect(error.message).toContain('401');
});

test('an upgrade at an invalid address is refused without harm', async () => {
  const { port } = new URL(service.server.address);
  const socket = createConnection(Number(port), '127.0.0.1');
  socket.write('GET // HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 404 /);
  await withToken().next('connection_established');
});

test('closes with 4401 when the token expires', async () => {
  const client = connect(`/ws/pose?token=${service.token('viewer', { expiresIn: 90 })}`);
  await client.next('connection_established');
  ahead += 60_000;
  pass(1);
  expect((await client.next('error'))['message']).toContain('expires in less than a minute');
  ahead += 30_000;
  pass(1);
  const [code] = (await once(client.socket, 'close')) as [number];
  expect(code).toBe(4401);
});

test.each([
  ['its user is removed', (folder: string) => new Users(folder).remove('viewer')],
  [
    'its login has ended',
    (folder: string) => {
      new Sessions(folder).endOf('viewer');
    },
  ],
])('closes with 4401 when %s', async (_what, end) => {
  const client = withToken();
  await client.next('connection_established');
  end(service.stateFolder);
  pass(1);
  const [code] = (await once(client.socket, 'close')) as [number];
  expect(code).toBe(4401);
});

test('closes with 4401 when its key is revoked', async () => {
  const keys = new ApiKeys(service.stateFolder);
  const { key, apiKey } = keys.create('dashboard', 'viewer', null);
  // As over HTTP, a valid key works even if the token is invalid.
  const client = connect('/ws/pose?token=nonsense', { headers: { 'X-API-Key': key } });
  await client.next('connection_established');
  keys.remove(apiKey.id);
  pass(1);
  const [code] = (await once(client.socket, 'close')) as [number];
  expect(code).toBe(4401);
});

/** A connection whose client does not respond, and the calls made on it. */
function silent(expiresAt: number | null) {
  const did: string[] = [];
  const socket = Object.assign(new EventEmitter(), {
    OPEN: 1,
    readyState: 1,
    bufferedAmount: 0,
    ping: () => did.push('ping'),
    terminate: () => did.push('terminate'),
    close: (code: number) => did.push(`close ${code}`),
    send: (text: string) => did.push(text),
  });
  const caller = { account: { name: 'ada', role: 'viewer' }, expiresAt, again: () => caller } as const;
  return { connection: new Connection(socket as never, caller, '::1'), did, socket };
}

test('closes a client that does not answer a ping within half a minute; keeps others', () => {
  const { connection, did, socket } = silent(null);
  const pass = (seconds: number) => {
    for (let second = 0; second < seconds; second++) connection.tick(0);
  };
  pass(30);
  expect(did).toEqual(['ping']);
  socket.emit('pong');
  pass(30);
  expect(did).toEqual(['ping', 'ping']);
  pass(30);
  expect(did).toEqual(['ping', 'ping', 'terminate']);
});

test('a credential of two months warns in its last minute, once', () => {
  const end = 60 * 86_400_000;
  const { connection, did } = silent(end);
  connection.tick(end - 30 * 86_400_000);
  expect(did).toEqual([]);
  connection.tick(end - 59_000);
  connection.tick(end - 58_000);
  expect(did).toHaveLength(1);
  expect(did[0]).toContain('expires in less than a minute');
  connection.tick(end);
  expect(did[1]).toBe('close 4401');
});

test('a flood of messages closes its own connection', async () => {
  const client = withToken();
  await client.next('connection_established');
  for (let index = 0; index < 300; index++) client.send({ type: 'ping' });
  const [code] = (await once(client.socket, 'close')) as [number];
  expect(code).toBe(1008);
});

test('an unresponsive client does not delay a shutdown', async () => {
  const ending = await openService();
  const address = ending.server.address.replace('http', 'ws');
  const socket = new WebSocket(`${address}/ws/pose?token=${ending.token('viewer')}`);
  await once(socket, 'open');
  socket.pause();
  const took = stopwatch();
  await ending.close();
  expect(took()).toBeLessThan(10_000);
  socket.terminate();
});

test('a pose update has the subscription and the frame', async () => {
  const client = withToken();
  const id = await client.subscribe('pose_updates', { include_3d: true });
  service.main.publish(poseFrame(3));
  const update = await client.next('pose_update');
  expect(update).toMatchObject({
    subscription_id: id,
    timestamp: '2026-01-01T00:00:00.300Z',
    data: {
      frame_id: 3,
      persons: [{ person_id: 1, position: { x: 2, y: 2, z: 0 } }],
      metadata: { processing_mode: 'simulated' },
    },
  });
});

test('filters select by persons, confidence and keypoints', async () => {
  const client = withToken();
  const id = await client.subscribe('pose_updates', {
    person_ids: [2],
    min_confidence: 0.5,
    include_keypoints: false,
  });
  service.main.publish(poseFrame(1, [person(1, 1, 1)]));
  service.main.publish(poseFrame(2, [person(1, 1, 1), person(2, 3, 3)]));
  const update = await client.next('pose_update');
  expect(update).toMatchObject({ subscription_id: id, data: { frame_id: 2, persons: [{ person_id: 2 }] } });
  expect(JSON.stringify(update)).not.toContain('keypoints');
});

test('nothing arrives after unsubscribing', async () => {
  const client = withToken();
  const id = await client.subscribe('pose_updates');
  client.send({ type: 'unsubscribe', subscription_id: id });
  await client.next('unsubscription_confirmed');
  service.main.publish(poseFrame(1));
  client.send({ type: 'ping' });
  await client.next('pong');
  expect(client.waiting).toEqual([]);
});

test("alerts are csiflow's own events, filtered by type and severity; claims of senders are not", async () => {
  const client = withToken();
  await client.subscribe('alerts', { alert_types: ['fall_detection'], severity: ['high', 'critical'] });
  service.main.publish(
    fallEvent({ source: 'node-1', id: 'claim' }),
    fallEvent({ severity: 'low', id: 'low' }),
    fallEvent(),
  );
  expect(await client.next('alert')).toMatchObject({
    alert_id: 'test-room/fall_detection/1',
    alert_type: 'fall_detection',
    severity: 'high',
    data: { person_id: 1, location: { x: 1, y: 2 } },
    actions_required: ['medical_response', 'notification'],
  });
});

test('what is about all environments needs none; poses, and what names one, do', async () => {
  service.main.topology = { ...service.main.topology, environments: [] };
  const client = withToken();
  for (const channel of ['alerts', 'acknowledgements', 'system_status']) await client.subscribe(channel);
  client.send({ type: 'subscribe', channel: 'pose_updates' });
  expect((await client.next('error'))['code']).toBe('RESOURCE_NOT_FOUND');
  client.send({ type: 'subscribe', channel: 'alerts', filters: { environment_id: 'removed' } });
  expect((await client.next('error'))['message']).toBe('There is no environment: no topology has one');
});

test('an alert says who, where, what to do and where to look; everyday events come only by name', async () => {
  const client = withToken();
  await client.subscribe('alerts');
  await client.subscribe('alerts', { severity: ['high'] });
  service.main.publish(
    fallEvent({ type: 'zone_entered', id: 'zone' }),
    fallEvent(),
    fallEvent({ type: 'crowd', id: 'crowd', person: null, location: null, severity: 'low' }),
  );
  expect(await client.next('alert')).toEqual({
    type: 'alert',
    alert_id: 'test-room/fall_detection/1',
    timestamp: '2026-01-01T00:00:00.000Z',
    alert_type: 'fall_detection',
    severity: 'high',
    data: {
      person_id: 1,
      location: { x: 1, y: 2 },
      confidence: 0.9,
      video_clip_url: '/api/v1/alerts/2026-01-01T00:00:00.000Z/test-room%2Ffall_detection%2F1/clip',
    },
    actions_required: ['medical_response', 'notification'],
  });
  // Sent once, though both subscriptions match: it names none.
  expect(await client.next('alert')).toMatchObject({
    alert_id: 'crowd',
    data: { person_id: null, location: { x: 0, y: 0 } },
    actions_required: ['notification'],
  });
  await client.subscribe('alerts', { alert_types: ['zone_entered'] });
  service.main.publish(fallEvent({ type: 'zone_entered', id: 'zone' }));
  expect(await client.next('alert')).toMatchObject({ alert_id: 'zone' });
});

test('the status is sent at once, then every few seconds', async () => {
  const client = withToken();
  await client.subscribe('system_status');
  const status = await client.next('system_status');
  expect(status['status']).toEqual({
    processing_fps: expect.any(Number) as number,
    active_persons: 0,
    system_health: 'good',
    gpu_utilization: expect.any(Number) as number,
  });
  pass(4);
  expect(client.waiting).toEqual([]);
  pass(1);
  await client.next('system_status');
});

test.each([
  ['/form-a/api/v1/ws/pose', 'id', 'environment_id'],
  ['/form-b/api/v1/ws/pose', 'person_id', 'model_version'],
  ['/api/v1/ws/pose', 'person_id', 'model_version'],
])('persons at %s have the form of that mount', async (path, personField, metadataField) => {
  const client = connect(`${path}?token=${service.token('viewer')}`);
  await client.subscribe('pose_updates', { include_keypoints: false });
  service.main.publish(poseFrame(1));
  const { data } = await client.next('pose_update');
  const { persons, metadata } = data as { persons: object[]; metadata: object };
  expect(persons[0]).toHaveProperty(personField, 1);
  expect(persons[0]).not.toHaveProperty('keypoints');
  expect(metadata).toHaveProperty(metadataField);
});

test('dense pose is omitted unless requested', async () => {
  const client = withToken();
  await client.subscribe('pose_updates', { include_dense_pose: true });
  service.main.publish(poseFrame(1));
  const { data } = await client.next('pose_update');
  expect((data as { persons: object[] }).persons[0]).toMatchObject({
    dense_pose: { iuv_image: expect.any(String) as string, confidence_map: expect.any(String) as string },
  });
});

test('beyond a hundred connections an address is refused until one is closed', async () => {
  const all = Array.from({ length: 100 }, () => withToken());
  await Promise.all(all.map((client) => client.next('connection_established')));
  const refused = withToken().socket;
  const [, answer] = (await once(refused, 'unexpected-response')) as [unknown, IncomingMessage];
  expect(answer.statusCode).toBe(429);
  expect(await json(answer)).toMatchObject({
    error: { code: 'RATE_LIMIT_EXCEEDED', details: { limit: 100, window: 60 } },
  });
  // The client reports its end before it opened as an error.
  refused.terminate();
  await once(refused, 'error');
  all[0]!.socket.close();
  await once(all[0]!.socket, 'close');
  await expect
    .poll(async () => {
      const { socket } = withToken();
      return Promise.race([
        once(socket, 'open').then(() => 'open'),
        once(socket, 'error').then(() => 'refused'),
      ]);
    })
    .toBe('open');
});

/** Like the configuration: switches the node, and the topology reports a change. */
async function switchFeed(enabled: boolean): Promise<void> {
  const { main } = service;
  const node = {
    id: 'live',
    component: websocket,
    config: {},
    inputs: [],
    queue: null,
    secrets: [],
    hash: '',
  };
  main.topology = { ...main.topology, nodes: [{ ...node, enabled }] };
  await main.start();
}

test('a disabled sink closes connections with its own code', async () => {
  const before = withToken();
  await before.next('connection_established');
  await switchFeed(false);
  expect(((await once(before.socket, 'close')) as [number])[0]).toBe(4503);
  const during = withToken();
  expect(((await once(during.socket, 'close')) as [number])[0]).toBe(4503);
  await switchFeed(true);
  await withToken().next('connection_established');
});

test.each([
  ['{', 'JSON'],
  ['[1]', 'JSON object'],
  [{ type: 'dance' }, 'type must be'],
  [
    { type: 'subscribe', channel: 'weather' },
    'channel must be one of pose_updates, alerts, acknowledgements, system_status',
  ],
  [{ type: 'subscribe', channel: '__proto__' }, 'channel must be one of'],
  [{ type: 'subscribe', channel: 'pose_updates', filters: { colour: 1 } }, 'filters.colour is not a filter'],
  [
    { type: 'subscribe', channel: 'pose_updates', filters: { include_dense_pose: 'yes' } },
    'filters.include_dense_pose must be boolean',
  ],
  [{ type: 'subscribe', channel: 'pose_updates', resume: {} }, 'resume must have required properties'],
  [
    { type: 'subscribe', channel: 'pose_updates', resume: { subscription_id: 'x', frame_id: 1 } },
    'No subscription x to pose_updates has ended in the last 60 seconds: subscribe without resume',
  ],
  [{ type: 'subscribe', channel: 'alerts', filters: { severity: ['huge'] } }, 'one of low, medium, high'],
  [
    { type: 'subscribe', channel: 'pose_updates', filters: { environment_id: 'nowhere' } },
    'No environment has the id nowhere; available: test-room',
  ],
  [{ type: 'subscribe', channel: 'pose_updates', filters: { min_confidence: 7 } }, 'min_confidence'],
  [{ type: 'unsubscribe', subscription_id: 'x' }, 'No subscription x'],
])('answers %j with a helpful error', async (message, text) => {
  const client = withToken();
  await client.next('connection_established');
  client.send(message);
  expect((await client.next('error'))['message']).toContain(text);
});

/** Subscribes as a returning client. */
async function resume(client: Client, channel: string, place: object, more: object = {}): Promise<Message> {
  await client.next('connection_established');
  client.send({ type: 'subscribe', channel, resume: place, ...more });
  return client.next('subscription_confirmed');
}

test('a returning client resumes with the same subscription and filters', async () => {
  const before = withToken();
  const id = await before.subscribe('pose_updates', { person_ids: [1] });
  service.main.publish(poseFrame(1), poseFrame(2));
  await before.next('pose_update');
  before.socket.close();
  await once(before.socket, 'close');
  service.main.publish(poseFrame(3), poseFrame(4, [person(2, 1, 1)]), poseFrame(5));
  const after = withToken();
  const confirmed = await resume(after, 'pose_updates', { subscription_id: id, frame_id: 1 });
  expect(confirmed).toMatchObject({
    subscription_id: id,
    filters_applied: { person_ids: [1] },
    resumed: { sent: 3, missed: 0 },
  });
  service.main.publish(poseFrame(6));
  const frames = [];
  for (let index = 0; index < 4; index++) frames.push(await after.next('pose_update'));
  expect(frames.map(({ data }) => (data as { frame_id: number }).frame_id)).toEqual([2, 3, 5, 6]);
});

test('a client can take over from a connection that broke silently', async () => {
  const before = withToken();
  const id = await before.subscribe('pose_updates');
  const after = withToken();
  expect(await resume(after, 'pose_updates', { subscription_id: id, frame_id: 0 })).toMatchObject({
    subscription_id: id,
    resumed: { sent: 0, missed: 0 },
  });
  service.main.publish(poseFrame(1));
  await after.next('pose_update');
  before.send({ type: 'unsubscribe', subscription_id: id });
  expect((await before.next('error'))['code']).toBe('RESOURCE_NOT_FOUND');
  expect(before.waiting).toEqual([]);
});

test('a long interruption reports the number of missed frames', async () => {
  const before = withToken();
  const id = await before.subscribe('pose_updates', { include_keypoints: false });
  before.socket.close();
  await once(before.socket, 'close');
  for (let index = 1; index <= 1000; index++) service.main.publish(poseFrame(index));
  const confirmed = await resume(withToken(), 'pose_updates', { subscription_id: id, frame_id: 100 });
  expect(confirmed['resumed']).toEqual({ sent: 300, missed: 600 });
});

test('messages that cannot be sent at once count as missed', async () => {
  const before = withToken();
  const id = await before.subscribe('pose_updates');
  before.socket.close();
  await once(before.socket, 'close');
  const crowd = Array.from({ length: 10 }, (_, index) => person(index + 1, index / 3, 2));
  for (let index = 1; index <= 200; index++) service.main.publish(poseFrame(index, crowd));
  const after = withToken();
  const { resumed } = await resume(after, 'pose_updates', { subscription_id: id, frame_id: 0 });
  const { sent, missed } = resumed as { sent: number; missed: number };
  expect(sent).toBeGreaterThan(10);
  expect(sent + missed).toBe(200);
  const first = await after.next('pose_update');
  expect(first).toMatchObject({ data: { frame_id: missed + 1 } });
});

test('alerts of an interruption are sent, after the last one received', async () => {
  const before = withToken();
  const id = await before.subscribe('alerts');
  service.main.publish(fallEvent({ id: 'one' }));
  await before.next('alert');
  before.socket.close();
  await once(before.socket, 'close');
  service.main.publish(fallEvent({ id: 'two' }), fallEvent({ id: 'three' }));
  const after = withToken();
  expect(await resume(after, 'alerts', { subscription_id: id, alert_id: 'one' })).toMatchObject({
    resumed: { sent: 2, missed: 0 },
  });
  expect([await after.next('alert'), await after.next('alert')].map((alert) => alert['alert_id'])).toEqual([
    'two',
    'three',
  ]);
});

test('a subscription can be resumed only by its account, on its own channel', async () => {
  const before = withToken();
  const id = await before.subscribe('pose_updates');
  before.socket.close();
  await once(before.socket, 'close');
  const other = connect(`/ws/pose?token=${service.token('operator')}`);
  await other.next('connection_established');
  const place = { subscription_id: id, frame_id: 0 };
  other.send({ type: 'subscribe', channel: 'pose_updates', resume: place });
  expect((await other.next('error'))['message']).toContain('has ended in the last 60 seconds');
  const own = withToken();
  await own.next('connection_established');
  own.send({ type: 'subscribe', channel: 'alerts', resume: { subscription_id: id } });
  expect((await own.next('error'))['code']).toBe('RESOURCE_NOT_FOUND');
  own.send({ type: 'subscribe', channel: 'pose_updates', resume: place });
  await own.next('subscription_confirmed');
});

test('an account may hold ten streams, over all its connections', async () => {
  const [first, second] = [withToken(), withToken()];
  for (let index = 0; index < 5; index++) {
    await first.subscribe('pose_updates');
    await second.subscribe('pose_updates');
  }
  first.send({ type: 'subscribe', channel: 'pose_updates', filters: {} });
  expect(await first.next('error')).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
});

test('a subscription to a room that another process of the group reads gets its place', async () => {
  const { main } = service;
  main.topology = { ...main.topology, settings: { ...main.topology.settings, scaleOut: true } };
  main.whereIs = async () => ({ at: 'elsewhere', address: 'http://ward-2:8000' });
  const client = withToken();
  await client.subscribe('pose_updates');
  const { message } = await client.next('error');
  expect(message).toContain('ask http://ward-2:8000');
});

test('a subscriber is notified once another process reads its room', async () => {
  const { main } = service;
  let at: Whereabouts = { at: 'here' };
  main.topology = { ...main.topology, settings: { ...main.topology.settings, scaleOut: true } };
  main.whereIs = async () => at;
  const client = withToken();
  await client.subscribe('pose_updates');
  main.publish(poseFrame(1));
  await client.next('pose_update');
  at = { at: 'elsewhere', address: 'http://ward-3:8000' };
  // Rooms with data since the last check are not looked up before the next one.
  pass(10);
  const { message } = await client.next('error');
  expect(message).toContain('ask http://ward-3:8000');
});
