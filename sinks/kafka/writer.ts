import type {
  Admin,
  CompressionTypes,
  Kafka,
  Message,
  PartitionMetadata,
  Producer,
  Transaction,
} from 'kafkajs';
import { createClient, explain, loadKafka, RETRY, TRANSACTION_RETRY } from '../../pipeline/kafka/index.js';
import type { ClientContext } from '../../pipeline/kafka/index.js';
import type { KafkaSinkSettings } from './settings.js';

/** A message and the topic that it is for. */
export interface Addressed {
  readonly topic: string;
  readonly key: string;
  readonly value: string;
  readonly timestamp: number;
}

/** Messages of one partition, in order, that one request can hold. */
interface Batch {
  readonly topic: string;
  readonly partition: number;
  readonly messages: readonly Addressed[];
}

/** Partitions of a topic are asked for again after this time: there may be more. */
const METADATA_MS = 300_000;

/** Of a batch, besides its messages. */
const OVERHEAD_BYTES = 4096;
const DEFAULT_LARGEST = 1_048_588 - OVERHEAD_BYTES;

/** The other side cannot be had now; trying again may help. */
export class AwayError extends Error {
  readonly retriable: boolean;

  constructor(message: string, retriable: boolean, cause: unknown) {
    super(message, { cause });
    this.name = 'AwayError';
    this.retriable = retriable;
  }
}

/**
 * Writes batches through kafkajs so that what it acknowledges is in the log.
 *
 * - One `send` holds messages of one partition. kafkajs takes a `send` to several for done when the leader of one of
 *   them has moved to a broker that had answered for another (its issue 1303): messages were acknowledged, and lost.
 * - After a failure the producer is given up. Its next batch of a partition would get the numbers of the failed
 *   one; had that been written all the same, the broker would take the new one for a repetition, and drop it.
 */
export class KafkaWriter {
  readonly #settings: KafkaSinkSettings;
  readonly #context: ClientContext;
  readonly #transactionalId: string | undefined;
  readonly #topics: readonly string[];
  #partitioner: ((topic: string, key: string) => number) | undefined;
  #metadata = new Map<string, PartitionMetadata[]>();
  #metadataAt = -Infinity;
  #client: Kafka | undefined;
  #admin: Admin | undefined;
  #producer: Producer | undefined;
  #compression: CompressionTypes | undefined;
  #largest = DEFAULT_LARGEST;
  /** Milliseconds. */
  readonly #elapsed: () => number;

  constructor(
    settings: KafkaSinkSettings,
    context: ClientContext,
    topics: readonly string[],
    elapsed: () => number,
    transactionalId?: string,
  ) {
    this.#settings = settings;
    this.#context = context;
    this.#topics = topics;
    this.#elapsed = elapsed;
    this.#transactionalId = transactionalId;
  }

