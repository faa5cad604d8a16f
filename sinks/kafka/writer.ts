import type { Admin, CompressionTypes, Kafka, Message, Producer, Transaction } from 'kafkajs';
import { createClient, explain, loadKafka, RETRY, TRANSACTION_RETRY } from '../../pipeline/kafka/index.js';
import type { ClientContext } from '../../pipeline/kafka/index.js';
import type { KafkaSinkSettings } from './settings.js';
import { DEFAULT_LARGEST, learnTopics, type Addressed, type Batch, type KnownTopics } from './topics.js';
import { asError } from '../../pipeline/base/error-text.js';

/** Topics are queried again after this time: they may have gained partitions. */
const KNOWN_MS = 300_000;

/** The cluster is unavailable; retrying may help. */
export class AwayError extends Error {
  readonly retriable: boolean;

  constructor(message: string, retriable: boolean, cause: unknown) {
    super(message, { cause });
    this.name = 'AwayError';
    this.retriable = retriable;
  }
}

/**
 * Writes batches through kafkajs so that acknowledged ones are in the log.
 *
 * - One `send` holds messages of one partition. kafkajs takes a `send` to several for done when the leader of
 *   one of them has moved to a broker that had answered for another (its issue 1303): messages were
 *   acknowledged, and lost.
 * - After a failure the producer is replaced. Its next batch of a partition would have the sequence numbers
 *   of the failed one; if that was written after all, the broker would drop the new one as a duplicate.
 */
export class KafkaWriter {
  readonly #settings: KafkaSinkSettings;
  readonly #context: ClientContext;
  readonly #transactionalId: string | undefined;
  readonly #topics: readonly string[];
  #known: KnownTopics | undefined;
  #knownAt = -Infinity;
  #client: Kafka | undefined;
  #admin: Admin | undefined;
  #producer: Producer | undefined;
  #compression: CompressionTypes | undefined;
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

  /** Connects, and ensures that the topics exist. @throws AwayError */
  async open(): Promise<void> {
    await this.#explained(async () => {
      const { CompressionTypes } = await loadKafka();
      const retry = this.#transactionalId === undefined ? RETRY : TRANSACTION_RETRY;
      this.#client = await createClient(this.#settings, this.#context, retry);
      this.#compression = CompressionTypes[COMPRESSIONS[this.#settings.compression]];
      this.#admin = this.#client.admin();
      await this.#admin.connect();
      await this.#learn();
      await this.#renew();
    });
  }

  get admin(): Admin {
    return this.#admin!;
  }

  /** Approximate limit of the brokers for a message, bytes. */
  get largest(): number {
    return this.#known?.largest ?? DEFAULT_LARGEST;
  }

  /**
   * Ensures a producer; a transactional one has then ended the open transaction of its predecessor. @throws
   * AwayError
   */
  async ready(): Promise<void> {
    // A producer created now would stay open.
    if (!this.#admin) throw new Error('the sink is closed');
    await this.#explained(async () => {
      if (!this.#producer) await this.#renew();
      if (this.#elapsed() - this.#knownAt > KNOWN_MS) await this.#learn();
    });
  }

  /**
   * Sends messages, batch by batch; those of one partition in order. Returns rejected ones, with the reason.
   * @throws AwayError if none was accepted and a retry can help
   */
  async send(messages: readonly Addressed[]): Promise<ReadonlyMap<Addressed, NotTaken>> {
    const refused = new Map<Addressed, NotTaken>();
    let worst: Error | undefined;
    await this.ready();
    await this.#explained(async () => {
      const producer = this.#producer!;
      const lanes = this.#known!.batches(messages, this.#settings.batch_bytes);
      await Promise.all(
        lanes.map(async (batches) => {
          for (const [index, batch] of batches.entries()) {
            try {
              await this.#sendBatch(producer, batch, refused);
            } catch (error) {
              worst = asError(error);
              // Later messages of the same partition must not overtake it.
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

  /**
   * Everything, and what `also` adds, becomes visible together, or not at all. @throws AwayError if the
   * outcome is unknown
   */
  async transact(
    messages: readonly Addressed[],
    also: (transaction: Transaction) => Promise<void>,
  ): Promise<void> {
    await this.ready();
    await this.#explained(async () => {
      try {
        const transaction = await this.#producer!.transaction();
        for (const batches of this.#known!.batches(messages, this.#settings.batch_bytes))
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

  /** A new producer; a transactional one aborts the open transaction of its predecessor. */
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
    this.#known = await learnTopics(this.#admin!, this.#topics, this.#context.log);
    this.#knownAt = this.#elapsed();
  }

  /** Halves a batch that is too large for the broker; a message that is too large by itself is rejected. */
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
      messages: messages.map(({ key, value, headers, timestamp }): Message => ({
        key,
        value,
        ...(headers && { headers: { ...headers } }),
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

export interface NotTaken {
  readonly reason: string;
  readonly code: string;
  readonly retriable: boolean;
}

const COMPRESSIONS = { none: 'None', gzip: 'GZIP', snappy: 'Snappy', lz4: 'LZ4', zstd: 'ZSTD' } as const;
