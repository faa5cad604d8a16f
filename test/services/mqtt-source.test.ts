import { connectAsync, type IClientOptions, type MqttClient } from 'mqtt';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { Position, Source, SourceOutput } from '../../pipeline/component/index.js';
import { encodePairs } from '../../pipeline/formats/devices/adr018/adr018-frame.js';
import { mqtt } from '../../pipeline/sources/mqtt/mqtt.js';
import { withDefaults } from '../kit/definition.js';
import { collector } from '../sources/outputs.js';
import { testContext } from '../support/context.js';
import { runnerOf, Table, temporaryFolder, topologyOf } from '../support/flow.js';
import { eventually, until } from '../support/waiting.js';
import { startMosquitto, type Mosquitto } from '../support/servers/mosquitto.js';

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

let tests = 0;
const topic = () => `csi/test-${tests}/receiver`;

function configOf(config: object = {}): Record<string, unknown> {
  return withDefaults(mqtt, {
    url: broker.url,
    username: 'csiflow',
    password: broker.password,
    client_id: `source-${tests}`,
    topics: [topic()],
    idle_tick_ms: 0,
    timeout_ms: 2000,
    reconnect_ms: 200,
    ...config,
  }) as Record<string, unknown>;
}

interface Running {
  readonly source: Source;
  readonly taken: ReturnType<typeof collector>;
  readonly problems: (string | null)[];
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

function start(config: object = {}, position: Position = null, output: Partial<SourceOutput> = {}): Running {
  const source = mqtt.create(configOf(config) as never, testContext().context);
  const taken = collector();
  const problems: (string | null)[] = [];
  const ended = source.open(position, {
    ...taken.output,
    problem: (problem) => problems.push(problem),
    ...output,
  });
  const stop = async () => {
    taken.stop();
    await ended;
  };
  closing.push(() => stop().catch(() => undefined));
  return { source, taken, problems, ended, stop };
}

const connected = (running: Running) =>
  eventually(() => {
    expect(running.source.describe!()['connected']).toBe(true);
  });

async function publisher(options: IClientOptions = {}): Promise<MqttClient> {
  const client = await connectAsync(broker.url, {
    username: 'csiflow',
    password: broker.password,
    protocolVersion: 5,
    reconnectPeriod: 50,
    ...options,
  });
  client.on('error', () => undefined);
  closing.push(() => client.endAsync(true));
  return client;
}

const frame = (sequence: number): Buffer =>
  Buffer.from(
    encodePairs(
      { node: 1, bins: 64, mhz: 2437, sequence, rssi: -40, noise: -90 },
      new Int8Array(128).fill(sequence % 100),
    ),
  );

async function publish(client: MqttClient, from: number, to: number): Promise<void> {
  for (let sequence = from; sequence < to; sequence++)
    await client.publishAsync(topic(), frame(sequence), { qos: 1 });
}

const sequencesOf = ({ taken, source }: Running): number[] =>
  taken.batches
    .flatMap(({ raw }) => source.decode!(raw!).data)
    .flatMap((data) => (data.port === 'csi' ? [...data.sequence] : []));

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

test('it reads over TLS with a password, in order', async () => {
  tests++;
  const running = start({ url: broker.tlsUrl, ca: broker.ca });
  await connected(running);
  await publish(await publisher(), 0, 300);
  await eventually(() => {
    expect(running.taken.records()).toBe(300);
  });
  expect(sequencesOf(running)).toEqual(numbers(0, 300));
});

test('messages published while it is offline arrive when it returns', async () => {
  tests++;
  const first = start();
  await connected(first);
  const client = await publisher();
  await publish(client, 0, 10);
  await eventually(() => {
    expect(first.taken.records()).toBe(10);
  });
  await first.stop();
  await publish(client, 10, 60);
  const second = start({}, first.taken.batches.at(-1)!.position);
  await eventually(() => {
    expect(second.taken.records()).toBe(50);
  });
  expect(sequencesOf(second)).toEqual(numbers(10, 60));
});

test('a message is confirmed once it is on disk; until then the broker sends it again', async () => {
  tests++;
  const never = new Promise<void>(() => undefined);
  const first = start({}, null, { journalled: () => never });
  await connected(first);
  const client = await publisher();
  await publish(client, 0, 5);
  await eventually(() => {
    expect(first.taken.records()).toBe(5);
  });
  await first.stop();
  const forgetful = start();
  await eventually(() => {
    expect(forgetful.taken.records()).toBe(5);
  });
  await forgetful.stop();
  const next = start();
  await connected(next);
  await publish(client, 5, 6);
  await eventually(() => {
    expect(sequencesOf(next)).toEqual([5]);
  });
});

test('a repeated message is accepted once', async () => {
  tests++;
  const never = new Promise<void>(() => undefined);
  const first = start({}, null, { journalled: () => never });
  await connected(first);
  const client = await publisher();
  await publish(client, 0, 5);
  await eventually(() => {
    expect(first.taken.records()).toBe(5);
  });
  await first.stop();
  const backlog = first.taken.batches.map(({ raw }) => raw!);
  const second = start({}, first.taken.batches.at(-1)!.position, { backlog: () => backlog });
  await connected(second);
  await publish(client, 5, 8);
  await eventually(() => {
    expect(second.taken.records()).toBe(3);
    expect(second.source.describe!()).toMatchObject({ sent_again: 5 });
  });
  expect(sequencesOf(second)).toEqual([5, 6, 7]);
});

test('with the broker killed midway, every message arrives once and in order', async () => {
  tests++;
  const running = start();
  await connected(running);
  const client = await publisher();
  const publishing = publish(client, 0, 200);
  await eventually(() => {
    expect(running.taken.records()).toBeGreaterThan(60);
  });
  await broker.server.crash();
  await eventually(() => {
    expect(running.problems.at(-1)).toMatch(/cannot be used/);
  });
  await broker.server.start();
  await publishing;
  await vi.waitFor(
    () => {
      expect(new Set(sequencesOf(running)).size).toBe(200);
    },
    { timeout: 45_000 },
  );
  expect(running.problems.at(-1)).toBeNull();
  // The publisher itself resends unconfirmed messages, which the broker takes for new.
  const sequences = sequencesOf(running);
  expect(sequences.length).toBeLessThanOrEqual(201);
  expect([...sequences].sort((a, b) => a - b)).toEqual(sequences);
});

test('a wrong password prevents the start, and is not shown', async () => {
  tests++;
  const running = start({ password: 'canary-wrong-password' });
  const error = await running.ended.then(
    () => undefined,
    (reason: unknown) => reason as Error,
  );
  expect(error?.message).toMatch(/does not let the user `csiflow` in: check `username` and `password`/);
  expect(error!.stack).not.toContain('canary');
});

test('a broker that is offline at the start is waited for', async () => {
  tests++;
  await broker.server.crash();
  const running = start();
  await eventually(() => {
    expect(running.problems.at(-1)).toMatch(/nothing listens there/);
  });
  await broker.server.start();
  await connected(running);
  expect(running.problems.at(-1)).toBeNull();
});

test("the publisher's time is used if it is plausible", async () => {
  tests++;
  const running = start();
  await connected(running);
  const client = await publisher();
  const send = (sequence: number, time: string) =>
    client.publishAsync(topic(), frame(sequence), {
      qos: 1,
      properties: { userProperties: { 'csiflow-time': time } },
    });
  // The test's clock is at 2023-11-14T22:13:20Z.
  await send(0, '2023-11-14T22:00:00.250Z');
  await send(1, '1699999500000000');
  await send(2, 'yesterday');
  await send(3, '2099-01-01T00:00:00Z');
  await eventually(() => {
    expect(running.taken.records()).toBe(4);
  });
  const now = 1_700_000_000_000_000;
  expect(running.taken.batches.flatMap(({ raw }) => [...raw!.time])).toEqual([
    1_699_999_200_250_000,
    1_699_999_500_000_000,
    now,
    // Of the same moment: a time of its own.
    now + 1,
  ]);
});

test('retained messages are old, and dropped', async () => {
  tests++;
  const client = await publisher();
  await client.publishAsync(topic(), frame(0), { qos: 1, retain: true });
  const running = start();
  await connected(running);
  await publish(client, 1, 2);
  await eventually(() => {
    expect(running.taken.records()).toBe(1);
  });
  expect(sequencesOf(running)).toEqual([1]);
  expect(running.source.describe!()).toMatchObject({ retained: 1 });
});

test('in a topology: stopped, started, and nothing is missing in the store', async () => {
  tests++;
  const table = new Table();
  const topology = topologyOf(
    {
      in: { component: mqtt, config: configOf() },
      out: { component: table.component, from: ['in'] },
    },
    temporaryFolder(),
  );
  const client = await publisher();
  const stored = () =>
    table.stored.flatMap(({ record }) => (record.port === 'csi' ? [...record.sequence] : []));
  const first = runnerOf(topology);
  await first.start();
  await publish(client, 0, 40);
  await until('some are stored', () => stored().length > 0);
  await first.stop({ force: true });
  await publish(client, 40, 80);
  const second = runnerOf(topology);
  await second.start();
  await publish(client, 80, 100);
  await until('all are stored', () => new Set(stored()).size === 100);
  expect(stored()).toEqual(numbers(0, 100));
});
