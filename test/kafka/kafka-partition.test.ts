import type { Producer, Transaction } from 'kafkajs';
import { expect, test } from 'vitest';
import type { Position, SourceOutput } from '../../pipeline/component/index.js';
import { CheckpointWriter } from '../../pipeline/kafka/partitions/checkpoint-topic.js';
import type { GroupReader } from '../../pipeline/kafka/partitions/group-reader.js';
import { RoomsRead } from '../../pipeline/kafka/partitions/rooms-read.js';
import { KafkaPartition } from '../../pipeline/kafka/partitions/kafka-partition.js';
import { testContext } from '../support/context.js';

interface Topic {
  readonly low: number;
  readonly high: number;
  readonly committed?: number;
  readonly start?: 'earliest' | 'latest';
}

/**
 * Starts reading a partition. Returns the offset that it is read from, and that of a checkpoint without
 * records.
 */
async function begun(position: Position, { low, high, committed, start = 'earliest' }: Topic) {
  const found = { from: -1, expired: 0, committed: '' };
  const transaction = {
    send: ({ topic, messages }: { topic: string; messages: readonly { partition: number }[] }) =>
      Promise.resolve([{ topicName: topic, partition: messages[0]!.partition }]),
    sendOffsets: ({ topics }: { topics: readonly { partitions: readonly { offset: string }[] }[] }) => {
      found.committed = topics[0]!.partitions[0]!.offset;
      return Promise.resolve();
    },
    commit: () => Promise.resolve(),
    isActive: () => false,
  } as unknown as Transaction;
  const reader = {
    read: (_topic: string, _partition: number, from: bigint) => {
      found.from = Number(from);
      return { stop: () => undefined };
    },
  } as unknown as GroupReader;
  const producer = {
    transaction: () => Promise.resolve(transaction),
    disconnect: () => Promise.reject(new Error('it is gone')),
  } as unknown as Producer;
  const partition = new KafkaPartition({
    ...{
      number: 3,
      topic: 'csi',
      stateTopic: 'state',
      group: 'g',
      mark: () => '{}',
      rooms: new RoomsRead([]),
      reader,
      producer,
      transaction,
    },
    ...{ saved: undefined, writer: new CheckpointWriter({}), log: testContext().context.log, start },
    range: () => Promise.resolve({ low: BigInt(low), high: BigInt(high) }),
    committed: () => Promise.resolve(committed === undefined ? null : BigInt(committed)),
    batches: () => [],
    maxLag: 10,
    partitionOf: () => Promise.resolve(0),
    onLag: () => undefined,
    onExpired: (messages) => {
      found.expired += messages;
    },
  });
  const over = new AbortController();
  const output = { signal: over.signal, offer: () => true } as unknown as SourceOutput;
  const reading = partition.read(position, output);
  await new Promise((resolve) => setImmediate(resolve));
  await partition.commit({ epoch: 1, parts: new Map() }, position);
  over.abort();
  await reading;
  await partition.close();
  return found;
}

const at = (offset: number) => ({ offset: String(offset), newest: 0 });

test('a partition resumes from its checkpoint, otherwise from the offset of the group, otherwise as configured', async () => {
  expect(await begun(at(20), { low: 10, high: 100, committed: 50 })).toMatchObject({ from: 20, expired: 0 });
  expect(await begun(null, { low: 10, high: 100, committed: 50 })).toMatchObject({ from: 50 });
  expect(await begun(null, { low: 10, high: 100 })).toMatchObject({ from: 10, expired: 0 });
  expect(await begun(null, { low: 10, high: 100, start: 'latest' })).toMatchObject({ from: 100 });
});

test('its start is committed before anything is read, so that a successor misses nothing', async () => {
  const { committed } = await begun(null, { low: 10, high: 100, start: 'latest' });
  expect(committed).toBe('100');
  expect(await begun(null, { low: 10, high: 140, start: 'latest', committed: 100 })).toMatchObject({
    from: 100,
  });
});

test('deleted messages are counted; a recreated topic is read from its start', async () => {
  expect(await begun(at(4), { low: 10, high: 100 })).toMatchObject({ from: 10, expired: 6 });
  expect(await begun(at(500), { low: 0, high: 100 })).toMatchObject({ from: 0, expired: 0 });
});
