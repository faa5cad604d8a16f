import type { Consumer, EachBatchHandler, EachBatchPayload, Kafka, KafkaMessage } from 'kafkajs';
import { expect, test } from 'vitest';
import { GroupReader } from '../../pipeline/kafka/partitions/group-reader.js';

/** A consumer like that of kafkajs: while it reconnects, it rejects seek, pause and resume. */
class FakeConsumer {
  readonly events = Object.fromEntries(
    ['CRASH', 'GROUP_JOIN', 'STOP', 'START_BATCH_PROCESS', 'END_BATCH_PROCESS'].map((name) => [name, name]),
  );
  readonly asked: string[] = [];
  heartbeatInterval = 0;
  #listeners = new Map<string, (event: { payload: unknown }) => void>();
  #eachBatch: EachBatchHandler = () => Promise.resolve();
  #running = false;

  on(name: string, listener: (event: { payload: unknown }) => void): void {
    this.#listeners.set(name, listener);
  }

  connect = () => Promise.resolve();
  subscribe = () => Promise.resolve();
  disconnect = () => Promise.resolve();

  run({ eachBatch }: { eachBatch: EachBatchHandler }): Promise<void> {
    this.#eachBatch = eachBatch;
    this.join();
    return Promise.resolve();
  }

  join(): void {
    this.#running = true;
    this.#tell('GROUP_JOIN', { memberAssignment: { csi: [0], state: [0] } });
  }

  stop(): void {
    this.#running = false;
    this.#tell('STOP', {});
  }

  seek({ topic, offset }: { topic: string; offset: string }): void {
    this.#ask(`seek ${topic} ${offset}`);
  }

  pause([place]: readonly { topic: string }[]): void {
    this.#ask(`pause ${place!.topic}`);
  }

  resume([place]: readonly { topic: string }[]): void {
    this.#ask(`resume ${place!.topic}`);
  }

  /** A fetch that starts at the first of these offsets. */
  async fetch(...offsets: readonly number[]): Promise<void> {
    const messages = offsets.map((offset) => ({ offset: String(offset) }) as KafkaMessage);
    const batch = { topic: 'csi', partition: 0, messages, fetchedOffset: String(offsets[0]) };
    await this.#eachBatch({ batch, isStale: () => false } as unknown as EachBatchPayload);
  }

  #ask(what: string): void {
    if (!this.#running) throw new Error('Consumer group was not initialized');
    this.asked.push(what);
  }

  #tell(name: string, payload: unknown): void {
    this.#listeners.get(name)!({ payload });
  }
}

async function reading(take: (offsets: readonly number[]) => void, sessionTimeoutMs = 30_000) {
  const consumer = new FakeConsumer();
  const client = {
    consumer: ({ heartbeatInterval }: { heartbeatInterval: number }) => {
      consumer.heartbeatInterval = heartbeatInterval;
      return consumer as unknown as Consumer;
    },
  } as unknown as Kafka;
  const options = {
    group: 'g',
    id: 'rooms',
    member: 'one',
    topic: 'csi',
    stateTopic: 'state',
    sessionTimeoutMs,
  };
  const reader = new GroupReader(client, options);
  await reader.join(
    () => undefined,
    (error) => {
      throw error;
    },
  );
  let expired = 0;
  const control = reader.read('csi', 0, 5n, {
    take: (messages) => {
      take(messages.map(({ offset }) => Number(offset)));
    },
    expired: (messages) => {
      expired += messages;
    },
  });
  consumer.asked.length = 0;
  return { consumer, control, expired: () => expired };
}

test('requests during a reconnect apply from the next join', async () => {
  const { consumer, control } = await reading(() => undefined);
  await consumer.fetch(5, 6);
  consumer.stop();
  control.pause();
  control.resume();
  control.pause();
  expect(consumer.asked).toEqual([]);
  consumer.join();
  expect(consumer.asked).toEqual(['seek csi 7', 'pause csi', 'pause state']);
  control.resume();
  expect(consumer.asked.at(-1)).toBe('resume csi');
});

test('a feed may end during a reconnect: its partition stays paused', async () => {
  const { consumer, control } = await reading(() => undefined);
  consumer.stop();
  control.stop();
  consumer.join();
  expect(consumer.asked).toEqual(['pause csi', 'pause state']);
});

test('messages that were not accepted are delivered again', async () => {
  const taken: number[][] = [];
  let fails = true;
  const { consumer } = await reading((offsets) => {
    if (fails) throw new Error('no room');
    taken.push([...offsets]);
  });
  await expect(consumer.fetch(5, 6)).rejects.toThrow('no room');
  fails = false;
  await consumer.fetch(5, 6);
  await consumer.fetch(6, 7);
  expect(taken).toEqual([[5, 6], [7]]);
});

test('a long session does not make heartbeats rare', async () => {
  const { consumer } = await reading(() => undefined, 600_000);
  expect(consumer.heartbeatInterval).toBe(1000);
});

test('messages from a later offset are requested again; deleted ones are counted if nothing else is there', async () => {
  const taken: number[][] = [];
  const { consumer, expired } = await reading((offsets) => taken.push([...offsets]));
  await consumer.fetch(30, 31);
  expect(consumer.asked).toEqual(['seek csi 5', 'resume csi']);
  await consumer.fetch(5, 6);
  await consumer.fetch(9, 10);
  expect(expired()).toBe(0);
  await consumer.fetch(9, 10);
  expect(taken).toEqual([
    [5, 6],
    [9, 10],
  ]);
  expect(expired()).toBe(2);
});
