import { promises as dns, type LookupAddress } from 'node:dns';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { withWebhooks } from '../../api/service/deployment/webhooks-node.js';
import { detectFalls } from '../../operators/detect-falls/detect-falls.js';
import { webhook } from '../../sinks/webhook/webhook.js';
import { webhooks } from '../../sinks/webhook/webhooks.js';
import type { CheckedNode } from '../../pipeline/config/topology/topology.js';
import { Csiflow } from '../support/csiflow.js';
import { startReceiver } from '../support/http-receiver.js';
import { openService, type TestService } from './support.js';

const path = '/api/v1/webhooks';
const secret = 'a secret of some length';
let service: TestService;

const node = (id: string, component: CheckedNode['component'], from: string[], config = {}): CheckedNode => ({
  id,
  component,
  config,
  inputs: from.map((one) => ({ from: one, ports: ['event'] })),
  queue: null,
  secrets: [],
  hash: id,
});

/** Addresses of the network's names; others are unknown. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'alarms.example': ['203.0.114.7', '2606:2800::1'],
  'inside.example': ['203.0.114.8', '127.0.0.1'],
  'ward.example': ['fd00::7'],
};

async function lookUp(name: string): Promise<LookupAddress[]> {
  const addresses = NAMES[name];
  if (!addresses) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' });
  return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
}

beforeEach(async () => {
  vi.spyOn(dns, 'lookup').mockImplementation(lookUp as never);
  service = await openService();
  serve({});
});
afterEach(async () => {
  vi.restoreAllMocks();
  await service.close();
});

function serve(config: object): void {
  const { main, stateFolder } = service;
  const settings = { ...main.topology.settings, stateFolder };
  main.topology = { ...main.topology, settings, nodes: [node('webhooks', webhooks, [], config)] };
}

const register = (body: object, role: 'admin' | 'operator' = 'admin') =>
  service.post(path, body, service.token(role));

const remove = (id: string) =>
  fetch(`${service.server.address}${path}/${id}`, {
    method: 'DELETE',
    headers: { Authorization: `Bearer ${service.token('admin')}` },
  });

test('an endpoint is registered, listed without its secret, and removed', async () => {
  const made = await register({ url: 'https://alarms.example/hook', events: ['fall_detection'], secret });
  expect(made.status).toBe(201);
  const text = await made.text();
  expect(text).not.toContain(secret);
  const { data } = JSON.parse(text) as { data: { id: string } };
  expect(data).toMatchObject({ url: 'https://alarms.example/hook', events: ['fall_detection'] });
  const listed = await (await service.get(path, service.token('admin'))).text();
  expect(listed).not.toContain(secret);
  expect(JSON.parse(listed)).toMatchObject({ data: [data], pagination: { total: 1 } });
  expect((await remove(data.id)).status).toBe(204);
  expect((await remove(data.id)).status).toBe(404);
});

test('sends alerts if no types are named', async () => {
  const { data } = (await (await register({ url: 'https://alarms.example', secret })).json()) as {
    data: { events: string[] };
  };
  expect(data.events).toEqual(['fall_detection', 'inactivity', 'intrusion', 'crowd']);
});

test.each([
  [
    'http://127.0.0.1/hook',
    '`allow_private: true` if the receiver is meant to be there, in a sink of type webhooks',
  ],
  ['http://[::1]/hook', 'allow_private'],
  ['http://169.254.169.254/latest', 'allow_private'],
  ['https://inside.example/hook', 'inside.example is 127.0.0.1'],
  ['https://ward.example/hook', 'ward.example is fd00::7'],
  ['https://user:password@alarms.example/', 'url'],
  ['ftp://alarms.example/', 'must be an address such as https://'],
  ['http://[', 'url'],
])('rejects %s without repeating any of it', async (url, words) => {
  const refused = await register({ url, secret });
  expect(refused.status).toBe(422);
  const text = await refused.text();
  expect(text).toContain(words);
  expect(text).not.toContain(secret);
});

test('accepts a name that does not resolve yet: it is looked up with each call', async () => {
  expect((await register({ url: 'https://coming.example/hook', secret })).status).toBe(201);
});

test('accepts private addresses if the topology allows them', async () => {
  serve({ allow_private: true });
  for (const host of ['127.0.0.1', 'inside.example'])
    expect((await register({ url: `http://${host}/hook`, secret })).status).toBe(201);
});

test.each([
  [{ url: 'https://alarms.example', secret: 'short' }, 'fewer than 16 characters'],
  [{ url: 'https://alarms.example', secret, events: ['cat'] }, 'events.0: must be one of fall_detection, '],
  [{ url: 'https://alarms.example', secret, colour: 1 }, 'colour: unknown field'],
  [{ secret }, 'url: is required'],
])('rejects %j: %s', async (body, words) => {
  const refused = await register(body);
  expect(refused.status).toBe(422);
  expect(await refused.text()).toContain(words);
});

test('administrators only, and at most twenty', async () => {
  expect((await register({ url: 'https://alarms.example', secret }, 'operator')).status).toBe(403);
  for (let index = 0; index < 20; index++)
    expect((await register({ url: 'https://alarms.example', secret })).status).toBe(201);
  expect((await register({ url: 'https://alarms.example', secret })).status).toBe(409);
});

test('a topology without webhooks reports it', async () => {
  service.main.topology = { ...service.main.topology, nodes: [] };
  expect((await register({ url: 'https://alarms.example', secret })).status).toBe(409);
});

test('the node follows the operators whose events reach a sink, once', () => {
  const { topology } = service.main;
  const nodes = [
    node('falls', detectFalls, []),
    node('quiet', detectFalls, []),
    node('alarm', webhook, ['falls']),
  ];
  const served = withWebhooks({ ...topology, nodes });
  expect(served.nodes.at(-1)).toMatchObject({
    id: 'webhooks',
    inputs: [{ from: 'falls', ports: ['event'] }],
    config: { allow_private: false, give_up_ms: 86_400_000 },
  });
  expect(served.hash).not.toBe(topology.hash);
  expect(withWebhooks(served)).toBe(served);
  const alone = { ...topology, nodes: nodes.slice(0, 2) };
  expect(withWebhooks(alone)).toBe(alone);
  const scaled = { ...topology, nodes, settings: { ...topology.settings, scaleOut: true } };
  expect(withWebhooks(scaled)).toBe(scaled);
});

/** An alarm each second. */
const ALARM = `export default {
  kind: 'operator', name: 'alarm', summary: 'Alarms.', examples: [],
  config: { type: 'object', properties: {}, additionalProperties: false },
  inputs: ['csi'], outputs: ['event'],
  create: (config, { environments: [{ id }] }) => { let last = 0; return {
    process: ({ time }) => {
      const second = Math.floor(time[0] / 1e6);
      if (second === last) return { data: [] };
      last = second;
      return { data: [{
        port: 'event', id: 'alarm-' + second, type: 'intrusion', severity: 'high', environment: id, time: second * 1e6,
        confidence: 1, person: null, location: null, metadata: {}, source: 'csiflow', provenance: { origin: 'simulated' },
      }] };
    },
    snapshot: () => last, restore: (state) => { last = state; },
  }; },
};`;

