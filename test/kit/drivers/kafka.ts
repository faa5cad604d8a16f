import { kafka as kafkaSource } from '../../../pipeline/sources/kafka/kafka.js';
import { kafka as kafkaSink } from '../../../sinks/kafka/kafka.js';
import { HOP, START as FIRST, resultIdentity, resultRecord } from '../../support/records.js';
import type { KafkaCluster } from '../../support/servers/kafka.js';
import { datagrams, START } from '../csi-input.js';
import type { SinkDriver } from '../sink.js';
import type { SourceDriver } from '../source.js';

let cluster: KafkaCluster;

/** test/services/kafka-kit.test.ts runs the kits with real brokers. */
export const useCluster = (started: KafkaCluster): void => {
  cluster = started;
};

let groups = 0;

export const source: SourceDriver = {
  component: kafkaSource,
  config: { topics: ['csi'] },
  invalid: [
    {},
    { topics: [] },
    { topics: ['a b'] },
    { topics: ['csi'], brokers: ['no port'] },
    { topics: ['csi'], brokers: ['a:99999'] },
    { topics: ['csi'], format: 'json' },
    { topics: ['csi'], tls: { certificate: 'a.pem' } },
    { topics: ['csi'], sasl: { username: 'a' } },
    { topics: ['csi'], session_timeout_ms: 1000, fetch_wait_ms: 1000 },
  ],
  server: true,
  input: async () => {
    const topic = await cluster.topic();
    const producer = cluster.client.producer();
    await producer.connect();
    await producer.send({
      topic,
      messages: datagrams(400).map((bytes, index) => ({
        key: 'test-room',
        value: Buffer.from(bytes),
        timestamp: String(START / 1000 + index * 5),
      })),
    });
    await producer.disconnect();
    return {
      config: {
        brokers: cluster.brokers,
        topics: [topic],
        group: `kit-${++groups}`,
        batch_records: 40,
        fetch_wait_ms: 20,
      },
      quietMs: 400,
    };
  },
};

export const sink: SinkDriver = {
  component: kafkaSink,
  config: {},
  invalid: [
    { topic: 'a b' },
    { topic: '{port}{port}' },
    { delivery: 'twice' },
    { compression: 'rar' },
    { brokers: [] },
    { batch_bytes: 1 },
  ],
  server: true,
  backend: async () => {
    const topic = await cluster.topic(2);
    return {
      config: { brokers: cluster.brokers, topic, compression: 'gzip' },
      read: () => cluster.values(topic).then((values) => values.map(identityOf)),
    };
  },
  record: resultRecord,
  identity: resultIdentity,
};

function identityOf(value: string): string {
  const { type, timestamp } = JSON.parse(value) as { type: string; timestamp: string };
  return `${type} ${(Date.parse(timestamp) * 1000 - FIRST) / HOP}`;
}
