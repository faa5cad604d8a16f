import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { lz4, zipped } from '../../pipeline/kafka/codecs.js';
import { KafkaPartitionOf } from '../../pipeline/kafka/partitions/kafka-partitions.js';

const records = Buffer.from('some records '.repeat(10_000));

test.each([
  ['LZ4', lz4],
  ['GZIP', zipped],
])('%s restores what it compressed', async (_, codec) => {
  expect(await codec.decompress(await codec.compress({ buffer: records }))).toEqual(records);
});

test('rejects data that would decompress to more than 128 MiB', async () => {
  const much = Buffer.alloc(130 * 2 ** 20);
  await expect(zipped.decompress(gzipSync(much, { level: 1 }))).rejects.toThrow(/larger than/);
  await expect(lz4.decompress(await lz4.compress({ buffer: much }))).rejects.toThrow(/LZ4 frame/);
  await expect(lz4.decompress(Buffer.from('no frame'))).rejects.toThrow(/not an LZ4 frame/);
});

test('notices added partitions of a topic', async () => {
  let [now, partitions, asked] = [0, 1, 0];
  const admin = {
    fetchTopicMetadata: ({ topics = [] }: { topics?: string[] } = {}) => {
      asked++;
      const list = Array.from({ length: partitions }, (_, partitionId) => ({
        ...{ partitionErrorCode: 0, partitionId, leader: 1, replicas: [1], isr: [1] },
      }));
      return Promise.resolve({ topics: topics.map((name) => ({ name, partitions: list })) });
    },
  };
  const last = () => (given: { readonly partitionMetadata: readonly unknown[] }) =>
    given.partitionMetadata.length - 1;
  const partitionOf = new KafkaPartitionOf(admin, last, () => now);
  expect(await partitionOf.of('results', 'ward-3')).toBe(0);
  partitions = 3;
  expect(await partitionOf.of('results', 'ward-3')).toBe(0);
  now = 300_000;
  expect(await partitionOf.of('results', 'ward-3')).toBe(2);
  expect(asked).toBe(2);
});
