import type { KafkaMessage, Message, Producer, Transaction as KafkaTransaction } from 'kafkajs';
import type {
  Logger,
  Partition,
  PartitionCheckpoint,
  Position,
  SourceBatch,
  SourceOutput,
  Transaction,
  TransactionMessage,
} from '../../component/index.js';
import { LagLimit } from '../lag.js';
import type { CheckpointWriter } from './checkpoint-topic.js';
import type { FeedControl, GroupReader } from './group-reader.js';
import type { RoomsRead } from './rooms-read.js';
import { asError, errorText } from '../../base/error-text.js';
import { aborted } from '../../base/waiting.js';

/** Where reading of a partition resumes. */
export interface PartitionPosition {
  /** Offset of the next message. */
  readonly offset: string;
  /** Event time of the newest record so far, microseconds: arrival times never decrease. */
  readonly newest: number;
}

/** Messages of a partition, in order, as steps of the source's input. @param newest event time of the newest record before them */
export type Batches = (
  messages: readonly KafkaMessage[],
  newest: number,
  partition: number,
) => Iterable<SourceBatch & { readonly position: PartitionPosition }>;

export interface KafkaPartitionOptions {
  readonly number: number;
  readonly topic: string;
  readonly stateTopic: string;
  readonly group: string;
  /** Stored with the group's committed offset: lists the rooms that were read. */
  readonly mark: (rooms: string) => string;
  readonly rooms: RoomsRead;
  readonly reader: GroupReader;
  readonly producer: Producer;
  /** Already open: the previous owner of the partition is fenced off. */
  readonly transaction: KafkaTransaction;
  readonly saved: PartitionCheckpoint | undefined;
  readonly writer: CheckpointWriter;
  readonly log: Logger;
  /** Available offsets: the first, and one past the last. */
  readonly range: () => Promise<{ readonly low: bigint; readonly high: bigint }>;
  /** The group's committed offset, by whichever member. */
  readonly committed: () => Promise<bigint | null>;
  readonly start: 'earliest' | 'latest';
  readonly batches: Batches;
  /** The partition of a topic that a key belongs to. */
  readonly partitionOf: (topic: string, key: string) => Promise<number>;
  readonly maxLag: number;
  readonly onLag: (lag: number) => void;
  readonly onExpired: (messages: number) => void;
}

/** A partition of the topic that this process reads, with a producer of its own: a transaction for each epoch. */
export class KafkaPartition implements Partition {
  readonly number: number;
  readonly saved: PartitionCheckpoint | undefined;
  readonly transaction: Transaction = {
    send: (epoch, topic, messages) => this.#track(this.#send(epoch, topic, messages)),
  };
  readonly #options: KafkaPartitionOptions;
  #transaction: KafkaTransaction;
  #epoch: number;
  #waiting: (() => void)[] = [];
  #broken: Error | undefined;
  /** Where it was opened: its position until something has been read. */
  #begun: bigint | undefined;
  readonly #underWay = new Set<Promise<unknown>>();
  #closed = false;

  constructor(options: KafkaPartitionOptions) {
    this.#options = options;
    this.number = options.number;
    this.saved = options.saved;
    this.#transaction = options.transaction;
    this.#epoch = (options.saved?.epoch ?? -Infinity) + 1;
  }

  async read(position: Position, output: SourceOutput): Promise<void> {
    const { topic, number, reader, rooms, onExpired, onLag, maxLag } = this.#options;
    const limit = new LagLimit(maxLag, (problem) => output.problem?.(problem));
    const start = position as PartitionPosition | null;
    this.#begun = await this.#beginning(start);
    const backlog = new Backlog(output, this.#options, start?.newest ?? -Infinity);
    const control = reader.read(topic, number, this.#begun, {
      take: (messages) => {
        rooms.see(messages);
        backlog.add(messages, control);
      },
      expired: onExpired,
      seen: (next, end) => {
        const lag = Number(end - next);
        onLag(lag);
        limit.see(lag, `${topic}/${number}`);
      },
    });
    output.ready?.();
    await aborted(output.signal);
    control.stop();
    onLag(NaN);
  }

