import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { defineOperator, type Component } from '../../pipeline/component/index.js';
import { encodePairs } from '../../pipeline/formats/devices/adr018/adr018-frame.js';
import { encodeHeader, encodeRecords } from '../../pipeline/formats/containers/capture.js';
import type { Settings } from '../../pipeline/config/topology/topology.js';
import type { Runner, RunnerOptions } from '../../pipeline/runtime/runner.js';
import { createMetrics } from '../../pipeline/telemetry/metrics.js';
import { kafka } from '../../pipeline/sources/kafka/kafka.js';
import { batchesOf } from '../formats/batches.js';
import { runnerOf, Table, temporaryFolder, topologyOf } from '../support/flow.js';
import { until } from '../support/waiting.js';
import { led } from '../../pipeline/kafka/led.js';
import { KafkaCluster } from '../support/servers/kafka.js';
import { freePorts } from '../support/servers/server.js';

let cluster: KafkaCluster;
beforeAll(async () => {
  cluster = await KafkaCluster.start({ login: { name: 'csiflow', password: 'a password' } });
}, 90_000);
afterAll(async () => {
  await cluster.stop();
});

/** A frame of node 1 with this number. */
const frame = (sequence: number): Buffer =>
  Buffer.from(
    encodePairs(
      { node: 1, bins: 64, mhz: 2437, sequence, rssi: -40, noise: -90 },
      new Int8Array(128).fill(1),
    ),
  );

/** Writes frames `from` to `to` (excluded) to each partition in turn. */
async function produce(topic: string, from: number, to: number, partitions = 1): Promise<void> {
  const producer = cluster.client.producer({ idempotent: true });
  await producer.connect();
  for (let start = from; start < to; start += 500) {
    const numbers = Array.from({ length: Math.min(500, to - start) }, (_, index) => start + index);
    await producer.send({
      topic,
      messages: numbers.map((number) => ({
        key: 'test-room',
        value: frame(number),
        partition: number % partitions,
        timestamp: String(1_700_000_000_000 + number),
      })),
    });
  }
  await producer.disconnect();
}

interface Member {
  readonly runner: Runner;
  readonly table: Table;
  readonly sequences: () => number[];
}

let groups = 0;
const nextGroup = () => `group-${++groups}`;

/** A topology that reads topics into a store that rewinds. */
function member(
  topics: readonly string[],
  config: Record<string, unknown> = {},
  options: RunnerOptions & {
    readonly folder?: string;
    readonly settings?: Partial<Settings>;
    /** An operator between the source and the store. */
    readonly through?: Component;
  } = {},
): Member {
  const table = new Table();
  const topology = topologyOf(
    {
      input: {
        component: kafka,
        config: {
          brokers: cluster.brokers,
          topics,
          fetch_wait_ms: 50,
          session_timeout_ms: 6_000,
          batch_records: 64,
          ...config,
        },
      },
      ...(options.through && { between: { component: options.through, from: ['input'] } }),
      store: { component: table.component, from: [options.through ? 'between' : 'input'] },
    },
    options.folder ?? temporaryFolder(),
    { checkpointIntervalMs: 100, ...options.settings },
  );
  return { runner: runnerOf(topology, options), table, sequences: () => sequencesOf(table) };
}

/** An operator that passes nothing on until `held` resolves. */
const waiting = (held: Promise<void>): Component =>
  defineOperator({
    name: 'wait',
    summary: 'Waits.',
    config: Type.Object({}),
    examples: [],
    inputs: ['csi'],
    outputs: ['csi'],
    asynchronous: { maxInFlight: () => 1 },
    create: () => ({
      process: async (data) => {
        await held;
        return { data: [data] };
      },
    }),
  });

const sequencesOf = (table: Table): number[] =>
  table.stored.flatMap(({ record }) =>
    record.port === 'csi' ? [...record.sequence.subarray(0, record.count)] : [],
  );

