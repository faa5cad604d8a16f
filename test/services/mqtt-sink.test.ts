import { join } from 'node:path';
import { connectAsync, type MqttClient } from 'mqtt';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Sink } from '../../pipeline/component/index.js';
import { mqtt } from '../../sinks/mqtt/mqtt.js';
import { withDefaults } from '../kit/definition.js';
import { testContext } from '../support/context.js';
import { counter, runnerOf, sum, temporaryFolder, topologyOf } from '../support/flow.js';
import { eventually, until } from '../support/waiting.js';
import { measure, poseFrame, sensedEvent } from '../support/records.js';
import { startMosquitto, type Mosquitto } from '../support/servers/mosquitto.js';
import { startProxy } from '../support/tcp-proxy.js';

let broker: Mosquitto;
beforeAll(async () => {
  broker = await startMosquitto();
});
afterAll(async () => {
  await broker.server.stop();
});

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Seen {
  readonly topic: string;
  readonly text: string;
  readonly retain: boolean;
}

/** A reader of everything below `root`; its session survives the broker's end. */
async function reader(root: string): Promise<{ client: MqttClient; seen: Seen[] }> {
  const client = await connectAsync(broker.url, {
    username: 'reader',
    password: broker.password,
    protocolVersion: 5,
    clientId: `reader-${root}-${closing.length}`,
    clean: false,
    properties: { sessionExpiryInterval: 600 },
    reconnectPeriod: 50,
  });
  const seen: Seen[] = [];
  client.on('error', () => undefined);
  client.on('message', (topic, payload, { retain }) => {
    seen.push({ topic, text: payload.toString(), retain });
  });
  await client.subscribeAsync(`${root}/#`, { qos: 1 });
  closing.push(() => client.endAsync(true));
  return { client, seen };
}

let sinks = 0;
/** Separate topics for each test: the broker keeps retained messages. */
async function make(config: object = {}): Promise<{ sink: Sink; root: string }> {
  const { context } = testContext({ topology: `test-${++sinks}` });
  const root = `csiflow/t${sinks}`;
  const filled = withDefaults(mqtt, {
    url: broker.url,
    username: 'csiflow',
    password: broker.password,
    prefix: root,
    timeout_ms: 2000,
    ...config,
  });
  const sink = mqtt.create(filled as never, context);
  closing.push(() => sink.close());
  return { sink, root };
}

const ends = (topic: string) => (message: Seen) => message.topic.endsWith(topic);

test('it publishes with a password over TLS', async () => {
  const { sink, root } = await make({ url: broker.tlsUrl, ca: broker.ca });
  const { seen } = await reader(root);
  await sink.open();
  expect(await sink.write([poseFrame(0), sensedEvent(0), measure(0)], 1)).toEqual([]);
  await eventually(() => {
    expect(seen.filter(ends('alerts/fall_detection'))).toHaveLength(1);
    expect(seen.filter(ends('analytics/motion'))).toHaveLength(1);
    expect(seen.filter(ends('pose/person/1'))).toHaveLength(1);
  });
});

test.each([
  ['in MQTT 3.1.1', () => ({ protocol: '3.1.1' })],
  ['over WebSocket', () => ({ url: broker.webSocketUrl })],
])('it publishes %s too', async (_how, config) => {
  const { sink, root } = await make(config());
  const { seen } = await reader(root);
  await sink.open();
  expect(await sink.write([sensedEvent(0)], 1)).toEqual([]);
  await eventually(() => {
    expect(seen.filter(ends('alerts/fall_detection'))).toHaveLength(1);
  });
});

test.each(['5', '3.1.1'])(
  'a wrong password is reported with a fix, and not shown (MQTT %s)',
  async (protocol) => {
    const { sink } = await make({ password: 'canary-wrong-password', protocol });
    const error = await sink.open().then(
      () => undefined,
      (reason: unknown) => reason as Error,
    );
    expect(error?.message).toMatch(/does not let the user `csiflow` in: check `username` and `password`/);
    expect(error).toMatchObject({ retriable: false });
    expect(`${error!.stack!} ${JSON.stringify(sink.describe!())}`).not.toContain('canary-wrong-password');
  },
);

test('a certificate of an unknown authority is reported with a fix', async () => {
  const { sink } = await make({ url: broker.tlsUrl });
  await expect(sink.open()).rejects.toThrow(
    /signed by an authority that this machine does not know: set `ca`/,
  );
});

test('a missing file of an authority is named', async () => {
  const { sink } = await make({ url: broker.tlsUrl, ca: join(temporaryFolder(), 'other.crt') });
  await expect(sink.open()).rejects.toThrow(/`ca`: the file .*other\.crt cannot be read \(ENOENT\)/);
});

