import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadKafka } from '../../pipeline/kafka/index.js';
import { kafka } from '../../pipeline/sources/kafka/kafka.js';
import { withDefaults } from '../kit/definition.js';
import { testContext } from '../support/context.js';
import { KafkaCluster } from '../support/servers/kafka.js';

let cluster: KafkaCluster;
beforeAll(async () => {
  cluster = await KafkaCluster.start();
}, 90_000);
afterAll(async () => {
  await cluster.stop();
});

test('rejects a topic of checkpoints that would delete old ones, with the setting to use', async () => {
  const topic = await cluster.topic(1);
  const config = withDefaults(kafka, { brokers: cluster.brokers, topics: [topic], group: 'rooms' });
  const join = async () => {
    const partitions = kafka.partitions!(config as never, testContext().context, {
      id: 'one',
      address: null,
    });
    try {
      await partitions.join(
        () => undefined,
        () => undefined,
      );
    } finally {
      await partitions.leave();
    }
  };
  await join();
  const { ConfigResourceTypes } = await loadKafka();
  const admin = await cluster.admin();
  const names = await admin.listTopics();
  const name = names.find((one) => one !== topic && !one.startsWith('__'))!;
  await admin.alterConfigs({
    validateOnly: false,
    resources: [
      { type: ConfigResourceTypes.TOPIC, name, configEntries: [{ name: 'cleanup.policy', value: 'delete' }] },
    ],
  });
  await expect(join()).rejects.toThrow(/cleanup\.policy is delete.*compact/);
}, 60_000);
