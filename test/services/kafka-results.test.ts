import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Sink } from '../../pipeline/component/index.js';
import { kafka } from '../../pipeline/sources/kafka/kafka.js';
import { duckdb } from '../../sinks/duckdb/duckdb.js';
import { kafka as kafkaSink } from '../../sinks/kafka/kafka.js';
import { withDefaults } from '../kit/definition.js';
import { testContext } from '../support/context.js';
import { runnerOf, Table, temporaryFolder, topologyOf } from '../support/flow.js';
import { until } from '../support/waiting.js';
import { measure, poseFrame, sensedEvent } from '../support/records.js';
import { KafkaCluster } from '../support/servers/kafka.js';

let cluster: KafkaCluster;
beforeAll(async () => {
  cluster = await KafkaCluster.start();
}, 90_000);
afterAll(async () => {
  await cluster.stop();
});

async function write(topic: string, records: Parameters<Sink['write']>[0]): Promise<void> {
  const { context } = testContext({ stateFolder: temporaryFolder() });
  const sink: Sink = kafkaSink.create(
    withDefaults(kafkaSink, { brokers: cluster.brokers, topic }) as never,
    context,
  );
  await sink.open();
  expect(await sink.write(records, 1)).toEqual([]);
  await sink.close();
}

const records = Array.from({ length: 30 }, (_, index) => [
  poseFrame(index, { processingMs: 0 }),
  measure(index, { value: index }),
  sensedEvent(index),
]).flat();

test('another topology reads each result of the first one once, even after a restart', async () => {
  const topic = await cluster.topic(1);
  const config = {
    ...{ brokers: cluster.brokers, topics: [topic], group: topic, format: 'results' },
    ...{ fetch_wait_ms: 50, session_timeout_ms: 6_000 },
  };
  const table = new Table();
  const folder = temporaryFolder();
  const store = () =>
    runnerOf(
      topologyOf(
        { input: { component: kafka, config }, store: { component: table.component, from: ['input'] } },
        folder,
        { checkpointIntervalMs: 100 },
      ),
    );
  await write(topic, records.slice(0, 45));
  const first = store();
  await first.start();
  await until('half of them', () => table.stored.length === 45);
  await first.stop();
  await write(topic, records.slice(45));
  const second = store();
  await second.start();
  await until('all of them', () => table.stored.length >= records.length);
  await second.stop();
  expect(table.stored.map(({ record }) => record)).toEqual(records);
}, 60_000);

test('a scaled-out topology cannot fill duckdb; a topology that reads its results can', async () => {
  const topic = await cluster.topic(1);
  await write(topic, records);
  const runner = runnerOf(
    topologyOf(
      {
        input: {
          component: kafka,
          config: { brokers: cluster.brokers, topics: [topic], group: topic, format: 'results' },
        },
        store: { component: duckdb, config: { path: 'results.duckdb' }, from: ['input'] },
      },
      temporaryFolder(),
      { checkpointIntervalMs: 100 },
    ),
  );
  await runner.start();
  const status = () => runner.status().nodes.find(({ id }) => id === 'store')!;
  await until('all are stored', () => status().received === records.length);
  expect(status()).toMatchObject({ failed: 0 });
  await runner.stop();
}, 60_000);