/** The numbers up to `total` that are missing, and those that came twice. */
function tally(numbers: readonly number[], total: number): { missing: number[]; twice: number[] } {
  const seen = new Map<number, number>();
  for (const number of numbers) seen.set(number, (seen.get(number) ?? 0) + 1);
  return {
    missing: upTo(total).filter((number) => !seen.has(number)),
    twice: [...seen].filter(([, count]) => count > 1).map(([number]) => number),
  };
}
const ONCE = { missing: [], twice: [] };
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

const details = (runner: Runner) => runner.status().nodes[0]!.details as unknown as Details;
interface Details {
  readonly lag: number;
  readonly partitions?: readonly { readonly partition: string; readonly state: string }[];
}
const lagOf = (runner: Runner): number => details(runner).lag;
/** Partitions that a member reads. */
const shareOf = (runner: Runner): number =>
  (details(runner).partitions ?? []).filter(({ state }) => state === 'reading').length;

async function committed(group: string, topic: string): Promise<number[]> {
  const admin = await cluster.admin();
  const [found] = await admin.fetchOffsets({ groupId: group, topics: [topic] });
  return found!.partitions.sort((a, b) => a.partition - b.partition).map(({ offset }) => Number(offset));
}

describe('one member', () => {
  test('it counts each message once, commits after its checkpoints, and reports its lag', async () => {
    const topic = await cluster.topic(3);
    const group = nextGroup();
    await produce(topic, 0, 3000, 3);
    const metrics = createMetrics();
    const { runner, sequences } = member([topic], { group }, { metrics });
    await runner.start();
    await until('all messages', () => sequences().length >= 3000);
    expect(tally(sequences(), 3000)).toEqual(ONCE);
    // In order of time over all partitions, to a few milliseconds.
    expect(Math.max(...sequences().map((sequence, place) => Math.abs(sequence - place)))).toBeLessThan(20);
    await until('the offsets', () => lagOf(runner) === 0);
    await vi.waitFor(async () => {
      const line = `csiflow_kafka_lag{topology="test",node="input",partition="${topic}/0"} 0`;
      expect(await metrics.text()).toContain(line);
    }, 45_000);
    await runner.stop();
    expect(await committed(group, topic)).toEqual([1000, 1000, 1000]);
    expect(runner.status().nodes[0]!.failed).toBe(0);
  });

  test('a second run resumes from the checkpoint', async () => {
    const topic = await cluster.topic(2);
    const [group, folder] = [nextGroup(), temporaryFolder()];
    await produce(topic, 0, 500, 2);
    const first = member([topic], { group }, { folder });
    await first.runner.start();
    await until('the first half', () => first.sequences().length >= 500);
    await first.runner.stop();
    await produce(topic, 500, 1000, 2);
    const second = member([topic], { group }, { folder });
    await second.runner.start();
    await until('the second half', () => second.sequences().length >= 500);
    expect(tally([...first.sequences(), ...second.sequences()], 1000)).toEqual(ONCE);
  });

  test('captures are several records per message, and a damaged one is counted', async () => {
    const topic = await cluster.topic();
    const records = upTo(20).map((n) => ({ bytes: frame(n), time: 1_700_000_000_000_000 + n * 1000 }));
    const body = Buffer.concat(batchesOf(records).map(encodeRecords));
    const whole = Buffer.concat([encodeHeader({ format: 'adr018', origin: 'replay' }), body]);
    const producer = cluster.client.producer();
    await producer.connect();
    const damaged = Buffer.from(body);
    damaged[40]! ^= 1;
    for (const value of [whole, damaged, body]) await producer.send({ topic, messages: [{ value }] });
    await producer.disconnect();
    const { runner, sequences } = member([topic], { group: nextGroup(), content: 'capture' });
    await runner.start();
    await until('both captures', () => sequences().length >= 40);
    expect(sequences()).toEqual([...upTo(20), ...upTo(20)]);
    expect(runner.status().nodes[0]!.dropped).toEqual({ malformed_capture: 1 });
  });

  test('JSON frames have their own time and sender', async () => {
    const topic = await cluster.topic();
    const producer = cluster.client.producer();
    await producer.connect();
    const frames = upTo(10).map((index) => ({
      timestamp: new Date(1_700_000_000_000 + index * 10).toISOString(),
      antenna_data: [upTo(4).map((real) => ({ real, imag: 0 }))],
      metadata: { router_id: 'node-2', signal_strength: -50, sequence: index },
    }));
    await producer.send({
      topic,
      messages: frames.map((csi_data) => ({ value: JSON.stringify({ csi_data }) })),
    });
    await producer.disconnect();
    const { runner, table, sequences } = member([topic], { group: nextGroup(), format: 'csi-json' });
    await runner.start();
    await until('the frames', () => sequences().length >= 10);
    const [first] = table.stored.map(({ record }) => record);
    expect(first).toMatchObject({ port: 'csi', count: 10 });
    if (first?.port === 'csi') {
      expect(first.time[9]).toBe(1_700_000_000_090_000);
      expect(first.link[0]).toBe(1);
    }
  });

  test.each(['gzip', 'snappy', 'lz4', 'zstd'])('it reads what kcat has compressed with %s', async (codec) => {
    const topic = await cluster.topic();
    const folder = temporaryFolder();
    const file = join(folder, 'frame');
    await writeFile(file, frame(7));
    const args = ['-P', '-b', cluster.brokers[0]!, '-t', topic, '-z', codec];
    await promisify(execFile)('kcat', [...args, ...Array.from({ length: 50 }, () => file)]);
    const { runner, sequences } = member([topic], { group: nextGroup() });
    await runner.start();
    await until('the messages', () => sequences().length >= 50);
    expect(sequences()).toEqual(Array.from({ length: 50 }, () => 7));
  });

  test('messages beyond the queue are not fetched, and none is lost', async () => {
    const topic = await cluster.topic(2);
    await produce(topic, 0, 40_000, 2);
    let letGo: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const { runner, sequences } = member([topic], { group: nextGroup() }, { through: waiting(held) });
    await runner.start();
    const paused = () => (details(runner).partitions ?? []).filter(({ state }) => state === 'paused');
    await until('fetching to end', () => paused().length === 2);
    expect(lagOf(runner)).toBeGreaterThan(10_000);
    letGo();
    await until('all messages', () => sequences().length >= 40_000);
    expect(tally(sequences(), 40_000)).toEqual(ONCE);
  });

  test('more messages than max_lag degrade it until half of them have been read', async () => {
    const topic = await cluster.topic(1);
    await produce(topic, 0, 2_000);
    let goOn = () => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const { runner } = member(
      [topic],
      { group: nextGroup(), batch_records: 1, max_lag: 100 },
      { through: waiting(held) },
    );
    await runner.start();
    await until('it is degraded', () => runner.status().state === 'degraded');
    expect(runner.status().problem).toMatch(/\d+ messages of .*\/0 are unread; max_lag is 100/);
    goOn();
    await until('it runs', () => runner.status().state === 'running');
    expect(runner.status().problem).toBeNull();
    await runner.stop();
  });

  test('messages deleted before they are fetched are counted, and later ones are read', async () => {
    const topic = await cluster.topic(1);
    await produce(topic, 0, 40_000);
    let letGo: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const { runner, sequences } = member([topic], { group: nextGroup() }, { through: waiting(held) });
    await runner.start();
    await until('fetching to end', () => details(runner).partitions?.[0]?.state === 'paused');
    const admin = await cluster.admin();
    // The library must know the topic.
    await admin.fetchTopicOffsets(topic);
    await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '35000' }] });
    letGo();
    await until('the last message', () => sequences().includes(39_999));
    const { missing, twice } = tally(sequences(), 40_000);
    expect(twice).toEqual([]);
    expect(missing.length).toBeGreaterThan(10_000);
    expect(runner.status().nodes[0]!.dropped).toMatchObject({ retention: missing.length });
  });
});

