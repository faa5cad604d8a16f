import type { Admin, ICustomPartitioner, Kafka } from 'kafkajs';
import type { Context, Partition, Partitions } from '../../component/index.js';
import { createClient, TRANSACTION_RETRY } from '../client.js';
import type { ConnectionSettings } from '../connection.js';
import { loadKafka } from '../library.js';
import { groupOffsets } from '../offsets.js';
import { explain } from '../problem.js';
import { CHECKPOINT_TOPIC, CheckpointReader } from './checkpoint-topic.js';
import { GroupReader } from './group-reader.js';
import { KafkaPartition, type Batches } from './kafka-partition.js';

export interface KafkaPartitionsOptions {
  readonly connection: ConnectionSettings;
  /** Its partitions are shared. */
  readonly topic: string;
  readonly group: string;
  /** Compacted; made where it is not there. Default: `<group>.checkpoints`. */
  readonly stateTopic?: string;
  /** Where a partition without a checkpoint is read from. */
  readonly start: 'earliest' | 'latest';
  /** A process that is silent for so long has died. */
  readonly sessionTimeoutMs: number;
  readonly batches: Batches;
}

/** How long the last owner's checkpoint may take to be read. */
const STATE_TIMEOUT_MS = 60_000;
/** A transaction that is older is aborted by the broker: longer than any checkpoint should take. */
const TRANSACTION_TIMEOUT_MS = 120_000;

/**
 * Partitions of a topic that the processes of a consumer group share. Checkpoints of partition n lie in partition
 * n of a compacted topic; they are written in one transaction with the group's offset and with what sinks sent.
 * The transactional id belongs to the partition: who takes it fences off who had it.
 */
export class KafkaPartitions implements Partitions {
  readonly #options: KafkaPartitionsOptions;
  readonly #stateTopic: string;
  readonly #context: Context;
  #client: Kafka | undefined;
  #admin: Admin | undefined;
  #reader: GroupReader | undefined;
  #partitionOf: KafkaPartitionOf | undefined;

  constructor(options: KafkaPartitionsOptions, context: Context) {
    this.#options = options;
    this.#stateTopic = options.stateTopic ?? `${options.group}.checkpoints`;
    this.#context = context;
  }

