import type { Admin, ICustomPartitioner, Kafka } from 'kafkajs';
import {
  ADDRESS,
  type Context,
  type Holder,
  type Member,
  type Partition,
  type Partitions,
} from '../../component/index.js';
import { createClient, TRANSACTION_RETRY } from '../client.js';
import type { ConnectionSettings } from '../connection.js';
import { led } from '../led.js';
import { markOf, requireOwnGroup, type Mark } from '../mark.js';
import { groupOffsets, type GroupOffset } from '../offsets.js';
import { explain } from '../problem.js';
import { requireTopics } from '../topics.js';
import { CHECKPOINT_TOPIC, CheckpointReader } from './checkpoint-topic.js';
import { GroupReader } from './group-reader.js';
import { KafkaPartition, type Batches } from './kafka-partition.js';
import { hasRoom, RoomsRead } from './rooms-read.js';
import { defaultPartitioner, cleanupPolicy, partitionCount } from './topic-facts.js';

export interface KafkaPartitionsOptions {
  readonly connection: ConnectionSettings;
  /** The topic whose partitions are shared. */
  readonly topic: string;
  readonly group: string;
  /** This process. */
  readonly member: Member;
  /** A compacted topic; created if it does not exist. Default: `<group>.checkpoints`. */
  readonly stateTopic?: string;
  /** Where to start reading a partition without a checkpoint. */
  readonly start: 'earliest' | 'latest';
  /** A process that is silent for this long counts as dead. */
  readonly sessionTimeoutMs: number;
  /** Messages of a partition. */
  readonly maxLag: number;
  readonly batches: Batches;
}

/** Time limit for reading the last owner's checkpoint. */
const STATE_TIMEOUT_MS = 60_000;
/** The group's committed offsets are queried again after this time. */
const OFFSETS_MS = 1000;
/** The broker aborts older transactions: longer than any checkpoint should take. */
const TRANSACTION_TIMEOUT_MS = 120_000;

/**
 * Partitions of a topic that the processes of a consumer group share. Checkpoints of partition n lie in
 * partition n of a compacted topic; they are written in one transaction with the group's offset and with what
 * sinks sent. The transactional id belongs to the partition: a new owner fences off the previous one.
 */
export class KafkaPartitions implements Partitions {
  readonly #options: KafkaPartitionsOptions;
  readonly #stateTopic: string;
  readonly #context: Context;
  #client: Kafka | undefined;
  #admin: Admin | undefined;
  #reader: GroupReader | undefined;
  #partitionOf: KafkaPartitionOf | undefined;
  #known: { readonly at: number; readonly offsets: Promise<readonly GroupOffset[]> } | undefined;

  constructor(options: KafkaPartitionsOptions, context: Context) {
    this.#options = options;
    this.#stateTopic = options.stateTopic ?? `${options.group}.checkpoints`;
    this.#context = context;
  }