describe('several members', () => {
  test('partitions move as members join and leave: no message is lost or counted twice', async () => {
    const topic = await cluster.topic(6);
    const group = nextGroup();
    const [a, b] = [member([topic], { group }), member([topic], { group })];
    await a.runner.start();
    await until('all partitions', () => shareOf(a.runner) === 6);
    let produced = 0;
    const enough = new AbortController();
    const producing = (async () => {
      for (; !enough.signal.aborted; produced += 300) await produce(topic, produced, produced + 300, 6);
    })();
    await until('some messages', () => a.sequences().length > 500);
    await b.runner.start();
    await until('a half each', () => shareOf(a.runner) === 3 && shareOf(b.runner) === 3);
    const before = b.sequences().length;
    await until('messages of the second', () => b.sequences().length > before + 500);
    await b.runner.stop();
    await until('all partitions again', () => shareOf(a.runner) === 6);
    enough.abort();
    await producing;
    await until('all messages', () => a.sequences().length + b.sequences().length >= produced);
    await a.runner.stop();
    expect(b.sequences().length).toBeGreaterThan(500);
    expect(tally([...a.sequences(), ...b.sequences()], produced)).toEqual(ONCE);
  }, 60_000);

  test('four members join and leave repeatedly', async () => {
    const topic = await cluster.topic(8);
    const group = nextGroup();
    const members = [0, 1, 2, 3].map(() => member([topic], { group }));
    let produced = 0;
    const enough = new AbortController();
    const producing = (async () => {
      for (; !enough.signal.aborted; produced += 200) await produce(topic, produced, produced + 200, 8);
    })();
    const up = new Set<number>();
    // Each step starts the member or stops it; pauses take up to a second.
    for (const [step, index] of [0, 1, 2, 3, 0, 1, 0, 3, 1, 2, 2, 3, 0, 1, 3, 0].entries()) {
      const { runner } = members[index]!;
      await (up.delete(index) ? runner.stop() : runner.start());
      if (runner.status().state !== 'stopped') up.add(index);
      await sleep((step * 379) % 1000);
    }
    enough.abort();
    await producing;
    const all = () => members.flatMap(({ sequences }) => sequences());
    await vi.waitFor(() => {
      expect(all().length).toBeGreaterThanOrEqual(produced);
    }, 60_000);
    for (const { runner } of members) await runner.stop();
    expect(tally(all(), produced)).toEqual(ONCE);
  }, 150_000);

  test('a crashed member returns to its checkpoint, and others continue from there', async () => {
    const topic = await cluster.topic(4);
    const group = nextGroup();
    const folder = temporaryFolder();
    const slow = { settings: { checkpointIntervalMs: 2000 } };
    const [a, b] = [member([topic], { group }, slow), member([topic], { group }, { ...slow, folder })];
    await a.runner.start();
    await b.runner.start();
    await until('a half each', () => shareOf(a.runner) === 2 && shareOf(b.runner) === 2);
    await produce(topic, 0, 1000, 4);
    await vi.waitFor(async () => {
      expect(await committed(group, topic)).toEqual([250, 250, 250, 250]);
    }, 45_000);
    await produce(topic, 1000, 2000, 4);
    await until('messages that no checkpoint covers', () => b.runner.status().nodes[0]!.sent > 600);
    // No checkpoint, as in a crash.
    await b.runner.stop({ force: true });
    await until('all partitions', () => shareOf(a.runner) === 4);
    await produce(topic, 2000, 4000, 4);
    // Its next start rewinds what no checkpoint covered.
    await b.runner.start();
    await until('a half each again', () => shareOf(a.runner) === 2 && shareOf(b.runner) === 2);
    await until('all messages', () => a.sequences().length + b.sequences().length >= 4000);
    await Promise.all([a.runner.stop(), b.runner.stop()]);
    expect(tally([...a.sequences(), ...b.sequences()], 4000)).toEqual(ONCE);
  }, 60_000);
});