test('TLS to a plain port, and plain to a TLS port, are distinguished', async () => {
  const { sink } = await make({ url: broker.url.replace('mqtt:', 'mqtts:') });
  await expect(sink.open()).rejects.toThrow(/mqtts?:\/\//);
  const other = await make({ url: broker.tlsUrl.replace('mqtts:', 'mqtt:') });
  await expect(other.sink.open()).rejects.toThrow(/requires TLS, use `mqtts:\/\/`/);
});

test('rejects a certificate for another name', async () => {
  const { sink } = await make({ url: broker.tlsUrl.replace('localhost', '127.0.0.1'), ca: broker.ca });
  await expect(sink.open()).rejects.toThrow(/its certificate is for another name/);
});

test('its last will appears when it vanishes, and is withdrawn when it returns', async () => {
  const proxy = await startProxy(Number(new URL(broker.url).port));
  closing.push(() => proxy.close());
  const { sink, root } = await make({ url: `mqtt://127.0.0.1:${proxy.port}`, reconnect_ms: 50 });
  const { seen } = await reader(root);
  await sink.open();
  const states = () => seen.filter(ends('status/connection')).map(({ text }) => text);
  await eventually(() => {
    expect(states()).toEqual(['online']);
  });
  proxy.cut();
  await eventually(() => {
    expect(states()).toEqual(['online', 'offline']);
  });
  proxy.mend();
  await eventually(() => {
    expect(states()).toEqual(['online', 'offline', 'online']);
  });
});

test('late subscribers see the state and no alert', async () => {
  const { sink, root } = await make({ home_assistant: false });
  await sink.open();
  await sink.write([poseFrame(0), sensedEvent(0), measure(0)], 1);
  const { client, seen } = await reader(root);
  // Retained messages arrive before the answer to a later request.
  await client.subscribeAsync('nothing', { qos: 1 });
  expect(seen.map(({ topic }) => topic.slice(root.length + '/test-room/'.length)).sort()).toEqual([
    'analytics/motion',
    'pose/summary',
    'status/connection',
    'status/engine',
    'status/occupancy',
    'status/room',
  ]);
  expect(seen.every(({ retain }) => retain)).toBe(true);
});

test('messages forbidden by the access list are reported, and the rest is sent', async () => {
  const { sink, root } = await make({ username: 'quiet', prefix: 'csiflow' });
  const { seen } = await reader('csiflow/test-room');
  await sink.open();
  const alert = sensedEvent(0);
  const failed = await sink.write([measure(0), alert, measure(1), measure(2)], 1);
  expect(failed).toEqual([
    {
      record: alert,
      code: 'mqtt.135',
      reason: expect.stringMatching(
        /rejects a message for `csiflow\/test-room\/alerts\/fall_detection`: the user `quiet` may not publish there/,
      ) as unknown,
      retriable: false,
    },
  ]);
  await eventually(() => {
    expect(new Set(seen.filter(ends('analytics/motion')).map(({ text }) => text)).size).toBe(3);
  });
  // It is not retried immediately: the broker closes the connection because of it.
  expect(await sink.write([alert], 1)).toHaveLength(1);
  expect(root).toBeTruthy();
});

test('a broker that hangs times out, and unconfirmed messages are reported', async () => {
  const { sink } = await make({ timeout_ms: 300 });
  await sink.open();
  broker.server.freeze();
  try {
    await expect(sink.write([measure(0)], 1)).rejects.toThrow(/does not answer/);
  } finally {
    broker.server.resume();
  }
});

/** `count` measures, one per millisecond of event time, published below `prefix`. */
const line = (prefix: string, count: number) =>
  topologyOf(
    {
      in: { component: counter, config: { count, block: 5 } },
      sums: { component: sum, from: ['in'], config: { span: 1 } },
      out: {
        component: mqtt,
        from: ['sums'],
        config: {
          url: broker.url,
          username: 'csiflow',
          password: broker.password,
          prefix,
          reconnect_ms: 200,
          timeout_ms: 2000,
        },
      },
    },
    temporaryFolder(),
  );

const times = (seen: readonly Seen[]) =>
  seen
    .filter(ends('analytics/other'))
    .map(({ text }) => (JSON.parse(text) as { timestamp: string }).timestamp);

test('killed midway: the outbox is published in order, and nothing is missing', async () => {
  const { seen } = await reader('csiflow/kill');
  const count = 800;
  const runner = runnerOf(line('csiflow/kill', count));
  await runner.start();
  await until('some were published', () => times(seen).length > 100);
  await broker.server.crash();
  await until('the sink is degraded', () => runner.status().state === 'degraded');
  await broker.server.start();
  // One measure for each millisecond except the first, and the end.
  await until('all were published', () => new Set(times(seen)).size === count);
  await until('it is well again', () => runner.status().state === 'running');
  const first = [...new Set(times(seen))];
  expect(first).toEqual([...first].sort());
  expect(await runner.deadLetters()).toEqual([]);
}, 60_000);

test('an expired password degrades it, is reported, and loses nothing once it is valid again', async () => {
  const { seen } = await reader('csiflow/expired');
  const count = 400;
  const runner = runnerOf(line('csiflow/expired', count));
  await runner.start();
  await until('some were published', () => times(seen).length > 50);
  await broker.server.crash();
  await broker.changePassword('csiflow', 'another-one');
  await broker.server.start();
  await until(
    'it is reported',
    () => runner.status().problem?.includes('does not let the user `csiflow` in') === true,
  );
  expect(runner.status().state).toBe('degraded');
  expect(JSON.stringify(runner.status())).not.toContain(broker.password);
  await broker.server.crash();
  await broker.changePassword('csiflow', broker.password);
  await broker.server.start();
  await until('all were published', () => new Set(times(seen)).size === count);
  const first = [...new Set(times(seen))];
  expect(first).toEqual([...first].sort());
  expect(await runner.deadLetters()).toEqual([]);
}, 60_000);