  async join(
    onShare: (partitions: readonly number[]) => void,
    onLost: (error: Error) => void,
  ): Promise<void> {
    const { connection, topic, group, member, sessionTimeoutMs } = this.#options;
    try {
      this.#client = await createClient(connection, this.#context, TRANSACTION_RETRY);
      this.#admin = this.#client.admin();
      await this.#admin.connect();
      await this.#prepareTopics(this.#admin);
      await requireOwnGroup(this.#admin, group, [topic], this.#context.topology);
      this.#partitionOf = new KafkaPartitionOf(this.#admin, await defaultPartitioner(), () =>
        this.#context.clock.elapsed(),
      );
      const stateTopic = this.#stateTopic;
      this.#reader = new GroupReader(this.#client, {
        ...{ id: this.#context.topology, member: member.id, group, topic, stateTopic, sessionTimeoutMs },
      });
      await this.#reader.join(onShare, (error) => {
        onLost(this.#explained(error));
      });
    } catch (error) {
      await this.leave();
      throw this.#explained(error);
    }
  }

  async take(number: number, signal?: AbortSignal): Promise<Partition> {
    const { topic, group, start, batches, maxLag } = this.#options;
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
      // Fences off the last owner and ends its transaction; only after that is the checkpoint final.
      const transaction = await producer.transaction();
      const found = await (await this.#readState(number, signal)).checkpoint();
      return new KafkaPartition({
        ...{ number, topic, stateTopic: this.#stateTopic, group, reader, producer, transaction },
        mark: (rooms) => this.#mark(rooms),
        rooms: new RoomsRead(this.#context.environments.map(({ id }) => id)),
        ...{ ...found, start, batches, maxLag, log: this.#context.log },
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

  async holders(environment: string): Promise<readonly Holder[]> {
    return (await this.#offsets()).flatMap(({ partition, metadata }) => {
      const holder = markOf(metadata)?.holder;
      if (!holder || !hasRoom(holder.rooms, environment)) return [];
      const { id, address } = holder;
      // Any member of the group could have written it.
      return [{ partition, id, address: address !== undefined && ADDRESS.test(address) ? address : null }];
    });
  }

  async leave(): Promise<void> {
    const [reader, admin] = [this.#reader, this.#admin];
    this.#reader = this.#admin = undefined;
    await reader?.leave();
    await admin?.disconnect();
  }

  /** @throws Error if the topic does not exist, or if the other one has a different number of partitions. */
  async #prepareTopics(admin: Admin): Promise<void> {
    const count = await partitionCount(admin, this.#options.topic);
    const configEntries = Object.entries(CHECKPOINT_TOPIC).map(([name, value]) => ({ name, value }));
    const topic = this.#stateTopic;
    await admin.createTopics({
      topics: [{ topic, numPartitions: count, replicationFactor: -1, configEntries }],
      waitForLeaders: false,
    });
    await led(admin, topic);
    const found = await partitionCount(admin, topic);
    if (found !== count)
      throw new Error(
        `the topic ${topic} stores checkpoints for ${found} partitions, but ${this.#options.topic} has ${count}: ` +
          'the number of partitions cannot change under a group; use a new `group` for the new number',
      );
    const policy = await cleanupPolicy(admin, topic);
    if (policy !== undefined && policy !== 'compact')
      throw new Error(
        `the topic ${topic} stores checkpoints, and its cleanup.policy is ${policy}: the broker could delete checkpoints that are still needed; set cleanup.policy=compact`,
      );
  }

  async #readState(number: number, signal?: AbortSignal): Promise<CheckpointReader> {
    const found = new CheckpointReader();
    const { low, high } = await this.#range(this.#stateTopic, number);
    if (low >= high || signal?.aborted) return found;
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
          end(new Error('the partition was assigned to another process'));
        },
      });
      const given = () => {
        end(new Error('the partition was released'));
      };
      signal?.addEventListener('abort', given);
      const end = (error?: Error) => {
        signal?.removeEventListener('abort', given);
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

  /** The group's committed offsets, cached briefly: clients may ask often. */
  async #offsets(): Promise<readonly GroupOffset[]> {
    const now = this.#context.clock.elapsed();
    if (this.#known && now - this.#known.at < OFFSETS_MS) return this.#known.offsets;
    if (!this.#admin) throw new Error('this process has not joined the group');
    const offsets = groupOffsets(this.#admin, this.#options.group, [this.#options.topic]);
    const known = { at: now, offsets };
    this.#known = known;
    offsets.catch(() => {
      if (this.#known === known) this.#known = undefined;
    });
    return offsets;
  }

  #mark(rooms: string): string {
    const { id, address } = this.#options.member;
    const holder = { id, ...(address !== null && { address }), rooms };
    return JSON.stringify({ topology: this.#context.topology, holder } satisfies Mark);
  }

  #explained(error: unknown): Error {
    const { text, final } = explain(error, this.#options.connection.brokers);
    const lasting = final || (error instanceof Error && 'final' in error);
    return Object.assign(new Error(text, { cause: error }), lasting && { final: true });
  }
}

type Metadata = Parameters<ReturnType<ICustomPartitioner>>[0]['partitionMetadata'];

/** Partitions of a topic are queried again after this time: some may have been added. */
const METADATA_MS = 300_000;

/** The partition of a key, as the library's own partitioner computes it. */
export class KafkaPartitionOf {
  readonly #admin: Pick<Admin, 'fetchTopicMetadata'>;
  readonly #partitioner: ReturnType<ICustomPartitioner>;
  /** Milliseconds. */
  readonly #elapsed: () => number;
  readonly #metadata = new Map<string, { readonly at: number; readonly partitions: Promise<Metadata> }>();

  constructor(
    admin: Pick<Admin, 'fetchTopicMetadata'>,
    partitioner: ICustomPartitioner,
    elapsed: () => number,
  ) {
    this.#admin = admin;
    this.#partitioner = partitioner();
    this.#elapsed = elapsed;
  }

  async of(topic: string, key: string): Promise<number> {
    const partitionMetadata = await this.#partitionsOf(topic);
    return this.#partitioner({ topic, partitionMetadata, message: { key, value: null } });
  }

  #partitionsOf(topic: string): Promise<Metadata> {
    const known = this.#metadata.get(topic);
    if (known && this.#elapsed() - known.at < METADATA_MS) return known.partitions;
    const partitions = requireTopics(this.#admin, [topic]).then(([found]) => found!.partitions);
    partitions.catch(() => this.#metadata.delete(topic));
    this.#metadata.set(topic, { at: this.#elapsed(), partitions });
    return partitions;
  }
}
