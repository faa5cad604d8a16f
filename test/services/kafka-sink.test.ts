import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { build } from 'esbuild';
import { Type } from 'typebox';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { defineSource, type Sink } from '../../pipeline/component/index.js';
import { groupOffsets, markOf } from '../../pipeline/kafka/index.js';
import { encodePairs } from '../../pipeline/formats/devices/adr018/adr018-frame.js';
import { packageFolder } from '../../pipeline/base/paths.js';
import { kafka } from '../../sinks/kafka/kafka.js';
import { ResultMessage } from '../../pipeline/formats/json/result-schema.js';
import { withDefaults } from '../kit/definition.js';
import { testContext } from '../support/context.js';
import { aborted, frames, runnerOf, sum, Table, temporaryFolder, topologyOf } from '../support/flow.js';
import { until } from '../support/waiting.js';
import { measure, poseFrame, sensedEvent } from '../support/records.js';
import { KafkaCluster } from '../support/servers/kafka.js';
import { freePorts } from '../support/servers/server.js';
import type { CopyInput } from './children/kafka-copy.js';

let cluster: KafkaCluster;
beforeAll(async () => {
  cluster = await KafkaCluster.start();
}, 90_000);
afterAll(async () => {
  await cluster.stop();
});

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function make(config: object, folder = temporaryFolder()): Sink {
  const { context } = testContext({ stateFolder: folder, clock: systemLike });
  const filled = withDefaults(kafka, { brokers: cluster.brokers, ...config });
  const sink = kafka.create(filled as never, context);
  closing.push(() => sink.close());
  return sink;
}

const systemLike = { now: () => Date.now() * 1000, elapsed: () => performance.now() };

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const valuesOf = (lines: readonly string[]) =>
  lines.map((line) => (JSON.parse(line) as { value: number }).value);