test('a kill loses no alert of an offline receiver', { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'csiflow-webhooks-kill-'));
  const receiver = await startReceiver();
  receiver.answer = (_call, response) => response.writeHead(503).end();
  const file = join(folder, 'site.yaml');
  const plugin = join(folder, 'alarm.mjs');
  writeFileSync(plugin, ALARM);
  writeFileSync(
    join(folder, 'room.yaml'),
    'id: room\nsize: { x: 5, y: 4, z: 2.6 }\nlinks: [{ id: a, transmitter: [0, 0, 1], receiver: [5, 4, 1], sender: "*" }]\n',
  );
  writeFileSync(
    file,
    `id: site
environment: room.yaml
sources: { room: { type: simulator, rate_hz: 20, seed: 1, people: [] } }
operators: { alarms: { type: alarm, from: room } }
sinks: { receivers: { type: webhooks, from: [alarms], allow_private: true } }
settings: { state_folder: state, checkpoint_interval_ms: 500 }
`,
  );
  const start = () => new Csiflow(['run', file, '--port', '0', '--plugin', plugin]);
  let csiflow = start();
  try {
    const address = (await csiflow.printed(/live page +(\S+)\//))[1]!;
    const password = (await csiflow.printed(/admin \/ (\S+)/))[1]!;
    const call = async (where: string, body: object, token = '') =>
      (await (
        await fetch(`${address}/api/v1${where}`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
          body: JSON.stringify(body),
        })
      ).json()) as { data: { access_token: string; id: string } };
    const { data } = await call('/auth/token', { username: 'admin', password });
    const made = await call(
      '/webhooks',
      { url: receiver.url, secret, events: ['intrusion'] },
      data.access_token,
    );
    expect(made.data.id).toBeTruthy();
    await expect.poll(() => receiver.calls.length, { timeout: 60_000 }).toBeGreaterThan(1);
    // A simulated room without a checkpoint starts over.
    await expect.poll(() => checkpointsOf(address), { timeout: 60_000 }).toBeGreaterThan(0);
    const before = alarmsOf(receiver.calls);
    await csiflow.kill();
    receiver.calls.length = 0;
    receiver.answer = (_call, response) => response.writeHead(204).end();
    csiflow = start();
    // No alarm in between is missing. Alarms queued before the kill are sent in parallel with new ones, so
    // later ones may arrive first. Earlier ones may arrive too: those before the webhook but after the
    // checkpoint are processed again.
    const isWhole = (seconds: readonly number[]) =>
      seconds.includes(before[0]!) && seconds.every((second, index) => second === seconds[0]! + index);
    await expect
      .poll(
        () => {
          const after = alarmsOf(receiver.calls);
          return after.length > before.length + 2 && isWhole(after);
        },
        { timeout: 60_000 },
      )
      .toBe(true);
  } finally {
    await csiflow.kill();
    await receiver.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Number of checkpoints that a service has made. */
async function checkpointsOf(address: string): Promise<number> {
  const figures = await (await fetch(`${address}/metrics`)).text();
  return Number(/^csiflow_checkpoint_seconds_count\{.*\} (\d+)$/m.exec(figures)?.[1] ?? 0);
}

/** Seconds of the alarms, without repetitions, in order. */
const alarmsOf = (calls: readonly { readonly body: string }[]): readonly number[] =>
  [
    ...new Set(calls.map(({ body }) => Number((JSON.parse(body) as { alert_id: string }).alert_id.slice(6)))),
  ].sort((a, b) => a - b);
