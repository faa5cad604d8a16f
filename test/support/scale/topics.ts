import { setTimeout as delay } from 'node:timers/promises';
import type { Admin, Kafka } from 'kafkajs';
import type { Datagram } from './rooms.js';

/**
 * Writes datagrams with their room as key, at most `pace` seconds of event time a second.
 * @param partitionOf partition of a room
 */
export async function produce(
  client: Kafka,
  topic: string,
  datagrams: readonly Datagram[],
  pace: number,
  partitionOf: (room: string) => number,
): Promise<void> {
  const producer = client.producer({ idempotent: true, maxInFlightRequests: 1 });
  await producer.connect();
  const first = datagrams[0]!.time;
  const begun = performance.now();
  const STEP_US = 200_000 * Math.max(1, pace);
  for (let next = 0; next < datagrams.length;) {
    const until = datagrams[next]!.time + STEP_US;
    let end = next;
    while (end < datagrams.length && datagrams[end]!.time < until) end++;
    const messages = datagrams.slice(next, end).map(({ room, time, bytes }) => ({
      key: room,
      value: Buffer.from(bytes),
      partition: partitionOf(room),
      headers: { 'csiflow-time': String(time) },
    }));
    await producer.send({ topic, messages });
    next = end;
    const ahead = (until - first) / 1000 / pace - (performance.now() - begun);
    if (ahead > 0) await delay(ahead);
  }
  await producer.disconnect();
}

/** Messages of a topic that the group has not committed, by partition; those of the others are left out. */
async function missing(
  admin: Admin,
  groupId: string,
  topic: string,
): Promise<readonly { readonly partition: number; readonly count: number }[]> {
  const ends = await admin.fetchTopicOffsets(topic);
  const [committed] = await admin.fetchOffsets({ groupId, topics: [topic] });
  return ends
    .map(({ partition, high }) => {
      const found = committed?.partitions.find((one) => one.partition === partition);
      return { partition, count: Number(high) - Math.max(0, Number(found?.offset ?? 0)) };
    })
    .filter(({ count }) => count > 0);
}

/** Waits until the group has committed all of a topic, or all but `left` messages. */
export async function drained(
  admin: Admin,
  groupId: string,
  topic: string,
  timeoutMs: number,
  left = 0,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const open = await missing(admin, groupId, topic);
    if (open.reduce((sum, { count }) => sum + count, 0) <= left) return;
    if (performance.now() > deadline)
      throw new Error(`${groupId} has not read all of ${topic}: ${JSON.stringify(open)}`);
    await delay(100);
  }
}

export interface Result {
  readonly key: string;
  readonly value: string;
}

/** All committed messages of a topic, each partition's in order. */
export async function readAll(client: Kafka, admin: Admin, topic: string): Promise<readonly Result[]> {
  const ends = new Map(
    (await admin.fetchTopicOffsets(topic))
      .filter(({ high, low }) => high !== low)
      .map(({ partition, high }) => [partition, BigInt(high)]),
  );
  const found: Result[] = [];
  const consumer = client.consumer({ groupId: `reader-of-${topic}`, maxWaitTimeInMs: 100 });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await new Promise<void>((resolve, reject) => {
    consumer.on(consumer.events.END_BATCH_PROCESS, ({ payload: { partition, lastOffset } }) => {
      const end = ends.get(partition);
      if (end !== undefined && BigInt(lastOffset) + 1n >= end) ends.delete(partition);
      if (ends.size === 0) resolve();
    });
    consumer
      .run({
        autoCommit: false,
        eachBatch: async ({ batch }) => {
          for (const { key, value } of batch.messages)
            found.push({ key: key?.toString() ?? '', value: value?.toString() ?? '' });
        },
      })
      .catch(reject);
    if (ends.size === 0) resolve();
  });
  await consumer.disconnect();
  return found;
}
