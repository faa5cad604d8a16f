import type { KafkaMessage } from 'kafkajs';
import { timeOf } from './messages.js';

/** Compressed bytes of a partition that may wait; above this, fetching pauses. */
const LANE_BYTES = 2 ** 21;
/** Messages of two partitions that are closer in time than this need no ordering: links may lag by more. */
const SKEW_US = 5_000;

/** Fetched messages of one partition that were not passed on yet. */
export class Lane {
  readonly topic: string;
  readonly partition: number;
  /** Offset of the next message to be fetched. */
  fetched: number;
  /** Offset of the next message to be passed on: all before it were. */
  offered: number;
  /** Offset that the producer's next message will get, as last reported by the broker. */
  high: number;
  /** All messages before it were passed on in batches; those from it on could not be read, or are not for readers. */
  sent: number;
  /** All messages before it are in a checkpoint. */
  covered: number;
  /** What the group has committed. */
  committed: number;
  /** Event time of the newest record passed on, microseconds. */
  newest = -Infinity;
  /** Fetching is paused until messages were passed on. */
  paused = false;
  #messages: KafkaMessage[] = [];
  #head = 0;
  #bytes = 0;
  #headTime = NaN;

  constructor(topic: string, partition: number, offset: number, high: number) {
    this.topic = topic;
    this.partition = partition;
    this.fetched = offset;
    this.offered = offset;
    this.sent = offset;
    this.covered = offset;
    this.committed = offset;
    this.high = high;
  }

  /** Event time of the next message, microseconds; NaN if none waits. */
  get time(): number {
    return this.#headTime;
  }

  /** The message that {@link take} returns. */
  get next(): KafkaMessage {
    return this.#messages[this.#head]!;
  }

  get empty(): boolean {
    return this.#head === this.#messages.length;
  }

  get full(): boolean {
    return this.#bytes >= LANE_BYTES;
  }

  /** Number of messages of the partition that were not passed on. */
  get lag(): number {
    return Math.max(0, this.high - this.offered);
  }

  /**
   * Adds a fetched batch, without messages that were added before. @param last offset of the last message,
   * including messages that are not for readers
   */
  add(messages: readonly KafkaMessage[], last: number): void {
    for (const message of messages) {
      if (Number(message.offset) < this.fetched) continue;
      this.#messages.push(message);
      this.#bytes += sizeOf(message);
    }
    this.fetched = Math.max(this.fetched, last + 1);
    if (this.empty) this.offered = this.fetched;
    this.#look();
  }

  take(): KafkaMessage {
    const message = this.#messages[this.#head]!;
    this.#messages[this.#head++] = undefined as unknown as KafkaMessage;
    this.#bytes -= sizeOf(message);
    if (this.empty) {
      this.#messages = [];
      this.#head = 0;
    }
    this.offered = this.empty ? this.fetched : Number(message.offset) + 1;
    this.#look();
    return message;
  }

  /** Discards the waiting messages, which will be fetched again. */
  clear(): void {
    this.#messages = [];
    this.#head = 0;
    this.#bytes = 0;
    this.fetched = this.offered;
    this.#look();
  }

  #look(): void {
    this.#headTime = this.empty ? NaN : timeOf(this.#messages[this.#head]!);
  }
}

const sizeOf = ({ value, key }: KafkaMessage): number => (value?.length ?? 0) + (key?.length ?? 0) + 64;

/** The lane to take the next message from, and the time up to which more may follow from it. */
export interface Turn {
  readonly lane: Lane;
  readonly until: number;
}

/**
 * The lane of the earliest message. Undefined if no message waits, or if a lane has unfetched messages at the
 * broker, which may be earlier. `patient` false does not wait for those.
 */
export function nextTurn(lanes: Iterable<Lane>, patient: boolean): Turn | undefined {
  let first: Lane | undefined;
  let second = Infinity;
  for (const lane of lanes) {
    if (lane.empty) {
      if (patient && lane.fetched < lane.high) return undefined;
      continue;
    }
    if (!first || lane.time < first.time) {
      second = first?.time ?? Infinity;
      first = lane;
    } else second = Math.min(second, lane.time);
  }
  return first && { lane: first, until: second + SKEW_US };
}