describe('a broker that crashes', () => {
  test('SIGKILL of the only broker midway: every message is counted once', async () => {
    const own = await KafkaCluster.start();
    try {
      const admin = await own.admin();
      await admin.createTopics({ topics: [{ topic: 'csi', numPartitions: 2 }], waitForLeaders: false });
      await led(admin, 'csi');
      const { runner, sequences } = member(['csi'], { brokers: own.brokers });
      await runner.start();
      const producer = own.client.producer({ idempotent: true });
      await producer.connect();
      const send = async (from: number, to: number) => {
        for (let n = from; n < to; n++)
          await producer.send({ topic: 'csi', messages: [{ value: frame(n), partition: n % 2 }] });
      };
      await send(0, 500);
      await until('some messages', () => sequences().length > 200);
      await own.nodes[0]!.crash();
      await until('degraded', () => runner.status().state === 'degraded');
      expect(runner.status().problem).toMatch(
        /no broker of 127\.0\.0\.1:\d+ (has answered|answers)|nothing listens/,
      );
      await own.nodes[0]!.start();
      await send(500, 1000);
      await producer.disconnect();
      await until('all messages', () => sequences().length >= 1000);
      await until('running', () => runner.status().state === 'running');
      await runner.stop();
      expect(tally(sequences(), 1000)).toEqual(ONCE);

      // And one that starts while no broker is available.
      await own.nodes[0]!.crash();
      const late = member(['csi'], { brokers: own.brokers, group: nextGroup() });
      await late.runner.start();
      expect(late.runner.status().state).toBe('degraded');
      await own.nodes[0]!.start();
      await vi.waitFor(() => {
        expect(tally(late.sequences(), 1000)).toEqual(ONCE);
      }, 45_000);
      // Its messages are as old as the outage: a slow machine may report that, but nothing about the broker.
      expect(late.runner.status().problem ?? '').not.toMatch(/broker|listens/);
    } finally {
      await own.stop();
    }
  }, 120_000);
});