describe('at least once', () => {
  test('results are JSON of the published schema, with their environment as the key', async () => {
    const topic = await cluster.topic(3);
    const sink = make({ topic });
    await sink.open();
    const records = [poseFrame(1, { people: 2 }), sensedEvent(2), measure(3)];
    expect(await sink.write(records, 1)).toEqual([]);
    await sink.flush();
    const ajv = new Ajv({ strict: false });
    addFormats.default(ajv);
    const fits = ajv.compile(ResultMessage);
    const values = (await cluster.values(topic)).map((line) => JSON.parse(line) as { type: string });
    for (const value of values) expect(fits(value), JSON.stringify(fits.errors)).toBe(true);
    expect(values.map(({ type }) => type)).toEqual(['pose', 'event', 'measure']);
  });

  test.each(['at_least_once', 'exactly_once'])(
    '%s: headers make a message a CloudEvent',
    async (delivery) => {
      const topic = await cluster.topic(1);
      const sink = make({ topic, delivery, cloudevents: 'binary' });
      await sink.open();
      expect(await sink.write([sensedEvent(7)], 1)).toEqual([]);
      await sink.flush();
      sink.committed?.(1);
      expect(await cluster.headers(topic)).toEqual({
        'content-type': 'application/json',
        ce_specversion: '1.0',
        ce_id: 'test-room/fall_detection/7',
        ce_source: '/topologies/test',
        ce_type: 'csiflow.event.fall_detection',
        ce_subject: 'test-room/person-1',
        ce_time: '2023-11-14T22:13:20.700Z',
      });
    },
  );

  test.each(['none', 'gzip', 'snappy', 'lz4', 'zstd'])(
    'a reader of another library decompresses %s',
    async (compression) => {
      const topic = await cluster.topic(1);
      const sink = make({ topic, compression });
      await sink.open();
      const records = upTo(500).map((index) => measure(index, { value: index }));
      expect(await sink.write(records, 1)).toEqual([]);
      expect(valuesOf(await cluster.values(topic))).toEqual(upTo(500));
    },
  );

  test('records that no broker accepts are rejected with the reason; the others are sent', async () => {
    const topic = await cluster.topic(1, [{ name: 'max.message.bytes', value: '10000' }]);
    const sink = make({ topic });
    await sink.open();
    const large = poseFrame(0, { people: 30 });
    const failed = await sink.write(
      [measure(1, { value: 1 }), large, measure(2, { value: NaN }), measure(3, { value: 3 })],
      1,
    );
    expect(failed.map(({ code }) => code)).toEqual(['kafka.record.too_large', 'kafka.value.invalid']);
    expect(valuesOf(await cluster.values(topic))).toEqual([1, 3]);
  });

  test('a missing topic or broker is reported, and whether a retry helps', async () => {
    await expect(make({ topic: 'no-such-topic' }).open()).rejects.toMatchObject({
      message: expect.stringMatching(/there is no topic `no-such-topic`/) as string,
      retriable: false,
    });
    const [port] = await freePorts(1);
    await expect(make({ brokers: [`127.0.0.1:${port!}`] }).open()).rejects.toMatchObject({
      message: expect.stringMatching(/nothing listens at 127.0.0.1/) as string,
      retriable: true,
    });
  });

  test('with one of three brokers killed, every acknowledged record is in the log', async () => {
    const three = await KafkaCluster.start({ nodes: 3 });
    try {
      const topic = await three.topic(6);
      const sink = make({ brokers: three.brokers, topic });
      await sink.open();
      const acknowledged: number[] = [];
      let next = 0;
      const deadline = performance.now() + 60_000;
      const writeSome = async () => {
        const records = upTo(120).map((index) =>
          measure(next + index, { value: next + index, environment: `room-${index % 24}` }),
        );
        next += records.length;
        try {
          const failed = new Set((await sink.write(records, 1)).map(({ record }) => record));
          acknowledged.push(...records.filter((record) => !failed.has(record)).map(({ value }) => value));
        } catch (error) {
          expect(error).toMatchObject({ retriable: true });
          await sleep(50);
        }
      };
      while (acknowledged.length < 5000) await writeSome();
      const killed = three.nodes[1]!.crash();
      const goal = acknowledged.length + 10_000;
      while (acknowledged.length < goal && performance.now() < deadline) await writeSome();
      await killed;
      expect(acknowledged.length).toBeGreaterThanOrEqual(goal);
      const there = new Set(valuesOf(await three.values(topic)));
      expect(acknowledged.filter((value) => !there.has(value))).toEqual([]);
    } finally {
      await three.stop();
    }
  }, 150_000);
});

describe('exactly once', () => {
  test('results appear when their checkpoint is safe, and a rewind removes the others', async () => {
    const topic = await cluster.topic(2);
    const folder = temporaryFolder();
    const settings = { topic, delivery: 'exactly_once' };
    const first = make(settings, folder);
    await first.open();
    await first.rewind!(4);
    await first.write([measure(0, { value: 0 })], 5);
    await first.flush();
    expect(await cluster.values(topic)).toEqual([]);
    first.committed!(5);
    await first.write([measure(1, { value: 1 })], 6);
    await first.flush();
    await first.close();
    await cluster.decided(topic);
    expect(valuesOf(await cluster.values(topic))).toEqual([0]);
    // The checkpoint of epoch 6 was never written.
    const second = make(settings, folder);
    await second.open();
    await second.rewind!(5);
    await second.write([measure(2, { value: 2 })], 6);
    await second.flush();
    second.committed!(6);
    await second.close();
    await cluster.decided(topic);
    expect(valuesOf(await cluster.values(topic))).toEqual([0, 2]);
  });

  test('an epoch committed before a crash is not sent again', async () => {
    const topic = await cluster.topic(1);
    const [folder, copy] = [temporaryFolder(), temporaryFolder()];
    const settings = { topic, delivery: 'exactly_once' };
    for (const where of [folder, copy]) {
      const spooled = make({ ...settings, transactional_id: 'never' }, where);
      await spooled.open();
      await spooled.write([measure(7, { value: 7 })], 8);
      await spooled.flush();
    }
    // The same spool twice: the state of a crash after the transaction, before the file was removed.
    for (const where of [folder, copy]) {
      const sink = make(settings, where);
      await sink.open();
      await sink.rewind!(8);
      await sink.close();
    }
    await cluster.decided(topic);
    expect(valuesOf(await cluster.values(topic))).toEqual([7]);
  });

  test('from topic to topic, killed repeatedly: each message gives one result', async () => {
    const [from, to] = [await cluster.topic(3), await cluster.topic(3)];
    const input: CopyInput = { folder: temporaryFolder(), brokers: cluster.brokers, from, to };
    await buildChild();
    const total = 4000;
    const producing = produce(from, total);
    for (const kill of [
      'written:3',
      'flushed:4',
      'mid_checkpoint:3',
      900,
      'flushed:9',
      400,
      1300,
      'mid_checkpoint:7',
      250,
    ]) {
      await runUntil(input, kill);
    }
    await producing;
    const last = startChild(input, undefined);
    const deadline = performance.now() + 40_000;
    let lines: readonly string[] = [];
    while (lines.length < total && performance.now() < deadline) {
      await sleep(500);
      lines = await cluster.values(to);
    }
    last.kill('SIGTERM');
    await once(last, 'exit');
    await cluster.decided(to);
    lines = await cluster.values(to);
    const results = lines.map((line) => JSON.parse(line) as { name: string; value: number });
    expect(results.map(({ name }) => Number(name.slice('frame_'.length))).sort((a, b) => a - b)).toEqual(
      upTo(total),
    );
    // The operator's count continues over all kills.
    expect(results.map(({ value }) => value).sort((a, b) => a - b)).toEqual(upTo(total));
  }, 180_000);
});

