import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { Partitions } from '../../pipeline/component/index.js';
import { kafka } from '../../pipeline/sources/kafka/kafka.js';
import { kafka as sink } from '../../sinks/kafka/kafka.js';
import type { Runner } from '../../pipeline/runtime/runner.js';
import { withDefaults } from '../kit/definition.js';
import { testContext } from '../support/context.js';
import { runnerOf, sum, Table, temporaryFolder, topologyOf } from '../support/flow.js';
import { until } from '../support/waiting.js';
import { KafkaCluster } from '../support/servers/kafka.js';
import { freePorts } from '../support/servers/server.js';

let cluster: KafkaCluster;
beforeAll(async () => {
  cluster = await KafkaCluster.start();
}, 90_000);
afterAll(async () => {
  await cluster.stop();
});

const leaving: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const leave of leaving.splice(0).reverse()) await leave();
});

interface Member {
  readonly partitions: Partitions;
  readonly shares: (readonly number[])[];
  readonly lost: Error[];
  join(): Promise<void>;
}

function memberOf(topic: string, name: string, { group = topic, topology = 'rooms' } = {}): Member {
  const config = { brokers: cluster.brokers, topics: [topic], group, session_timeout_ms: 30_000 };
  const { context } = testContext();
  const partitions = kafka.partitions!(
    withDefaults(kafka, config) as never,
    { ...context, topology },
    {
      id: name,
      address: null,
    },
  );
  const member: Member = {
    partitions,
    shares: [],
    lost: [],
    join: () =>
      partitions.join(
        (share) => member.shares.push(share),
        (error) => member.lost.push(error),
      ),
  };
  leaving.push(() => partitions.leave());
  return member;
}

test('a restarted process replaces the killed one, whose session is still active', async () => {
  const topic = await cluster.topic(4);
  const [killed, other] = [memberOf(topic, 'one'), memberOf(topic, 'two')];
  await killed.join();
  await other.join();
  await until('both have partitions', () => killed.shares.at(-1)?.length === 2 && other.shares.length > 0);
  const [before, rebalances] = [killed.shares.at(-1), other.shares.length];
  const again = memberOf(topic, 'one');
  await again.join();
  expect(again.shares).toEqual([before]);
  expect(other.shares.length).toBe(rebalances);
  // It was alive: it must not continue.
  await until('the first is notified', () => killed.lost.length > 0);
  expect(killed.lost[0]).toMatchObject({ final: true });
  expect(killed.lost[0]!.message).toMatch(/another process has taken this one's place.*state folder/);
});

test('another topology is kept out of a group, with and without members', async () => {
  const topic = await cluster.topic(2);
  const first = memberOf(topic, 'one');
  await first.join();
  await until('partitions', () => first.shares.length > 0);
  const stranger = memberOf(topic, 'two', { topology: 'others' });
  await expect(stranger.join()).rejects.toMatchObject({
    final: true,
    message: expect.stringMatching(/the group has members of another topology.*separate `group`/) as string,
  });
  const partition = await first.partitions.take(0);
  await partition.commit({ epoch: 1, parts: new Map() }, { offset: '0', newest: 0 });
  await partition.close();
  await first.partitions.leave();
  await expect(stranger.join()).rejects.toMatchObject({
    final: true,
    message: expect.stringMatching(/belongs to the topology rooms.*for others/) as string,
  });
  await memberOf(topic, 'three').join();
});

/** A topology without scale-out that stores its input. */
function plain(topic: string, id: string): Runner {
  const topology = topologyOf(
    {
      in: {
        component: kafka,
        config: { brokers: cluster.brokers, topics: [topic], group: topic },
      },
      store: { component: new Table().component, from: ['in'] },
    },
    temporaryFolder(),
    { checkpointIntervalMs: 100 },
  );
  const runner = runnerOf({ ...topology, id });
  leaving.push(() => runner.stop());
  return runner;
}

async function produce(topic: string, count: number): Promise<void> {
  const producer = cluster.client.producer();
  await producer.connect();
  const messages = Array.from({ length: count }, () => ({ key: 'test-room', value: 'no frame' }));
  await producer.send({ topic, messages });
  await producer.disconnect();
}

test('a topology without scale-out is kept out of an empty group, too', async () => {
  const topic = await cluster.topic(1);
  await produce(topic, 5);
  const first = plain(topic, 'rooms');
  await first.start();
  const admin = cluster.client.admin();
  await admin.connect();
  leaving.push(() => admin.disconnect());
  const committed = async () =>
    (await admin.fetchOffsets({ groupId: topic, topics: [topic] }))[0]?.partitions[0];
  await vi.waitFor(async () => {
    expect(JSON.parse((await committed())?.metadata ?? '{}')).toMatchObject({ topology: 'rooms' });
  }, 45_000);
  await first.stop();
  await expect(plain(topic, 'others').start()).rejects.toThrow(
    /belongs to the topology rooms.*separate `group` for others/,
  );
  await plain(topic, 'rooms').start();
});

/** A topology that is scaled out. */
function process(topics: { readonly from: string; readonly to: string }, brokers = cluster.brokers) {
  const topology = topologyOf(
    {
      in: {
        component: kafka,
        config: { brokers, topics: [topics.from], group: topics.from },
      },
      sums: { component: sum, from: ['in'] },
      out: { component: sink, config: { brokers, topic: topics.to }, from: ['sums'] },
    },
    temporaryFolder(),
    { scaleOut: true },
  );
  const runner = runnerOf(topology);
  leaving.push(() => runner.stop());
  return runner;
}

test('waits for a broker that is offline at the start, as without scale-out', async () => {
  const [port] = await freePorts(1);
  const runner = process({ from: 'csi', to: 'results' }, [`127.0.0.1:${port!}`]);
  await runner.start();
  expect(runner.status().state).toBe('degraded');
  expect(runner.status().problem).toMatch(/nothing listens at 127\.0\.0\.1:\d+: start the broker/);
});

test('a missing topic prevents the start, and is named', async () => {
  const runner = process({ from: 'no-such-topic', to: 'results' });
  await expect(runner.start()).rejects.toThrow(/there is no topic `no-such-topic`: create it first/);
});

test('a process waiting for a broker joins when one answers', async () => {
  const topic = await cluster.topic(2);
  await cluster.topic(1);
  const [node] = cluster.nodes;
  await node!.halt();
  const runner = process({ from: topic, to: topic });
  await runner.start();
  expect(runner.status().state).toBe('degraded');
  await node!.start();
  await until('it runs', () => runner.status().state === 'running');
}, 60_000);
