import fc from 'fast-check';
import { Type } from 'typebox';
import { expect, test } from 'vitest';
import {
  defineSink,
  defineSource,
  type Member,
  type Partition,
  type PartitionCheckpoint,
  type Partitions,
  type Position,
  type SourceOutput,
} from '../../pipeline/component/index.js';
import type { CheckedTopology, Settings } from '../../pipeline/config/topology/topology.js';
import { CheckpointReader, CheckpointWriter } from '../../pipeline/kafka/partitions/checkpoint-topic.js';
import { spread } from '../../pipeline/kafka/partitions/sticky-assigner.js';
import { PORTS } from '../../pipeline/model/index.js';
import type { KafkaMessage } from 'kafkajs';
import type { RunnerOptions } from '../../pipeline/runtime/runner.js';
import { createMetrics } from '../../pipeline/telemetry/metrics.js';
import { aborted, emptied, frames, runnerOf, sum, temporaryFolder, topologyOf } from '../support/flow.js';
import { until } from '../support/waiting.js';

// ------------------------------------------------------------------ assignment of partitions

test('partitions are spread evenly, and each process keeps as many of its own as possible', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 24 }),
      fc.integer({ min: 1, max: 6 }),
      fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 24, maxLength: 24 }),
      (count, members, owners) => {
        const partitions = Array.from({ length: count }, (_, index) => index);
        const names = Array.from({ length: members }, (_, index) => `member-${index}`);
        const claims = new Map(
          names.map((name, index) => [name, partitions.filter((one) => owners[one] === index)]),
        );
        const assigned = spread(partitions, claims);
        expect([...assigned.values()].flat().sort((a, b) => a - b)).toEqual(partitions);
        const sizes = [...assigned.values()].map((list) => list.length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
        const again = spread(partitions, assigned);
        expect([...again]).toEqual([...assigned]);
        for (const [name, list] of assigned) {
          const claimed = claims.get(name)!;
          const kept = list.filter((one) => claimed.includes(one));
          expect(kept.length).toBeGreaterThanOrEqual(Math.min(claimed.length, Math.floor(count / members)));
        }
      },
    ),
  );
});

// ------------------------------------------------------------------ checkpoints as messages

/** A partition of a compacted topic: the newest message of each key. */
class Topic {
  readonly messages: KafkaMessage[] = [];

  async write(writer: CheckpointWriter, checkpoint: PartitionCheckpoint): Promise<number> {
    const { lots, written } = await writer.lots(checkpoint);
    for (const lot of lots)
      expect(lot.reduce((bytes, { value }) => bytes + (value?.length ?? 0), 0)).toBeLessThan(1_000_000);
    for (const { key, value } of lots.flat())
      this.messages.push({
        key: Buffer.from(key as string),
        value: value === null ? null : Buffer.from(value),
        timestamp: '0',
        attributes: 0,
        size: 0,
        offset: String(this.messages.length),
      });
    written();
    return lots.flat().length;
  }

  read() {
    const reader = new CheckpointReader();
    reader.take(this.messages);
    return reader.checkpoint();
  }
}

const bytes = (length: number, seed: number): Uint8Array => {
  let state = seed;
  return Uint8Array.from({ length }, () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 24);
};

test('a checkpoint larger than a message is restored whole, after it grew and shrank', async () => {
  const topic = new Topic();
  const { saved, writer } = await topic.read();
  expect(saved).toBeUndefined();
  for (const [epoch, size] of [3_000_000, 10, 2_000_000, 0].entries()) {
    const parts = new Map([
      ['head', bytes(10, epoch)],
      ['node:windows', bytes(size, epoch)],
    ]);
    await topic.write(writer, { epoch, parts });
    const { saved: found } = await topic.read();
    expect(found?.epoch).toBe(epoch);
    for (const [name, part] of parts) expect(Buffer.compare(found!.parts.get(name)!, part)).toBe(0);
  }
});

test('unchanged parts are not rewritten, even by the next owner; removed ones are deleted', async () => {
  const topic = new Topic();
  const parts = new Map([
    ['node:a', bytes(100_000, 1)],
    ['node:b', bytes(100, 2)],
  ]);
  await topic.write(new CheckpointWriter({}), { epoch: 1, parts });
  const { writer } = await topic.read();
  expect(await topic.write(writer, { epoch: 2, parts })).toBe(1);
  await topic.write(writer, { epoch: 3, parts: new Map([['node:b', bytes(100, 3)]]) });
  const { saved } = await topic.read();
  expect([...saved!.parts.keys()]).toEqual(['node:b']);
});

