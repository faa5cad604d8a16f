import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { connectAsync } from 'mqtt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { ENDPOINTS } from '../../api/rest/endpoints.js';
import { Outbox, StateStore } from '../../pipeline/state/index.js';
import { packageFile } from '../../pipeline/base/paths.js';
import { Csiflow } from '../support/csiflow.js';
import { startReceiver, type Receiver } from '../support/http-receiver.js';
import { INFLUX_USERS, startInflux, type InfluxServer } from '../support/servers/influx.js';
import { startMosquitto, type Mosquitto } from '../support/servers/mosquitto.js';

/**
 * One person with a unique number and place, in a deployment that anonymises its results. Everything is sent
 * to every output, including servers that are offline; then all outputs are searched for both.
 */
const TRUE = { person: 87_654_321, x: 3.141_592, y: 2.718_281, keypoint: 1.618_033 };
/**
 * As written in metres, unrounded or rounded. The seconds of a time of day, such as 09:15:23.142, are not a
 * place.
 */
const PLANTED = [
  /87654321/,
  /3[.]?14159|(?<![\d:])3\.142/,
  /2[.]?71828|(?<![\d:])2\.718/,
  /1[.]?61803|(?<![\d:])1\.618/,
];

const folder = mkdtempSync(join(tmpdir(), 'csiflow-anonymous-'));
const plugin = join(folder, 'witness.mjs');
const file = join(folder, 'site.yaml');
const limits = join(folder, 'limits.json');
const open: (() => Promise<unknown>)[] = [];
const received: string[] = [];
let influx: InfluxServer;
let broker: Mosquitto;
let hook: Receiver;
let csiflow: Csiflow;
let address: string;
let token: string;

/**
 * Emits records of the person with each measure: a pose frame, a fall, a measure of theirs; and fails with a
 * pose.
 */
const WITNESS = `const provenance = { origin: 'live' };
const person = {
  confidence: 0.9, position: { x: ${TRUE.x}, y: ${TRUE.y}, z: 0 }, positionError: 0.1, heading: 1, headingConfidence: 1,
  posture: 'upright', articulated: true,
  keypoints: Array.from({ length: 17 }, (_, at) => ({ x: ${TRUE.x}, y: ${TRUE.y}, z: ${TRUE.keypoint}, error: 0.05 })),
};
let frameId = 0;
const witness = {
  kind: 'operator', name: 'witness', summary: 'Tells of one person.', examples: [],
  config: { type: 'object', properties: {}, additionalProperties: false },
  inputs: ['measure'], outputs: ['pose', 'event', 'measure'],
  create: () => ({
    process: ({ time, environment }) => {
      const id = ++frameId;
      const track = { id: ${TRUE.person}, state: 'active', age: id, since: time, velocity: { x: 0.1, y: 0.2 } };
      const frame = { port: 'pose', frameId: id, environment, time, windowEnd: time, processingMs: 1,
        persons: [{ ...person, track }], links: 2, signalQuality: 1, provenance };
      return { data: [frame, {
        port: 'event', id: environment + '-fall_detection-${TRUE.person}-' + id, type: 'fall_detection', severity: 'high',
        environment, time, confidence: 0.9, person: ${TRUE.person},
        location: { x: ${TRUE.x}, y: ${TRUE.y}, z: ${TRUE.keypoint} },
        metadata: { score: 0.5, seen_at: '${TRUE.x}, ${TRUE.y}', height: ${TRUE.keypoint}, track: ${TRUE.person} },
        source: 'csiflow', provenance,
      }, { port: 'measure', name: 'breathing', environment, subject: '${TRUE.person}', time, value: 14, source: 'csiflow', provenance }] };
    },
  }),
};
const refusing = {
  kind: 'operator', name: 'refusing', summary: 'Takes nothing.', examples: [],
  config: { type: 'object', properties: {}, additionalProperties: false },
  inputs: ['pose'], outputs: ['measure'],
  create: () => ({ process: (record) => ({ data: [], failed: [{ record, code: 'no', reason: 'not taken', retriable: false }] }) }),
};
export default [witness, refusing];`;