describe('a listener with TLS and a login', () => {
  const secure = (overrides: object = {}) => ({
    group: nextGroup(),
    brokers: cluster.secureBrokers,
    tls: { ca: cluster.ca },
    sasl: { mechanism: 'scram-sha-512', username: 'csiflow', password: 'a password' },
    ...overrides,
  });

  test('it is read with both', async () => {
    const topic = await cluster.topic();
    await produce(topic, 0, 100);
    const { runner, sequences } = member([topic], secure());
    await runner.start();
    await until('the messages', () => sequences().length >= 100);
    expect(JSON.stringify(runner.status())).not.toContain('a password');
  });

  test('a wrong password prevents the start, and is in no error', async () => {
    const sasl = { mechanism: 'scram-sha-512', username: 'csiflow', password: 'another-word' };
    const { runner } = member([await cluster.topic()], secure({ sasl }));
    await expect(runner.start()).rejects.toThrow(/reject the login: check `sasl`/);
    expect(runner.status().problem).not.toContain('another-word');
  });

  test('without the authority, or without TLS, the error names what to check', async () => {
    const { runner } = member([await cluster.topic()], secure({ tls: {} }));
    await runner.start();
    expect(runner.status().problem).toMatch(/TLS with .* fails: check `tls`/);
    const plain = member([await cluster.topic()], { brokers: cluster.secureBrokers, group: nextGroup() });
    await plain.runner.start();
    await until('a problem', () => plain.runner.status().problem !== null);
    expect(plain.runner.status().problem).toMatch(/`tls`/);
  });
});

describe('missing servers', () => {
  test('an unknown topic prevents the start, with a fix', async () => {
    const { runner } = member(['no-such-topic'], { group: nextGroup() });
    await expect(runner.start()).rejects.toThrow(
      /input .*there is no topic `no-such-topic`: create it first/,
    );
  });

  test('a broker that is offline at the start degrades the node, with a fix', async () => {
    const [port] = await freePorts(1);
    const { runner } = member(['any'], { group: nextGroup(), brokers: [`127.0.0.1:${port!}`] });
    await runner.start();
    expect(runner.status().state).toBe('degraded');
    expect(runner.status().problem).toMatch(/nothing listens at 127\.0\.0\.1:\d+: start the broker/);
  });
});