test('rejects a checkpoint that lacks a chunk, or is of a newer csiflow', async () => {
  const topic = new Topic();
  await topic.write(new CheckpointWriter({}), { epoch: 1, parts: new Map([['node:a', bytes(9, 1)]]) });
  const [chunk, head] = topic.messages;
  topic.messages.splice(0, 1);
  await expect(topic.read()).rejects.toMatchObject({ code: 'state.corrupt' });
  const newer = head!.value!.toString().replace('"version":1', '"version":99');
  topic.messages.splice(0, 1, chunk!, { ...head!, value: Buffer.from(newer) });
  await expect(topic.read()).rejects.toMatchObject({ code: 'state.newer' });
});

// ------------------------------------------------------------------ shards of partitions

interface Written {
  readonly checkpoint: PartitionCheckpoint;
  readonly position: Position;
  readonly messages: readonly string[];
}

/** A broker in memory: partitions of ten thousand frames, their last owners, and committed offsets. */
class Broker {
  readonly committed = new Map<number, Written>();
  readonly results = new Map<number, string[]>();
  readonly takes = new Map<number, number>();
  /** The last process to commit: partitions are rooms here. */
  readonly holders = new Map<number, Member>();
  readonly members = new Map<string, (share: readonly number[]) => void>();
  /** Partitions without frames. */
  readonly empty = new Set<number>();
  #end = 0;
  readonly #waiting = new Set<() => void>();

  /** Number of frames that may be read. */
  set end(count: number) {
    this.#end = count;
    for (const wake of this.#waiting) wake();
  }

  partitions(self: Member): Partitions {
    const member = self.address!;
    return {
      holders: async (environment) =>
        [...this.holders]
          .filter(([partition]) => `room-${partition}` === environment)
          .map(([partition, holder]) => ({ partition, ...holder })),
      join: async (onShare) => {
        this.members.set(member, onShare);
        return Promise.resolve();
      },
      take: async (number) => Promise.resolve(this.#take(number, self)),
      leave: async () => {
        this.members.delete(member);
        return Promise.resolve();
      },
    };
  }

  #take(number: number, self: Member): Partition {
    const owner = (this.takes.get(number) ?? 0) + 1;
    this.takes.set(number, owner);
    let sent: string[] = [];
    const mine = () => {
      if (this.takes.get(number) !== owner) throw new Error('fenced off');
    };
    return {
      number,
      saved: this.committed.get(number)?.checkpoint,
      transaction: {
        send: async (_, __, messages) => {
          mine();
          sent.push(...messages.map(({ value }) => String(value)));
          return Promise.resolve();
        },
      },
      read: (position, output) => this.#read(number, (position as number | null) ?? 0, output),
      commit: async (checkpoint, position) => {
        mine();
        this.holders.set(number, self);
        this.committed.set(number, { checkpoint, position, messages: sent });
        this.results.set(number, [...(this.results.get(number) ?? []), ...sent]);
        sent = [];
        return Promise.resolve();
      },
      close: async () => Promise.resolve(),
    };
  }

  async #read(number: number, from: number, output: SourceOutput): Promise<void> {
    output.ready?.();
    for (let next = from; !output.signal.aborted;) {
      if (next < this.#end && !this.empty.has(number))
        await output.offer({ position: ++next, data: [frames(next - 1, next)] });
      else await Promise.race([this.#more(), aborted(output.signal)]);
    }
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#waiting.delete(wake);
        resolve();
      };
      this.#waiting.add(wake);
    });
  }
}

