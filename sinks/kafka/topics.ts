import type { Admin, PartitionMetadata } from 'kafkajs';
import { loadKafka, requireTopics, type ClientContext } from '../../pipeline/kafka/index.js';

/** A message and its topic. */
export interface Addressed {
  readonly topic: string;
  readonly key: string;
  readonly value: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timestamp: number;
}

/** Messages of one partition, in order, that fit into one request. */
export interface Batch {
  readonly topic: string;
  readonly partition: number;
  readonly messages: readonly Addressed[];
}

/** Size of a batch without its messages. */
const OVERHEAD_BYTES = 4096;
/** Limit for a message if the brokers do not report it. */
export const DEFAULT_LARGEST = 1_048_588 - OVERHEAD_BYTES;

/** What the brokers reported about topics. */
export interface KnownTopics {
  /** Approximate limit of the brokers for a message, bytes. */
  readonly largest: number;
  /** Groups messages into batches of about `bytes` at most; a list for each partition, in order. */
  batches(messages: readonly Addressed[], bytes: number): readonly (readonly Batch[])[];
}

/**
 * Reads the partitions and limits of topics from the brokers. Rejects if they do not answer, or a topic does
 * not exist.
 */
export async function learnTopics(
  admin: Admin,
  names: readonly string[],
  log: ClientContext['log'],
): Promise<KnownTopics> {
  const { Partitioners } = await loadKafka();
  const partition = Partitioners.DefaultPartitioner();
  const topics = await requireTopics(admin, names);
  const partitions = new Map<string, PartitionMetadata[]>(
    topics.map((topic) => [topic.name, topic.partitions]),
  );
  const largest = await largestMessage(admin, names, log);
  return {
    largest,
    batches: (messages, bytes) =>
      inBatches(messages, Math.min(bytes, largest), ({ topic, key }) =>
        partition({ topic, partitionMetadata: partitions.get(topic)!, message: { key, value: null } }),
      ),
  };
}

async function largestMessage(
  admin: Admin,
  names: readonly string[],
  log: ClientContext['log'],
): Promise<number> {
  const { ConfigResourceTypes } = await loadKafka();
  try {
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: names.map((name) => ({
        type: ConfigResourceTypes.TOPIC,
        name,
        configNames: ['max.message.bytes'],
      })),
    });
    const limits = resources.flatMap(({ configEntries }) =>
      configEntries.map(({ configValue }) => Number(configValue)),
    );
    return Math.min(...limits) - OVERHEAD_BYTES;
  } catch (error) {
    // Not every user may query it.
    log.debug('the largest message of the topics is not known', { error: String(error) });
    return DEFAULT_LARGEST;
  }
}

function inBatches(
  messages: readonly Addressed[],
  bytes: number,
  partitionOf: (message: Addressed) => number,
): readonly (readonly Batch[])[] {
  const lanes = new Map<
    string,
    { topic: string; partition: number; messages: Addressed[]; bytes: number }[]
  >();
  for (const message of messages) {
    const { topic } = message;
    const partition = partitionOf(message);
    const lane = `${topic}/${partition}`;
    const size = sizeOf(message);
    const batches = lanes.get(lane) ?? [];
    if (batches.length === 0) lanes.set(lane, batches);
    let batch = batches.at(-1);
    if (!batch || batch.bytes + size > bytes)
      batches.push((batch = { topic, partition, messages: [], bytes: 0 }));
    batch.messages.push(message);
    batch.bytes += size;
  }
  return [...lanes.values()];
}

/** Approximate bytes of a message in a batch. */
export const sizeOf = ({ key, value, headers }: Pick<Addressed, 'key' | 'value' | 'headers'>): number =>
  Buffer.byteLength(value) + Buffer.byteLength(key) + 32 + (headers ? sizeOfHeaders(headers) : 0);

/** Each name and value has a length, of at most 3 bytes here. */
const sizeOfHeaders = (headers: Readonly<Record<string, string>>): number =>
  Object.entries(headers).reduce((sum, pair) => sum + Buffer.byteLength(pair.join('')) + 6, 0);
