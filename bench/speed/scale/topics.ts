import { setTimeout as delay } from 'node:timers/promises';
import type { Admin, Kafka } from 'kafkajs';
import type { Datagram } from './rooms.js';

/**
 * Writes datagrams with their room as key, at most `pace` seconds of event time per second.
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

/** Messages of a topic that the group has not committed, by partition; other partitions are omitted. */
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
    // A new group has no coordinator for a moment.
    const open = await missing(admin, groupId, topic).catch(() => 'cannot be asked');
    if (typeof open !== 'string' && open.reduce((sum, { count }) => sum + count, 0) <= left) return;
    if (performance.now() > deadline)
      throw new Error(`${groupId} has not read all of ${topic}: ${JSON.stringify(open)}`);
    await delay(100);
  }
}
