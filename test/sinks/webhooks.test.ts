import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { StoragePolicy, Sink } from '../../pipeline/component/index.js';
import type { Failure } from '../../pipeline/model/index.js';
import { NO_KEYS, StateStore } from '../../pipeline/state/index.js';
import { MAX_WEBHOOKS, WebhookRegistry } from '../../sinks/webhook/registry.js';
import { webhooks } from '../../sinks/webhook/webhooks.js';
import { signature } from '../../sinks/webhook/signature.js';
import { withDefaults } from '../kit/definition.js';
import { testContext } from '../support/context.js';
import { fallEvent } from '../support/fake-topology.js';
import { startReceiver, type Receiver } from '../support/http-receiver.js';

const secret = 'a secret of some length';
let folder: string;
let registry: WebhookRegistry;
let receivers: Receiver[];
let refused: Failure[];
let sink: Sink;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'csiflow-webhooks-'));
  registry = new WebhookRegistry(folder, NO_KEYS);
  receivers = [await startReceiver(), await startReceiver()];
  refused = [];
  sink = await open();
});
afterEach(async () => {
  await sink.close();
  for (const receiver of receivers) await receiver.close();
  rmSync(folder, { recursive: true });
});

function create(config: object = { allow_private: true }, storage?: StoragePolicy): Sink {
  const { context } = testContext({
    ...(storage && { storage }),
    stateFolder: folder,
    clock: { now: () => Date.now() * 1000, elapsed: () => performance.now() },
    refuse: (failures) => refused.push(...failures),
  });
  return webhooks.create(withDefaults(webhooks, config) as never, context);
}

async function open(config?: object): Promise<Sink> {
  const made = create(config);
  await made.open();
  return made;
}

const register = (receiver: Receiver, events = ['fall_detection'] as const) =>
  registry.add({ url: receiver.url, events: [...events], secret }, Date.now());

const received = (receiver: Receiver): unknown[] =>
  receiver.calls.map(({ body }) => (JSON.parse(body) as { alert_id: string }).alert_id);

test('a receiver registered while running gets signed alerts of its types from then on', async () => {
  const [one, other] = receivers as [Receiver, Receiver];
  await sink.write([fallEvent({ id: 'before' })], 1);
  register(one);
  registry.add({ url: other.url, events: ['crowd'], secret }, 0);
  await sink.write(
    [
      fallEvent({ id: 'fall' }),
      fallEvent({ id: 'crowd', type: 'crowd' }),
      fallEvent({ id: 'claim', source: 'node-1' }),
    ],
    1,
  );
  await expect.poll(() => [received(one), received(other)]).toEqual([['fall'], ['crowd']]);
  const { headers, body } = one.calls[0]!;
  expect(headers['csiflow-signature']).toBe(signature(secret, Number(headers['csiflow-timestamp']), body));
  expect(headers['idempotency-key']).toBe('fall');
  expect(JSON.parse(body)).toMatchObject({
    data: { video_clip_url: '/api/v1/alerts/2026-01-01T00:00:00.000Z/fall/clip' },
  });
});

test('an offline receiver delays no other, and gets everything later', async () => {
  const [away, other] = receivers as [Receiver, Receiver];
  away.answer = (_call, response) => response.writeHead(503).end();
  register(away);
  register(other);
  for (const id of ['one', 'two', 'three']) await sink.write([fallEvent({ id })], 1);
  await expect.poll(() => received(other)).toEqual(['one', 'two', 'three']);
  away.calls.length = 0;
  away.answer = (_call, response) => response.writeHead(204).end();
  await expect.poll(() => received(away)).toEqual(['one', 'two', 'three']);
});

test('after an outage, a fall is sent before less severe events', async () => {
  const [one] = receivers as [Receiver];
  registry.add({ url: one.url, events: ['fall_detection', 'zone_entered'], secret }, Date.now());
  one.answer = (_call, response) => response.writeHead(503).end();
  for (const id of ['a', 'b', 'c'])
    await sink.write([fallEvent({ id, type: 'zone_entered', severity: 'low' })], 1);
  await sink.write([fallEvent({ id: 'fall' })], 1);
  // From then on it serves as the probe for the receiver's return.
  await expect.poll(() => received(one), { timeout: 5_000 }).toContain('fall');
  one.calls.length = 0;
  one.answer = (_call, response) => response.writeHead(204).end();
  await expect.poll(() => received(one).length).toBe(4);
  expect(received(one)[0]).toBe('fall');
});

test('waiting events survive a stop, in order', async () => {
  const [one] = receivers as [Receiver];
  register(one);
  one.answer = (_call, response) => response.writeHead(503).end();
  await sink.write([fallEvent({ id: 'one' })], 1);
  await sink.write([fallEvent({ id: 'two' })], 1);
  await expect.poll(() => one.calls.length).toBeGreaterThan(0);
  await sink.close();
  one.calls.length = 0;
  one.answer = (_call, response) => response.writeHead(204).end();
  sink = await open();
  await expect.poll(() => received(one)).toEqual(['one', 'two']);
});