  /**
   * After the checkpoint; otherwise at the group's offset; otherwise as configured. Offsets that the broker
   * no longer has are skipped.
   */
  async #beginning(position: PartitionPosition | null): Promise<bigint> {
    const { number, range, committed, start, onExpired, log } = this.#options;
    const { low, high } = await range();
    const first = start === 'latest' ? high : low;
    const wanted = position ? BigInt(position.offset) : ((await committed()) ?? first);
    log.info('reading a partition', { partition: number, offset: String(wanted), end: String(high) });
    if (wanted < low) {
      onExpired(Number(low - wanted));
      return low;
    }
    if (wanted <= high) return wanted;
    log.error('the topic ends before the last offset read: it was recreated, and is read as `start` says', {
      partition: number,
      offset: String(wanted),
      end: String(high),
    });
    return first;
  }

  commit(checkpoint: PartitionCheckpoint, position: Position): Promise<void> {
    return this.#track(this.#commit(checkpoint, position));
  }

  async #commit(checkpoint: PartitionCheckpoint, position: Position): Promise<void> {
    const { topic, stateTopic, number, group, mark, rooms, writer, producer } = this.#options;
    const transaction = this.#transaction;
    if (this.#broken) throw this.#broken;
    const { lots, written } = await writer.lots(checkpoint);
    for (const messages of lots)
      await sendAll(
        transaction,
        stateTopic,
        number,
        messages.map((message) => ({ ...message, partition: number })),
      );
    const offset = (position as PartitionPosition | null)?.offset ?? this.#begun?.toString();
    if (offset !== undefined) {
      const partitions = [{ partition: number, offset, metadata: mark(rooms.text) }];
      await transaction.sendOffsets({ consumerGroupId: group, topics: [{ topic, partitions }] });
    }
    await transaction.commit();
    written();
    if (this.#closed) return;
    this.#transaction = await producer.transaction();
    this.#epoch = checkpoint.epoch + 1;
    for (const go of this.#waiting.splice(0)) go();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const go of this.#waiting.splice(0)) go();
    const { producer, log, number } = this.#options;
    // A retried request would connect the producer again.
    await Promise.allSettled(this.#underWay);
    try {
      if (this.#transaction.isActive()) await this.#transaction.abort();
    } catch (error) {
      // The partition's next owner aborts it.
      log.debug('a transaction could not be aborted', { partition: number, error: errorText(error) });
    }
    try {
      await producer.disconnect();
    } catch (error) {
      log.debug('a producer did not disconnect', { partition: number, error: errorText(error) });
    }
  }

  #track<T>(work: Promise<T>): Promise<T> {
    this.#underWay.add(work);
    const done = () => this.#underWay.delete(work);
    work.then(done, done);
    return work;
  }

  async #send(epoch: number, topic: string, messages: readonly TransactionMessage[]): Promise<void> {
    while (epoch > this.#epoch && !this.#closed)
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    if (this.#closed) throw new Error('the partition was released');
    if (this.#broken) throw this.#broken;
    try {
      // One request per partition: with several, the library loses messages when a leader changes.
      for (const [partition, all] of await this.#byPartition(topic, messages))
        for (const lot of inLots(all, partition)) await sendAll(this.#transaction, topic, partition, lot);
    } catch (error) {
      // Which messages were sent is unknown: only ending the whole transaction settles it.
      this.#broken = asError(error);
      throw error;
    }
  }

  async #byPartition(
    topic: string,
    messages: readonly TransactionMessage[],
  ): Promise<ReadonlyMap<number, readonly TransactionMessage[]>> {
    const lots = new Map<number, TransactionMessage[]>();
    for (const message of messages) {
      const partition = await this.#options.partitionOf(topic, message.key);
      const lot = lots.get(partition);
      if (lot) lot.push(message);
      else lots.set(partition, [message]);
    }
    return lots;
  }
}

/** @throws Error if the library reports success but the broker has not confirmed it */
async function sendAll(
  transaction: KafkaTransaction,
  topic: string,
  partition: number,
  messages: Message[],
): Promise<void> {
  const confirmed = await transaction.send({ topic, messages });
  if (confirmed.some((one) => one.topicName === topic && one.partition === partition)) return;
  throw new Error(`${messages.length} messages to partition ${partition} of ${topic} were not confirmed`);
}

/** A request with one batch must stay below the brokers' default limit. */
const LOT_BYTES = 900_000;

function inLots(messages: readonly TransactionMessage[], partition: number): readonly Message[][] {
  const lots: Message[][] = [];
  let bytes = Infinity;
  for (const { key, value, headers, timestamp } of messages) {
    const size = 100 + Buffer.byteLength(key) + Buffer.byteLength(value);
    if (bytes + size > LOT_BYTES) {
      lots.push([]);
      bytes = 0;
    }
    bytes += size;
    lots.at(-1)!.push({
      key,
      value:
        typeof value === 'string' ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength),
      partition,
      ...(headers && { headers: { ...headers } }),
      ...(timestamp !== undefined && { timestamp: String(timestamp) }),
    });
  }
  return lots;
}

/** Offers messages one batch after the other; while the queue behind it is full, the partition is not read. */
class Backlog {
  readonly #output: SourceOutput;
  readonly #options: Pick<KafkaPartitionOptions, 'batches' | 'number'>;
  readonly #batches: SourceBatch[] = [];
  #newest: number;
  #offering = false;

  constructor(
    output: SourceOutput,
    options: Pick<KafkaPartitionOptions, 'batches' | 'number'>,
    newest: number,
  ) {
    this.#output = output;
    this.#options = options;
    this.#newest = newest;
  }

  add(messages: readonly KafkaMessage[], control: FeedControl): void {
    const { batches, number } = this.#options;
    const made = [...batches(messages, this.#newest, number)];
    this.#batches.push(...made);
    this.#newest = made.at(-1)?.position.newest ?? this.#newest;
    if (!this.#offering) void this.#offer(control);
  }

  async #offer(control: FeedControl): Promise<void> {
    this.#offering = true;
    for (let batch = this.#batches.shift(); batch; batch = this.#batches.shift()) {
      const taken = this.#output.offer(batch);
      if (typeof taken === 'boolean') continue;
      control.pause();
      await taken;
    }
    this.#offering = false;
    control.resume();
  }
}