/** @param refuses whether its sink currently rejects records @param settings of the topology */
function worker(
  broker: Broker,
  member: string,
  refuses: () => boolean = () => false,
  settings: Partial<Settings> = {},
  options: RunnerOptions = {},
) {
  const source = defineSource({
    name: 'log',
    summary: 'Partitions in memory.',
    config: Type.Object({}),
    examples: [],
    outputs: ['csi'],
    replayable: true,
    timing: 'now',
    partitions: (_config, _context, self) => broker.partitions(self),
    create: () => ({ open: () => Promise.reject(new Error('it is read by partitions')) }),
  });
  let opened = 0;
  const sink = defineSink({
    name: 'results',
    summary: 'Sends.',
    config: Type.Object({}),
    examples: [],
    inputs: PORTS,
    recovery: 'at-least-once',
    transactional: true,
    create: (_, { transaction }, room = `room ${opened++}`) => ({
      describe: () => ({ rooms: { [room]: 'seen' } }),
      open: async () => Promise.resolve(),
      write: async (records, epoch) => {
        if (refuses())
          return records.map((record) => ({ record, code: 'x', reason: 'never', retriable: false }));
        const messages = records.map((record) => ({
          key: 'room',
          value: record.port === 'measure' ? `${record.time}=${record.value}` : record.port,
        }));
        await transaction!.send(epoch, 'results', messages);
        return [];
      },
      flush: async () => Promise.resolve(),
      close: async () => Promise.resolve(),
    }),
  });
  const topology: CheckedTopology = topologyOf(
    {
      in: { component: source },
      sums: { component: sum, from: ['in'] },
      out: { component: sink, from: ['sums'] },
    },
    temporaryFolder(),
    { scaleOut: true, advertisedAddress: member, ...settings },
  );
  return runnerOf(topology, options);
}

/** Results for frames 0 to `end` of one uninterrupted process. */
const sums = (end: number): readonly string[] =>
  Array.from({ length: Math.floor((end - 1) / 10) }, (_, index) => {
    const last = (index + 1) * 10;
    return `${last * 1000}=${(last * (last - 1)) / 2}`;
  });

test('a partition that moves between processes keeps its state, and sends everything once', async () => {
  const broker = new Broker();
  const [first, second] = [worker(broker, 'first'), worker(broker, 'second')];
  await first.start();
  await second.start();
  const position = (partition: number) => (broker.committed.get(partition)?.position ?? 0) as number;
  broker.members.get('first')!([0, 1]);
  for (const [round, owners] of [
    [1, 2],
    [2, 1],
    [2, 2],
    [1, 1],
  ].entries()) {
    const end = (round + 1) * 55;
    broker.end = end;
    await until('all to be committed', () => position(0) === end && position(1) === end);
    // The new owner is asked first: the old one does not know yet that it was fenced off.
    const [zero, one] = owners;
    const share = (member: number) =>
      [zero === member ? 0 : -1, one === member ? 1 : -1].filter((p) => p >= 0);
    broker.members.get('second')!(share(2));
    broker.members.get('first')!(share(1));
  }
  broker.end = 300;
  await until('the end', () => position(0) === 300 && position(1) === 300);
  expect(broker.results.get(0)).toEqual(sums(300));
  expect(broker.results.get(1)).toEqual(sums(300));
  expect(broker.takes.get(0)).toBeGreaterThan(2);
  expect(first.status().state).toBe('running');
});

test('a stop checkpoints everything it has read; a start resumes there', async () => {
  const broker = new Broker();
  const runner = worker(broker, 'only');
  await runner.start();
  broker.members.get('only')!([4]);
  broker.end = 44;
  await until('a checkpoint', () => broker.committed.get(4)?.position === 44);
  await runner.stop();
  expect(broker.members.size).toBe(0);
  await runner.start();
  broker.members.get('only')!([4]);
  broker.end = 99;
  await until('the rest', () => broker.committed.get(4)?.position === 99);
  expect(broker.results.get(4)).toEqual(sums(99));
});

test('too many failures in a row stop the process, as configured', async () => {
  const broker = new Broker();
  const runner = worker(broker, 'only', () => true, { stopAfterFailures: 3 });
  await runner.start();
  broker.members.get('only')!([0]);
  broker.end = 100;
  await until('it to give up', () => runner.status().state === 'failed');
  expect(broker.members.size).toBe(0);
});

