import { Value } from 'typebox/value';
import type { Kafka } from 'kafkajs';
import { beforeEach, expect, test } from 'vitest';
import { settingsSchema, type KafkaSettings } from '../../pipeline/sources/kafka/settings.js';
import type { PartitionPosition } from '../../pipeline/sources/kafka/holdings.js';
import { GroupMember } from '../../pipeline/sources/kafka/group.js';
import { testContext } from '../support/context.js';

/** A broker's answers about one topic, and the requests of a member. */
class FakeKafka {
  committed = '5';
  owner = '';
  low = '0';
  /** If set, answers about offsets wait in it. */
  held: (() => void)[] | null = null;
  lookUps = 0;
  readonly asked: string[] = [];
  readonly #listeners = new Map<string, (event: { payload: unknown }) => void>();

  admin = () => ({
    connect: () => Promise.resolve(),
    disconnect: () => Promise.resolve(),
    fetchTopicMetadata: () => Promise.resolve({ topics: [] }),
    fetchTopicOffsets: () => Promise.resolve([{ partition: 0, low: this.low, high: '100' }]),
    fetchOffsets: async () => {
      const partitions = [{ partition: 0, offset: this.committed, metadata: this.owner }];
      this.lookUps++;
      const { held } = this;
      if (held) await new Promise<void>((resolve) => held.push(resolve));
      return [{ topic: 'csi', partitions }];
    },
  });

  consumer = () => ({
    events: Object.fromEntries(
      ['GROUP_JOIN', 'FETCH_START', 'HEARTBEAT', 'END_BATCH_PROCESS', 'STOP', 'CRASH'].map((name) => [
        name,
        name,
      ]),
    ),
    on: (name: string, listener: (event: { payload: unknown }) => void) => {
      this.#listeners.set(name, listener);
    },
    connect: () => Promise.resolve(),
    disconnect: () => Promise.resolve(),
    subscribe: () => Promise.resolve(),
    run: () => Promise.resolve(),
    seek: ({ offset }: { offset: string }) => this.asked.push(`seek ${offset}`),
    pause: () => this.asked.push('pause'),
    resume: () => this.asked.push('resume'),
  });

  /** Completes a rebalance. */
  join(memberId = 'm'): void {
    this.#listeners.get('GROUP_JOIN')!({ payload: { memberId, memberAssignment: { csi: [0] } } });
  }
}

let broker: FakeKafka;
beforeEach(() => {
  broker = new FakeKafka();
});

/** A member whose state has a checkpoint at `kept`. */
async function memberAt(kept: PartitionPosition | null) {
  const settings = Value.Default(settingsSchema, { brokers: ['b:1'], topics: ['csi'] }) as KafkaSettings;
  const { context, recorded } = testContext();
  const positions = kept === null ? {} : { csi: { '0': kept } };
  const events = { news: () => undefined, problem: () => undefined };
  const connect = () => Promise.resolve(broker as unknown as Kafka);
  const member = new GroupMember(settings, context, 'me', positions, events, connect);
  await member.join();
  return { member, recorded };
}

const read = () => expect.poll(() => broker.asked.at(-1)).toBe('resume');

test('a partition is paused until its offset is known, and read from there', async () => {
  const { member } = await memberAt(null);
  broker.held = [];
  broker.join();
  await expect.poll(() => broker.held?.length).toBe(1);
  expect(broker.asked).toEqual(['pause']);
  broker.held[0]!();
  await read();
  expect(broker.asked).toEqual(['pause', 'seek 5', 'resume']);
  expect(member.positions).toEqual({ csi: { '0': 5 } });
  await member.leave();
});

test('offsets committed by others between two rebalances are requested again', async () => {
  const { member } = await memberAt(null);
  const held: (() => void)[] = [];
  broker.held = held;
  broker.join();
  await expect.poll(() => held.length).toBe(1);
  broker.held = null;
  broker.committed = '9';
  broker.join();
  held[0]!();
  await read();
  // The first look-up finds the group's coordinator.
  expect([broker.lookUps, broker.asked]).toEqual([3, ['pause', 'seek 9', 'resume']]);
  await member.leave();
});

test('an answer after the connection was lost changes nothing', async () => {
  const { member } = await memberAt(7);
  const held: (() => void)[] = [];
  broker.held = held;
  broker.join();
  await expect.poll(() => held.length).toBe(1);
  await member.leave();
  held[0]!();
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(broker.asked).toEqual(['pause']);
  expect(member.positions).toEqual({ csi: { '0': 7 } });
});

test.each([
  ['the checkpoint, if this state has committed', 'me', 7, '0', 'seek 7', 0],
  ['the group, if another has committed since', 'other', 7, '0', 'seek 5', 0],
  ['the first remaining message, if some were deleted', 'me', 7, '10', 'seek 10', 3],
])('reading a partition from %s', async (_, owner, kept, low, sought, lost) => {
  Object.assign(broker, { owner, low });
  const { member, recorded } = await memberAt(kept);
  broker.join();
  await read();
  expect(broker.asked).toEqual(['pause', sought, 'resume']);
  expect(recorded.dropped['retention'] ?? 0).toBe(lost);
  await member.leave();
});

test.each([
  ['after those of its checkpoint', 'me', { offset: 7, newest: 7001 }, 7001],
  ['after those of its checkpoint, also if another member has read on', 'other', { offset: 4, newest: 9 }, 9],
  ['as they come, with the checkpoint of an earlier version', 'me', 7, -Infinity],
  ['as they come, if its topic was created anew', 'me', { offset: 700, newest: 9 }, -Infinity],
])('records of a partition have times %s', async (_, owner, kept, newest) => {
  broker.owner = owner;
  const { member } = await memberAt(kept);
  // As a checkpoint before the group has answered.
  expect(member.positions).toEqual({ csi: { '0': kept } });
  broker.join();
  await read();
  const [lane] = member.lanes;
  expect(lane!.newest).toBe(newest);
  const { offered: offset } = lane!;
  expect(member.positions).toEqual({ csi: { '0': newest === -Infinity ? offset : { offset, newest } } });
  await member.leave();
});