  /** Connects, and makes sure that the topics are there. @throws AwayError */
  async open(): Promise<void> {
    await this.#explained(async () => {
      const { CompressionTypes, Partitioners } = await loadKafka();
      const retry = this.#transactionalId === undefined ? RETRY : TRANSACTION_RETRY;
      this.#client = await createClient(this.#settings, this.#context, retry);
      this.#compression = CompressionTypes[COMPRESSIONS[this.#settings.compression]];
      const partition = Partitioners.DefaultPartitioner();
      this.#partitioner = (topic, key) =>
        partition({
          topic,
          partitionMetadata: this.#metadata.get(topic)!,
          message: { key, value: null },
        });
      this.#admin = this.#client.admin();
      await this.#admin.connect();
      await this.#learn();
      await this.#renew();
    });
  }

  get admin(): Admin {
    return this.#admin!;
  }

  /** Bytes of a message that the brokers take, about. */
  get largest(): number {
    return this.#largest;
  }

  /** Makes sure of a producer; one of transactions has ended then what an earlier one of its name had left open. @throws AwayError */
  async ready(): Promise<void> {
    await this.#explained(async () => {
      if (!this.#producer) await this.#renew();
      if (this.#elapsed() - this.#metadataAt > METADATA_MS) await this.#learn();
    });
  }

  /**
   * Sends messages, batch by batch; those of one partition in order. Gives those that were not taken, with the reason.
   * @throws AwayError where none was taken and trying again can help
   */
  async send(messages: readonly Addressed[]): Promise<ReadonlyMap<Addressed, NotTaken>> {
    const refused = new Map<Addressed, NotTaken>();
    let worst: Error | undefined;
    await this.ready();
    await this.#explained(async () => {
      const producer = this.#producer!;
      const lanes = this.#lanes(messages);
      await Promise.all(
        lanes.map(async (batches) => {
          for (const [index, batch] of batches.entries()) {
            try {
              await this.#sendBatch(producer, batch, refused);
            } catch (error) {
              worst = error instanceof Error ? error : new Error(String(error));
              // What comes behind it in its partition must not overtake it.
              const { text, final } = explain(error, this.#settings.brokers);
              for (const { messages: left } of batches.slice(index))
                for (const message of left)
                  if (!refused.has(message))
                    refused.set(message, { reason: text, code: 'kafka.away', retriable: !final });
              return;
            }
          }
        }),
      );
      if (worst !== undefined) {
        await this.#drop();
        if (refused.size === messages.length && [...refused.values()].every(({ retriable }) => retriable))
          throw worst;
      }
    });
    return refused;
  }

  /** All of it, and what `also` adds, becomes visible together, or not at all. @throws AwayError: whether it did is not known */
  async transact(
    messages: readonly Addressed[],
    also: (transaction: Transaction) => Promise<void>,
  ): Promise<void> {
    await this.ready();
    await this.#explained(async () => {
      try {
        const transaction = await this.#producer!.transaction();
        for (const batches of this.#lanes(messages))
          for (const batch of batches) await this.#sendOne(transaction, batch);
        await also(transaction);
        await transaction.commit();
      } catch (error) {
        await this.#drop();
        throw error;
      }
    });
  }

  async close(): Promise<void> {
    await this.#drop();
    const admin = this.#admin;
    this.#admin = undefined;
    await admin?.disconnect();
  }

  /** A new producer; one of transactions aborts what an earlier one of its name has left open. */
  async #renew(): Promise<void> {
    const producer = this.#client!.producer({
      idempotent: true,
      maxInFlightRequests: 1,
      allowAutoTopicCreation: false,
      retry: this.#transactionalId === undefined ? RETRY : TRANSACTION_RETRY,
      ...(this.#transactionalId !== undefined && {
        transactionalId: this.#transactionalId,
        transactionTimeout: this.#settings.transaction_timeout_ms,
      }),
    });
    try {
      await producer.connect();
      if (this.#transactionalId !== undefined) await (await producer.transaction()).abort();
    } catch (error) {
      await this.#disconnect(producer);
      throw error;
    }
    this.#producer = producer;
  }

  async #drop(): Promise<void> {
    const producer = this.#producer;
    this.#producer = undefined;
    if (producer) await this.#disconnect(producer);
  }

  async #disconnect(producer: Producer): Promise<void> {
    await producer.disconnect().catch((error: unknown) => {
      this.#context.log.debug('a producer did not disconnect', { error: String(error) });
    });
  }

  async #learn(): Promise<void> {
    const { topics } = await this.#admin!.fetchTopicMetadata({ topics: [...this.#topics] });
    this.#metadata = new Map(topics.map(({ name, partitions }) => [name, partitions]));
    this.#largest = await this.#largestMessage();
    this.#metadataAt = this.#elapsed();
  }

  async #largestMessage(): Promise<number> {
    const { ConfigResourceTypes } = await loadKafka();
    try {
      const { resources } = await this.#admin!.describeConfigs({
        includeSynonyms: false,
        resources: this.#topics.map((name) => ({
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
      // Not every user may ask for it.
      this.#context.log.debug('the largest message of the topics is not known', { error: String(error) });
      return DEFAULT_LARGEST;
    }
  }

  /** Batches of each partition. */
  #lanes(messages: readonly Addressed[]): readonly (readonly Batch[])[] {
    const lanes = new Map<
      string,
      { topic: string; partition: number; messages: Addressed[]; bytes: number }[]
    >();
    for (const message of messages) {
      const { topic } = message;
      const partition = this.#partitioner!(topic, message.key);
      const lane = `${topic}/${partition}`;
      const size = sizeOf(message);
      const batches = lanes.get(lane) ?? [];
      if (batches.length === 0) lanes.set(lane, batches);
      let batch = batches.at(-1);
      if (!batch || batch.bytes + size > Math.min(this.#settings.batch_bytes, this.#largest))
        batches.push((batch = { topic, partition, messages: [], bytes: 0 }));
      batch.messages.push(message);
      batch.bytes += size;
    }
    return [...lanes.values()];
  }

  /** Halves a batch that the broker finds too large; a message that is so by itself is refused. */
  async #sendBatch(producer: Producer, batch: Batch, refused: Map<Addressed, NotTaken>): Promise<void> {
    try {
      await this.#sendOne(producer, batch);
    } catch (error) {
      const { type, text } = explain(error, this.#settings.brokers);
      if (type !== 'MESSAGE_TOO_LARGE' && type !== 'RECORD_LIST_TOO_LARGE') throw error;
      const { messages } = batch;
      if (messages.length === 1) {
        refused.set(messages[0]!, { reason: text, code: 'kafka.record.too_large', retriable: false });
        return;
      }
      const half = messages.length >> 1;
      await this.#sendBatch(producer, { ...batch, messages: messages.slice(0, half) }, refused);
      await this.#sendBatch(producer, { ...batch, messages: messages.slice(half) }, refused);
    }
  }

  async #sendOne(to: Pick<Producer, 'send'>, { topic, partition, messages }: Batch): Promise<void> {
    await to.send({
      topic,
      acks: -1,
      timeout: 15_000,
      ...(this.#compression !== undefined && { compression: this.#compression }),
      messages: messages.map(({ key, value, timestamp }): Message => ({
        key,
        value,
        timestamp: String(timestamp),
        partition,
      })),
    });
  }

  async #explained(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const { text, final } = explain(error, this.#settings.brokers);
      throw new AwayError(text, !final, error);
    }
  }
}

/** Bytes of a message in a batch, about. */
export const sizeOf = ({ key, value }: { readonly key: string; readonly value: string }): number =>
  Buffer.byteLength(value) + Buffer.byteLength(key) + 32;

export interface NotTaken {
  readonly reason: string;
  readonly code: string;
  readonly retriable: boolean;
}

const COMPRESSIONS = { none: 'None', gzip: 'GZIP', snappy: 'Snappy', lz4: 'LZ4', zstd: 'ZSTD' } as const;
