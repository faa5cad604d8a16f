import type { Kafka, KafkaMessage, Transaction } from 'kafkajs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Kafka as Reader } from '../../api/kafka.js';
import { KafkaCluster } from '../support/servers/kafka.js';

let cluster: KafkaCluster;
beforeAll(async () => {
  cluster = await KafkaCluster.start();
}, 90_000);
afterAll(async () => {
  await cluster.stop();
});

/** Padding makes a fetch of `bytes` start in the middle of transactions. */
async function write(topic: string, rounds: number): Promise<readonly string[]> {
  const producers = await Promise.all(
    ['a', 'b', 'c'].map(async (name) => {
      const producer = cluster.client.producer({
        transactionalId: `${topic}-${name}`,
        maxInFlightRequests: 1,
      });
      await producer.connect();
      return { name, producer };
    }),
  );
  const committed: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const open: { name: string; transaction: Transaction; values: string[] }[] = [];
    for (const { name, producer } of producers)
      open.push({ name, transaction: await producer.transaction(), values: [] });
    for (let turn = 0; turn < 4; turn++)
      for (const { name, transaction, values } of open) {
        const value = `${name}-${round}-${turn}`.padEnd(1000, '.');
        values.push(value);
        await transaction.send({ topic, messages: [{ key: 'k', value }] });
      }
    // The last to begin ends first; occasionally one of them is committed.
    for (const { transaction, values } of open.reverse()) {
      if ((round + values[0]!.charCodeAt(0)) % 4 === 0) {
        await transaction.commit();
        committed.push(...values);
      } else await transaction.abort();
    }
  }
  for (const { producer } of producers) await producer.disconnect();
  return committed;
}

async function readAll(
  client: Kafka,
  topic: string,
  maxBytesPerPartition: number,
): Promise<readonly string[]> {
  const { high } = (await (await cluster.admin()).fetchTopicOffsets(topic))[0]!;
  const consumer = client.consumer({
    groupId: `${topic}-${maxBytesPerPartition}`,
    maxBytesPerPartition,
    maxWaitTimeInMs: 50,
  });
  const found: KafkaMessage[] = [];
  const { END_BATCH_PROCESS } = consumer.events;
  const end = new Promise<void>((resolve) => {
    consumer.on(END_BATCH_PROCESS, ({ payload }) => {
      if (BigInt(payload.lastOffset) + 1n >= BigInt(high)) resolve();
    });
  });
  await consumer.connect();
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  await consumer.run({
    eachBatch: async ({ batch }) => {
      found.push(...batch.messages);
      return Promise.resolve();
    },
  });
  await end;
  await consumer.disconnect();
  return found.map(({ value }) => value!.toString());
}

test.each([1_048_576, 2500])(
  'a reader of csiflow/kafka sees none of overlapping aborted transactions, %i bytes a fetch',
  async (bytes) => {
    const topic = await cluster.topic(1);
    const committed = await write(topic, 12);
    await cluster.decided(topic);
    const reader = new Reader({
      clientId: 'reader',
      brokers: [...cluster.brokers],
      logCreator: () => () => undefined,
    });
    const found = await readAll(reader, topic, bytes);
    expect(found.toSorted()).toEqual(committed.toSorted());
    expect(await cluster.values(topic)).toEqual(found);
  },
  60_000,
);