test('a replayed letter goes to its partition, even if that returns later', async () => {
  const broker = new Broker();
  let broken = true;
  const runner = worker(broker, 'only', () => broken);
  const position = (partition: number) => broker.committed.get(partition)?.position;
  await runner.start();
  broker.members.get('only')!([0, 1]);
  broker.end = 35;
  await until('both to be read', () => position(0) === 35 && position(1) === 35);
  const { letters } = await runner.letters.list();
  expect(letters.map(({ partition }) => partition).sort()).toEqual([0, 0, 0, 1, 1, 1]);
  broken = false;

  broker.members.get('only')!([1]);
  await until('it to be given away', () => runner.status().nodes[0]!.details['partition_0'] === undefined);
  const { replayed, refused } = await runner.letters.replay({});
  expect(replayed).toEqual(letters.filter(({ partition }) => partition === 1).map(({ id }) => id));
  expect(refused.map(({ reason }) => reason)).toEqual(
    Array(3).fill(
      'another process reads its partition 0 now: this one replays the record when it reads the partition again',
    ),
  );
  await until('those of partition 1', () => broker.results.get(1)?.length === 3);
  expect(broker.results.get(1)).toEqual(sums(35));
  expect(broker.results.get(0) ?? []).toEqual([]);

  broker.members.get('only')!([0, 1]);
  await until('those of partition 0', () => broker.results.get(0)?.length === 3);
  expect(broker.results.get(0)).toEqual(sums(35));
  await emptied(runner);
  expect(broker.results.get(1)).toEqual(sums(35));
  await runner.stop();
});

test('what the partitions of a node say about their rooms is together in its details', async () => {
  const broker = new Broker();
  const runner = worker(broker, 'only');
  await runner.start();
  const details = () => runner.status().nodes.find(({ id }) => id === 'out')!.details;
  expect(details()).not.toHaveProperty('rooms');
  broker.members.get('only')!([0, 1]);
  await until('both to run', () => Object.keys(details()['partition_1'] ?? {}).length > 0);
  expect(details()['rooms']).toEqual({ 'room 0': 'seen', 'room 1': 'seen' });
  await runner.stop();
});

test('the watermark lag of a node is that of its slowest local partition', async () => {
  const broker = new Broker();
  const metrics = createMetrics();
  const runner = worker(broker, 'first', undefined, {}, { metrics });
  await runner.start();
  broker.members.get('first')!([0, 1]);
  broker.end = 1000;
  const sums = metrics.node('test', 'sums');
  await until('both have read', () => sums.watermarkLags.size === 2 && sums.receivedTotal === 2000);
  const lags = () => [...sums.watermarkLags].map((read) => read() ?? 0);
  expect(sums.watermarkLag).toBeGreaterThanOrEqual(Math.max(...lags()) - 1);
  broker.members.get('first')!([1]);
  await until('one is given away', () => sums.watermarkLags.size === 1);
  await runner.stop();
  expect(sums.watermarkLag).toBeNull();
});

test('a node of live input is as late as the clock says, also if its first partition is empty', async () => {
  const broker = new Broker();
  broker.empty.add(0);
  const runner = worker(broker, 'only');
  await runner.start();
  broker.members.get('only')!([0, 1]);
  broker.end = 50;
  const lags = () => runner.status().nodes.map(({ lagMs }) => typeof lagMs);
  await until('the second to be read', () => runner.status().nodes[2]!.received > 0);
  expect(lags()).toEqual(['number', 'number', 'number']);
  await runner.stop();
});

test('each process reports where a room is: here, elsewhere, moving, or unread', async () => {
  const broker = new Broker();
  const [first, second] = [worker(broker, 'first'), worker(broker, 'second')];
  await first.start();
  await second.start();
  broker.members.get('first')!([0]);
  broker.members.get('second')!([1]);
  broker.end = 50;
  await until('both to commit', () => broker.holders.size === 2);
  const where = (room: string) => Promise.all([first.whereIs!(room), second.whereIs!(room)]);
  expect(await where('room-0')).toEqual([{ at: 'here' }, { at: 'elsewhere', address: 'first' }]);
  expect(await where('room-1')).toEqual([{ at: 'elsewhere', address: 'second' }, { at: 'here' }]);
  expect(await where('room-2')).toEqual([{ at: 'nowhere' }, { at: 'nowhere' }]);

  broker.members.get('first')!([]);
  await until('it to be given away', () => first.status().nodes[0]!.details['partition_0'] === undefined);
  expect(await first.whereIs!('room-0')).toEqual({ at: 'moving' });
  broker.members.get('second')!([0, 1]);
  expect(await second.whereIs!('room-0')).toEqual({ at: 'here' });
  await until('a checkpoint of the second', () => broker.holders.get(0)?.address === 'second');
  expect(await first.whereIs!('room-0')).toEqual({ at: 'elsewhere', address: 'second' });
});
