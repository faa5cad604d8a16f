import { Type } from 'typebox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { datagramsOf, makeRooms } from '../../bench/speed/scale/rooms.js';
import { produce } from '../../bench/speed/scale/topics.js';
import { defineOperator } from '../../pipeline/component/index.js';
import type { Runner } from '../../pipeline/runtime/runner.js';
import { kafka } from '../../pipeline/sources/kafka/kafka.js';
import { websocket } from '../../sinks/websocket.js';
import { openService, type TestService } from '../api/support.js';
import { runnerOf, temporaryFolder, topologyOf } from '../support/flow.js';
import { poseFrame } from '../support/records.js';
import { eventually, until } from '../support/waiting.js';
import { KafkaCluster } from '../support/servers/kafka.js';
import { freePorts } from '../support/servers/server.js';

let cluster: KafkaCluster;
const closing: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  cluster = await KafkaCluster.start();
}, 90_000);
afterAll(async () => {
  for (const close of closing.reverse()) await close();
  await cluster.stop();
});

/** A pose for each room in a block of frames. */
const see = defineOperator({
  name: 'see',
  summary: 'Sees.',
  config: Type.Object({}),
  examples: [],
  inputs: ['csi'],
  outputs: ['pose'],
  create: (_, { links }) => ({
    process: ({ link, time }) => {
      const seen = new Set(Array.from(link, (index) => links.at(index).environment.id));
      return { data: [...seen].map((environment) => poseFrame(0, { environment, time: time[0]! })) };
    },
  }),
});

const rooms = makeRooms(4, 3);

/** One process of the topology, with its API. */
async function processOf(topic: string, port: number): Promise<{ runner: Runner; service: TestService }> {
  const config = { brokers: cluster.brokers, topics: [topic], group: topic, session_timeout_ms: 6000 };
  const topology = topologyOf(
    {
      in: { component: kafka, config },
      poses: { component: see, from: ['in'] },
      live: { component: websocket, from: ['poses'] },
    },
    temporaryFolder(),
    { scaleOut: true, checkpointIntervalMs: 200, advertisedAddress: `http://127.0.0.1:${port}` },
  );
  const runner = runnerOf({ ...topology, environments: rooms });
  const service = await openService(undefined, { main: runner, port });
  closing.push(
    () => service.close(),
    () => runner.stop(),
  );
  await runner.start();
  return { runner, service };
}

const latest = (service: TestService, room: string) =>
  service.get(`/form-b/api/v1/pose/latest?environment_id=${room}`, service.token('viewer'));

test('each process answers for its rooms, and names the other one for the rest, even after that has left', async () => {
  const topic = await cluster.topic(2);
  const ports = await freePorts(2);
  const [one, two] = [await processOf(topic, ports[0]!), await processOf(topic, ports[1]!)];
  const partitions = ({ runner }: typeof one) => Object.keys(runner.status().nodes[0]!.details);
  await until('each has a partition', () => partitions(one).length === 1 && partitions(two).length === 1);
  const send = async () =>
    produce(
      cluster.client,
      topic,
      await datagramsOf(rooms, 1, 20),
      10,
      (room) => rooms.findIndex(({ id }) => id === room) % 2,
    );
  await send();
  for (const { id } of rooms) {
    const answers = await eventually(async () => {
      const found = [await latest(one.service, id), await latest(two.service, id)];
      expect(found.map(({ status }) => status).sort()).toEqual([200, 421]);
      return found;
    });
    const [here, elsewhere] = answers[0]!.status === 200 ? [one, answers[1]!] : [two, answers[0]!];
    expect(elsewhere.headers.get('Location')).toBe(
      `${here.service.server.address}/form-b/api/v1/pose/latest?environment_id=${id}`,
    );
  }

  await two.runner.stop();
  await until('one has both', () => partitions(one).length === 2);
  await send();
  await eventually(async () => {
    const found = await Promise.all(rooms.map(({ id }) => latest(one.service, id)));
    expect(found.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });
}, 90_000);