const topology = (): string => `id: site
environment: ${packageFile('topologies/environments/demo-flat.yaml')}
sources:
  flat: { type: simulator, rate_hz: 50, seed: 7 }
operators:
  windows: { type: window, from: flat, length_ms: 2000, hop_ms: 200, points: 100 }
  motion: { type: detect-motion, from: windows }
  witness: { type: witness, from: motion }
  refusing: { type: refusing, from: witness }
sinks:
  history: { type: duckdb, from: [witness, refusing], path: ${join(folder, 'site.duckdb')} }
  influx: { type: influxdb, from: witness, url: '${influx.url}', database: csi, username: writer, password: '${INFLUX_USERS.writer}' }
  live: { type: websocket, from: witness }
  broker: { type: mqtt, from: witness, url: '${broker.url}', username: csiflow, password: '${broker.password}' }
  away: { type: mqtt, from: witness, url: 'mqtt://127.0.0.1:1' }
  results: { type: kafka, from: witness, brokers: ['127.0.0.1:1'] }
  hook: { type: webhook, from: witness, url: '${hook.url}', secret: a-secret-of-some-length, allow_private: true }
  lines: { type: file, from: witness, path: ${join(folder, 'lines')}, format: ndjson }
settings:
  state_folder: ${join(folder, 'state')}
  privacy: { anonymize_data: true }
`;

