import { afterAll, beforeAll } from 'vitest';
import { sink, source, useCluster } from '../kit/drivers/kafka.js';
import { sinkConformance } from '../kit/sink.js';
import { sourceConformance } from '../kit/source.js';
import { KafkaCluster } from '../support/servers/kafka.js';

let cluster: KafkaCluster;
beforeAll(async () => {
  cluster = await KafkaCluster.start();
  useCluster(cluster);
}, 90_000);
afterAll(async () => {
  await cluster.stop();
});

sourceConformance('kafka', source);
sinkConformance('kafka', sink);
