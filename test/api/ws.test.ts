import { EventEmitter, once } from 'node:events';
import { createConnection } from 'node:net';
import { WebSocket } from 'ws';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fallEvent, person, poseFrame } from '../support/fake-topology.js';
import { ApiKeys } from '../../api/auth/api-keys.js';
import { Sessions } from '../../api/auth/sessions.js';
import { Users } from '../../api/auth/users.js';
import { Connection } from '../../api/ws/connection.js';
import { openService, type TestService } from './support.js';

type Message = Record<string, unknown> & { readonly type: string };

/** A client that keeps what it was sent until the test asks for it. */
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

  /** The next message of a type; those of other types before it are passed over. */
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

beforeEach(async () => {
  service = await openService();
  clients = [];
});
afterEach(async () => {
  for (const client of clients) client.socket.terminate();
  await service.close();
});

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
])('takes a token from %s', async (_where, open) => {
  const welcome = await open().next('connection_established');
  expect(welcome['supported_protocols']).toEqual(['pose_v1', 'alerts_v1']);
});

test.each(['', '?token=nonsense'])('refuses a connection without a valid token: %j', async (query) => {
  const { socket } = connect(`/ws/pose${query}`);
  const [error] = (await once(socket, 'error')) as [Error];
  expect(error.message).toContain('401');
});

test('an upgrade at an address that is none is refused and harms nobody', async () => {
  const { port } = new URL(service.server.address);
  const socket = createConnection(Number(port), '127.0.0.1');
  socket.write('GET // HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 404 /);
  await withToken().next('connection_established');
});

test('closes with 4401 when the token expires', async () => {
  const { socket } = connect(`/ws/pose?token=${service.token('viewer', { expiresIn: 1 })}`);
  const [code] = (await once(socket, 'close')) as [number];
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
  const [code] = (await once(client.socket, 'close')) as [number];
  expect(code).toBe(4401);
});

test('closes with 4401 when its key is revoked', async () => {
  const keys = new ApiKeys(service.stateFolder);
  const { key, kept } = keys.create('dashboard', 'viewer', null);
  // As over HTTP, a key opens where a token does not.
  const client = connect('/ws/pose?token=nonsense', { headers: { 'X-API-Key': key } });
  await client.next('connection_established');
  keys.remove(kept.id);
  const [code] = (await once(client.socket, 'close')) as [number];
  expect(code).toBe(4401);
});

/** Of a connection whose client does not answer, and what was done to it. */
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

test('who does not answer a ping within half a minute is let go; who does is kept', () => {
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

test('a credential of two months is warned of in its last minute, once', () => {
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

test('a client that does not answer holds no shutdown up', async () => {
  const ending = await openService();
  const address = ending.server.address.replace('http', 'ws');
  const socket = new WebSocket(`${address}/ws/pose?token=${ending.token('viewer')}`);
  await once(socket, 'open');
  socket.pause();
  const start = performance.now();
  await ending.close();
  expect(performance.now() - start).toBeLessThan(10_000);
  socket.terminate();
});

test('a pose update carries the subscription and the frame', async () => {
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

test('filters decide on persons, confidence and keypoints', async () => {
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

test('after unsubscribing nothing more comes', async () => {
  const client = withToken();
  const id = await client.subscribe('pose_updates');
  client.send({ type: 'unsubscribe', subscription_id: id });
  await client.next('unsubscription_confirmed');
  service.main.publish(poseFrame(1));
  client.send({ type: 'ping' });
  await client.next('pong');
  expect(client.waiting).toEqual([]);
});

test("alerts are csiflow's own events, filtered by type and severity; a sender's claim is none", async () => {
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

test.each([
  ['{', 'JSON'],
  ['[1]', 'JSON object'],
  [{ type: 'dance' }, 'type must be'],
  [{ type: 'subscribe', channel: 'weather' }, 'channel must be one of pose_updates, alerts, system_status'],
  [{ type: 'subscribe', channel: '__proto__' }, 'channel must be one of'],
  [{ type: 'subscribe', channel: 'pose_updates', filters: { colour: 1 } }, 'filters.colour is no filter'],
  [
    { type: 'subscribe', channel: 'pose_updates', filters: { include_dense_pose: true } },
    'filters.include_dense_pose can only be false',
  ],
  [{ type: 'subscribe', channel: 'alerts', filters: { severity: ['huge'] } }, 'one of low, medium, high'],
  [
    { type: 'subscribe', channel: 'pose_updates', filters: { environment_id: 'nowhere' } },
    'No environment is named nowhere; there are test-room',
  ],
  [{ type: 'subscribe', channel: 'pose_updates', filters: { min_confidence: 7 } }, 'min_confidence'],
  [{ type: 'unsubscribe', subscription_id: 'x' }, 'No subscription x'],
])('answers %j with an error that helps', async (message, text) => {
  const client = withToken();
  await client.next('connection_established');
  client.send(message);
  expect((await client.next('error'))['message']).toContain(text);
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