  async join(
    onShare: (partitions: readonly number[]) => void,
    onLost: (error: Error) => void,
  ): Promise<void> {
    const { connection, topic, group, sessionTimeoutMs } = this.#options;
    try {
      this.#client = await createClient(connection, this.#context, TRANSACTION_RETRY);
      this.#admin = this.#client.admin();
      await this.#admin.connect();
      await this.#prepareTopics(this.#admin);
      this.#partitionOf = new KafkaPartitionOf(this.#admin, await defaultPartitioner());
      const stateTopic = this.#stateTopic;
      this.#reader = new GroupReader(this.#client, { group, topic, stateTopic, sessionTimeoutMs });
      await this.#reader.join(onShare, (error) => {
        onLost(this.#explained(error));
      });
    } catch (error) {
      throw this.#explained(error);
    }
  }

  async take(number: number): Promise<Partition> {
    const { topic, group, start, batches } = this.#options;
    const [client, reader] = [this.#client!, this.#reader!];
    const producer = client.producer({
      transactionalId: `${group}.${topic}.${number}`,
      idempotent: true,
      maxInFlightRequests: 1,
      transactionTimeout: TRANSACTION_TIMEOUT_MS,
      retry: TRANSACTION_RETRY,
    });
    try {
      await producer.connect();
      // Fences off the last owner and ends its transaction; only then the checkpoint is the last one.
      const transaction = await producer.transaction();
      const found = await (await this.#readState(number)).checkpoint();
      return new KafkaPartition({
        ...{ number, topic, stateTopic: this.#stateTopic, group, reader, producer, transaction },
        ...{ ...found, start, batches, log: this.#context.log },
        range: () => this.#range(topic, number),
        committed: () => this.#committed(topic, number),
        partitionOf: (name, key) => this.#partitionOf!.of(name, key),
        onLag: (lag) => {
          this.#context.metrics.gauge('kafka_lag', lag, { partition: `${topic}/${number}` });
        },
        onExpired: (messages) => {
          this.#context.metrics.dropped('retention', messages);
          this.#context.log.error('the broker has deleted messages that were not read yet', {
            partition: number,
            messages,
          });
        },
      });
    } catch (error) {
      await producer.disconnect().catch((late: unknown) => {
        this.#context.log.debug('a producer did not disconnect', { partition: number, error: String(late) });
      });
      throw this.#explained(error);
    }
  }

  async leave(): Promise<void> {
    await this.#reader?.leave();
    await this.#admin?.disconnect();
  }

  /** @throws Error where the topic is not there, or the other one has another number of partitions. */
  async #prepareTopics(admin: Admin): Promise<void> {
    const count = await partitionCount(admin, this.#options.topic);
    const configEntries = Object.entries(CHECKPOINT_TOPIC).map(([name, value]) => ({ name, value }));
    const topic = this.#stateTopic;
    await admin.createTopics({
      topics: [{ topic, numPartitions: count, replicationFactor: -1, configEntries }],
      waitForLeaders: true,
    });
    const found = await partitionCount(admin, topic);
    if (found !== count)
      throw new Error(
        `the topic ${topic} keeps checkpoints for ${found} partitions, but ${this.#options.topic} has ${count}: ` +
          'the number of partitions cannot change under a group; use another `group` for the new number',
      );
  }

  async #readState(number: number): Promise<CheckpointReader> {
    const found = new CheckpointReader();
    const { low, high } = await this.#range(this.#stateTopic, number);
    if (low >= high) return found;
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        end(new Error(`the checkpoint could not be read within ${STATE_TIMEOUT_MS / 1000} s`));
      }, STATE_TIMEOUT_MS);
      const control = this.#reader!.read(this.#stateTopic, number, low, {
        take: (messages) => {
          found.take(messages);
        },
        seen: (next) => {
          if (next >= high) end();
        },
        lost: () => {
          end(new Error('the partition was given to another process'));
        },
      });
      const end = (error?: Error) => {
        clearTimeout(timer);
        control.stop();
        if (error) reject(error);
        else resolve();
      };
    });
    return found;
  }

  async #range(topic: string, number: number): Promise<{ low: bigint; high: bigint }> {
    const offsets = await this.#admin!.fetchTopicOffsets(topic);
    const found = offsets.find(({ partition }) => partition === number);
    if (!found) throw new Error(`${topic} has no partition ${number}`);
    return { low: BigInt(found.low), high: BigInt(found.high) };
  }

  async #committed(topic: string, number: number): Promise<bigint | null> {
    const offsets = await groupOffsets(this.#admin!, this.#options.group, [topic]);
    const offset = offsets.find(({ partition }) => partition === number)?.offset ?? null;
    return offset === null ? null : BigInt(offset);
  }

  #explained(error: unknown): Error {
    const { text } = explain(error, this.#options.connection.brokers);
    return new Error(text, { cause: error });
  }
}

/** Which partition a key belongs to, as the library's own partitioner has it. */
class KafkaPartitionOf {
  readonly #admin: Admin;
  readonly #partitioner: ReturnType<ICustomPartitioner>;
  readonly #metadata = new Map<
    string,
    Promise<Parameters<ReturnType<ICustomPartitioner>>[0]['partitionMetadata']>
  >();

  constructor(admin: Admin, partitioner: ICustomPartitioner) {
    this.#admin = admin;
    this.#partitioner = partitioner();
  }

  async of(topic: string, key: string): Promise<number> {
    let known = this.#metadata.get(topic);
    if (!known) {
      known = this.#admin.fetchTopicMetadata({ topics: [topic] }).then(({ topics }) => topics[0]!.partitions);
      known.catch(() => this.#metadata.delete(topic));
      this.#metadata.set(topic, known);
    }
    return this.#partitioner({ topic, partitionMetadata: await known, message: { key, value: null } });
  }
}

async function defaultPartitioner(): Promise<ICustomPartitioner> {
  const { Partitioners } = await loadKafka();
  return Partitioners.DefaultPartitioner;
}

async function partitionCount(admin: Admin, topic: string): Promise<number> {
  const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
  return topics[0]!.partitions.length;
}