/** 5,000 frames, five every ten milliseconds. */
const paced = defineSource({
  name: 'paced',
  summary: 'Counts slowly.',
  config: Type.Object({}),
  examples: [],
  outputs: ['csi'],
  replayable: true,
  create: () => ({
    open: async (position, output) => {
      output.ready?.();
      for (let next = (position as number | null) ?? 0; next < 5000 && !output.signal.aborted; next += 5) {
        await sleep(10);
        const data = [frames(next, next + 5, (number) => number * 10_000)];
        if (!(await output.offer({ position: next + 5, data }))) return;
      }
      await aborted(output.signal);
    },
  }),
});

const WAIT = { timeout: 60_000, interval: 500 };

describe('a topology with failing brokers', () => {
  test.each([
    ['at_least_once', 'die'],
    ['exactly_once', 'die'],
    ['at_least_once', 'hang'],
  ])(
    '%s, they %s: results wait, other sinks continue, and all results arrive',
    async (delivery, fault) => {
      const own = await KafkaCluster.start();
      try {
        const topic = await own.topic(2);
        const table = new Table();
        const runner = runnerOf(
          topologyOf(
            {
              input: { component: paced },
              sums: { component: sum, from: ['input'] },
              out: { component: kafka, config: { brokers: own.brokers, topic, delivery }, from: ['sums'] },
              store: { component: table.component, from: ['sums'] },
            },
            temporaryFolder(),
            { checkpointIntervalMs: 200 },
          ),
        );
        await runner.start();
        if (fault === 'die') {
          await own.nodes[0]!.crash();
          await until('degraded', () => runner.status().state === 'degraded');
        } else own.nodes[0]!.freeze();
        const before = table.stored.length;
        await until('the sibling', () => table.stored.length > before + 20);
        if (fault === 'die') await own.nodes[0]!.start();
        else own.nodes[0]!.resume();
        let ids: string[] = [];
        await vi.waitFor(async () => {
          ids = (await own.values(topic)).map((line) => (JSON.parse(line) as { id: string }).id);
          expect(new Set(ids).size).toBe(4999);
        }, WAIT);
        await until('running', () => runner.status().state === 'running');
        await runner.stop();
        if (delivery === 'exactly_once') expect(ids).toHaveLength(4999);
      } finally {
        await own.stop();
      }
    },
    120_000,
  );
});