test.each(['runs', 'is closed'])(
  'a copy while it %s contains waiting events; they are delivered from there',
  async (when) => {
    const [one] = receivers as [Receiver];
    register(one);
    one.answer = (_call, response) => response.writeHead(503).end();
    await sink.write([fallEvent({ id: 'copied' })], 1);
    const copy = join(folder, 'backups', 'stores', 'webhooks');
    mkdirSync(copy, { recursive: true });
    if (when === 'runs') await sink.copyTo!(copy);
    await sink.close();
    const closed = create();
    if (when === 'is closed') await closed.copyTo!(copy);
    sink = await open();
    await sink.write([fallEvent({ id: 'later' })], 2);
    await sink.close();
    (await closed.restoreFrom!(copy, 'aside'))();
    expect(readdirSync(join(folder, 'webhooks'))).toContain('state.mdb.aside');
    one.calls.length = 0;
    one.answer = (_call, response) => response.writeHead(204).end();
    sink = await open();
    await expect.poll(() => received(one)).toEqual(['copied']);
    await sink.write([fallEvent({ id: 'new' })], 3);
    await expect.poll(() => received(one)).toEqual(['copied', 'new']);
  },
);

test('an event refused by one receiver is replayed only to that one', async () => {
  const [one, other] = receivers as [Receiver, Receiver];
  one.answer = (_call, response) => response.writeHead(400).end('no falls here');
  register(one);
  register(other);
  const event = fallEvent();
  await sink.write([event], 1);
  await expect.poll(() => refused).toHaveLength(1);
  expect(refused[0]).toMatchObject({ code: 'webhook.400', retriable: false, record: { id: event.id } });
  await expect.poll(() => other.calls).toHaveLength(1);
  one.answer = (_call, response) => response.writeHead(204).end();
  await sink.close();
  sink = await open();
  await sink.write([event], 2);
  await expect.poll(() => one.calls).toHaveLength(2);
  expect(other.calls).toHaveLength(1);
});

test('a removed receiver leaves nothing to the next one', async () => {
  const [one, other] = receivers as [Receiver, Receiver];
  one.answer = (_call, response) => response.writeHead(503).end();
  const { id, queue } = register(one);
  await sink.write([fallEvent({ id: 'old' })], 1);
  await sink.close();
  registry.remove(id);
  expect(register(other).queue).toBe(queue);
  sink = await open();
  await sink.write([fallEvent({ id: 'new' })], 1);
  await expect.poll(() => received(other)).toEqual(['new']);
});

test('rejects addresses in private networks unless allowed', async () => {
  await sink.close();
  register(receivers[0]!);
  sink = await open({});
  await sink.write([fallEvent()], 1);
  await expect.poll(() => refused).toHaveLength(1);
  expect(refused[0]).toMatchObject({ code: 'webhook.address' });
  expect(receivers[0]!.calls).toEqual([]);
});

test('their number is bounded, and only the owner can read the file with their secrets', () => {
  for (let index = 0; index < MAX_WEBHOOKS; index++) register(receivers[0]!);
  expect(() => register(receivers[0]!)).toThrow('there are 20 webhooks already');
  expect(statSync(join(folder, 'webhooks.json')).mode & 0o777).toBe(0o600);
});

test('rewrites secrets and waiting events when encryption is turned on or off', async () => {
  const key = randomBytes(32);
  const [one] = receivers as [Receiver];
  const inClear = () => readFileSync(join(folder, 'webhooks.json'), 'utf8').includes(secret);
  const added = register(one);
  one.answer = (_call, response) => response.writeHead(503).end();
  await sink.write([fallEvent({ id: 'one' })], 1);
  await sink.close();
  expect(inClear()).toBe(true);

  await create({}, { key, retentionDays: null }).reseal!();
  expect(inClear()).toBe(false);
  expect(new WebhookRegistry(folder, { key }).list()).toEqual([added]);
  const queues = new StateStore(join(folder, 'webhooks'), 'test', null, key);
  expect(queues.isSealed).toBe(true);
  await queues.close();

  const storage = { key: null, formerKey: key, retentionDays: null };
  sink = create({ allow_private: true }, storage);
  await sink.reseal!();
  expect(inClear()).toBe(true);
  one.calls.length = 0;
  one.answer = (_call, response) => response.writeHead(204).end();
  await sink.open();
  await expect.poll(() => received(one)).toEqual(['one']);
});

test("secrets are encrypted with the topology's key, and open with no other", () => {
  const key = randomBytes(32);
  const sealed = new WebhookRegistry(folder, { key });
  const { url } = receivers[0]!;
  const added = sealed.add({ url, events: ['crowd'], secret }, 0);
  expect(readFileSync(join(folder, 'webhooks.json'), 'utf8')).not.toContain(secret);
  expect(new WebhookRegistry(folder, { key }).list()).toEqual([added]);
  for (const other of [randomBytes(32), null])
    expect(() => new WebhookRegistry(folder, { key: other }).list()).toThrow(
      expect.objectContaining({ code: 'state.encryption' }),
    );
  expect(new WebhookRegistry(folder, NO_KEYS).remove(added.id)).toBe(true);
});