async function start(): Promise<void> {
  csiflow = new Csiflow([
    'run',
    file,
    '--port',
    '0',
    '--log',
    'debug',
    '--plugin',
    plugin,
    '--limits',
    limits,
  ]);
  address = (await csiflow.printed(/live page +(http:\S+)\//))[1]!;
  await csiflow.printed(/the topology is running/);
}

beforeAll(async () => {
  influx = await startInflux();
  open.push(() => influx.server.stop());
  broker = await startMosquitto();
  open.push(() => broker.server.stop());
  hook = await startReceiver();
  open.push(() => hook.close());
  const reader = await connectAsync(broker.url, { username: 'reader', password: broker.password });
  open.push(() => reader.endAsync(true));
  reader.on('message', (topic, payload) => received.push(`${topic} ${payload.toString()}`));
  await reader.subscribeAsync('#', { qos: 1 });
  writeFileSync(plugin, WITNESS);
  writeFileSync(file, topology());
  const plenty = { requests: 10_000, seconds: 60 };
  const limited = ['form_a', 'pose_data', 'configuration', 'analytics'];
  writeFileSync(limits, JSON.stringify(Object.fromEntries(limited.map((name) => [name, plenty]))));
  mkdirSync(join(folder, 'state'));
  await start();
  open.push(() => csiflow.interrupt());
  const [, password] = await csiflow.printed(/admin \/ (\S+)/);
  const response = await fetch(`${address}/form-a/api/v1/auth/token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password }),
  });
  token = ((await response.json()) as { access_token: string }).access_token;
}, 120_000);

afterAll(async () => {
  for (const end of open.reverse()) await end();
  rmSync(folder, { recursive: true });
}, 60_000);

/** Places that contain the person's number or place, with some of their context. */
const found = (where: string, text: string): readonly string[] =>
  PLANTED.flatMap((pattern) => {
    const match = pattern.exec(text);
    return match ? [`${where}: …${text.slice(Math.max(0, match.index - 60), match.index + 40)}…`] : [];
  });

const get = async (path: string): Promise<{ status: number; text: string }> => {
  const response = await fetch(address + path, { headers: { Authorization: `Bearer ${token}` } });
  return { status: response.status, text: await response.text() };
};
const post = async (path: string, body: object): Promise<string> => {
  const response = await fetch(address + path, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status, path).toBe(200);
  return response.text();
};

test('WebSocket clients see pseudonyms, no skeleton, and no exact place', async () => {
  const socket = new WebSocket(`${address.replace('http', 'ws')}/ws/pose?token=${token}`);
  const messages: string[] = [];
  socket.on('message', (data: Buffer) => messages.push(data.toString()));
  await once(socket, 'open');
  const filters = { include_keypoints: true, include_dense_pose: true };
  for (const channel of ['pose_updates', 'alerts'])
    socket.send(
      JSON.stringify({ type: 'subscribe', channel, ...(channel === 'pose_updates' && { filters }) }),
    );
  const has = (type: string) => messages.some((text) => text.includes(`"type":"${type}"`));
  await expect.poll(() => has('pose_update') && has('alert')).toBe(true);
  socket.close();
  expect(found('/ws/pose', messages.join('\n'))).toEqual([]);
}, 60_000);

test('no answer of the service interface reveals identities, nor does anything sent or stored', async () => {
  await expect.poll(() => received.join('\n')).toMatch(/alerts\/fall_detection/);
  await expect.poll(() => hook.calls.length).toBeGreaterThan(0);
  await expect.poll(async () => (await get('/form-a/api/v1/pose/history')).text).toContain('"persons":[{');
  const now = Date.now();
  const range = `start_time=${new Date(now - 3_600_000).toISOString()}&end_time=${new Date(now + 3_600_000).toISOString()}`;
  const paths = ENDPOINTS.filter(({ method }) => method === 'GET').map(({ path }) => path);
  const answered = new Set<string>();
  for (const base of ['/form-a/api/v1', '/form-b/api/v1'])
    for (const path of paths) {
      const concrete = path.replace(':id', 'site').replace(':node', 'witness').replaceAll(/:\w+/g, '1');
      for (const query of ['', `?${range}`, '?include_3d=true', '?limit=20&wait_ms=1000']) {
        const { status, text } = await get(base + concrete + query);
        if (status === 200) answered.add(path);
        expect(status, concrete).not.toBe(429);
        expect(found(base + concrete + query, text)).toEqual([]);
      }
    }
  for (const path of [
    '/pose/latest',
    '/pose/history',
    '/analytics/events',
    '/topologies/:id/nodes/:node/records',
  ])
    expect(answered).toContain(path);
  const letters = await get('/form-b/api/v1/topologies/site/dead-letters?node=refusing&per_page=5');
  const { data } = JSON.parse(letters.text) as { data: { id: number }[] };
  expect(data.length).toBeGreaterThan(0);
  const letter = await get(`/form-b/api/v1/topologies/site/dead-letters/${data[0]!.id}`);
  expect(letter.text).toContain('"persons"');
  expect(found('dead letter', letter.text)).toEqual([]);

  const query = {
    time_range: { start: new Date(now - 3_600_000).toISOString(), end: new Date(now).toISOString() },
  };
  const aggregation = { type: 'minute_summary', metrics: ['person_count', 'avg_confidence'] };
  expect(
    found(
      'query',
      await post('/form-b/api/v1/pose/query', { query: { ...query, filters: {}, aggregation } }),
    ),
  ).toEqual([]);

  const alert = JSON.parse(
    received.find((text) => text.includes('alerts/fall_detection'))!.replace(/^\S+ /, ''),
  ) as {
    data: { video_clip_url: string; location: { x: number; y: number } };
  };
  expect(alert.data.location).toMatchObject({ x: 3, y: 2.5 });
  const clip = await get(alert.data.video_clip_url);
  expect(clip.status).toBe(200);
  expect(found('clip', clip.text)).toEqual([]);

  expect(found('MQTT', received.join('\n'))).toEqual([]);
  expect(
    found(
      'webhook',
      hook.calls.map(({ path, headers, body }) => path + JSON.stringify(headers) + body).join('\n'),
    ),
  ).toEqual([]);
  const points = await influx.execute('SELECT * FROM csi../.*/ LIMIT 200');
  expect(JSON.stringify(points)).toContain('breathing');
  expect(found('InfluxDB', JSON.stringify(points))).toEqual([]);
}, 240_000);

test('nor do logs, traces, files and outboxes on disk; the pseudonym survives the restart', async () => {
  const pseudonyms = () =>
    new Set([...received.join('\n').matchAll(/pose\/person\/(\d+)/g)].map(([, number]) => number));
  await expect.poll(() => pseudonyms().size).toBe(1);
  await csiflow.interrupt();
  expect(found('log', csiflow.output)).toEqual([]);
  const before = received.length;
  await start();
  await expect.poll(() => received.slice(before).join('\n')).toMatch(/pose\/person\/\d+/);
  expect(pseudonyms().size).toBe(1);
  await csiflow.interrupt();
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  // Operators' own dead letters are stored in the state as inferred, so that they can be replayed.
  const kept = files.filter(({ name }) => !/^(witness\.mjs|state\.mdb)$/.test(name));
  expect(kept.map(({ name }) => name)).toContain('site.duckdb');
  for (const { parentPath, name } of kept)
    expect(found(name, readFileSync(join(parentPath, name), 'latin1'))).toEqual([]);
  const state = new StateStore(join(folder, 'state'), 'site');
  for (const sink of ['away', 'results']) {
    const waiting = [...new Outbox(state, sink).entries()].flatMap(({ records }) => records);
    expect(waiting.length, sink).toBeGreaterThan(0);
    expect(found(`outbox of ${sink}`, JSON.stringify(waiting))).toEqual([]);
  }
  await state.close();
}, 120_000);