describe('two processes in one group', () => {
  test('one that was suspended for longer than its session withdraws what others count', async () => {
    const [from, to] = [await cluster.topic(4), await cluster.topic(2)];
    await buildChild();
    const start = (sink: string) => {
      const folder = temporaryFolder();
      const input: CopyInput = {
        folder,
        brokers: cluster.brokers,
        from,
        to,
        sink,
        checkpointIntervalMs: 1000,
      };
      return startChild(input, undefined);
    };
    const total = 5000;
    const producing = produce(from, total, 4);
    const committed = await commitsOf(from);
    const one = start('one');
    const first = await committed(() => true);
    const other = start('other');
    const second = await committed((owner) => owner !== first);
    // A suspension between a checkpoint and its commit to Kafka counts that interval twice, as docs/kafka.md
    // says of groups without scale-out. The next checkpoint comes a second after this commit.
    await committed((owner) => owner === second);
    other.kill('SIGSTOP');
    await sleep(5000);
    other.kill('SIGCONT');
    await producing;
    await vi.waitFor(async () => {
      expect((await cluster.values(to)).length).toBeGreaterThanOrEqual(total);
    }, WAIT);
    for (const process of [one, other]) {
      process.kill('SIGTERM');
      await once(process, 'exit');
    }
    const numbers = (await cluster.values(to)).map((line) =>
      Number((JSON.parse(line) as { name: string }).name.slice('frame_'.length)),
    );
    expect(numbers.sort((a, b) => a - b)).toEqual(upTo(total));
  }, 120_000);
});

/** Waits for the next offsets that one of some owners commits for a topic, and returns the owner. */
async function commitsOf(topic: string): Promise<(wanted: (owner: string) => boolean) => Promise<string>> {
  const admin = await cluster.admin();
  const offsets = async () => {
    const found = (await groupOffsets(admin, 'csiflow-copy', [topic])).map(
      ({ partition, offset, metadata }) =>
        [partition, { offset, owner: markOf(metadata)?.owner ?? '' }] as const,
    );
    return new Map(found);
  };
  return async (wanted) => {
    const before = await offsets();
    for (;;) {
      for (const [partition, { offset, owner }] of await offsets()) {
        const isNew = (offset ?? 0) > (before.get(partition)?.offset ?? 0);
        if (isNew && owner !== '' && wanted(owner)) return owner;
      }
      await sleep(20);
    }
  };
}

const child = join(packageFolder, `node_modules/.cache/csiflow-kafka/copy-${process.pid}.mjs`);
afterAll(() => {
  rmSync(child, { force: true });
});

const buildChild = () =>
  build({
    entryPoints: [join(import.meta.dirname, 'children/kafka-copy.ts')],
    outfile: child,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
  });

function startChild(input: CopyInput, killAt: string | undefined) {
  const started = spawn(process.execPath, [child, JSON.stringify(input)], {
    env: { ...process.env, ...(killAt === undefined ? {} : { CSIFLOW_KILL_AT: killAt }) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  closing.push(async () => {
    if (started.exitCode === null && started.signalCode === null) started.kill('SIGKILL');
  });
  return started;
}

/** @param kill a named moment, or milliseconds after the start */
async function runUntil(input: CopyInput, kill: string | number): Promise<void> {
  const started = startChild(input, typeof kill === 'string' ? kill : undefined);
  const ended = once(started, 'exit');
  if (typeof kill === 'number') {
    await once(started.stdout, 'data');
    await sleep(kill);
    started.kill('SIGKILL');
  }
  const [, signal] = (await ended) as [number | null, string | null];
  expect(signal, String(kill)).toBe('SIGKILL');
}

/** Frames with numbers up to `total`, 200 per second, to each partition in turn. */
async function produce(topic: string, total: number, partitions = 3): Promise<void> {
  const producer = cluster.client.producer({ idempotent: true });
  await producer.connect();
  for (let start = 0; start < total; start += 20) {
    await producer.send({
      topic,
      messages: upTo(20).map((index) => ({
        partition: (start + index) % partitions,
        value: Buffer.from(
          encodePairs(
            { node: 1, bins: 64, mhz: 2437, sequence: start + index, rssi: -40, noise: -90 },
            new Int8Array(128).fill(1),
          ),
        ),
      })),
    });
    await sleep(100);
  }
  await producer.disconnect();
}
