import type { KafkaMessage } from 'kafkajs';
import { timeOf } from './messages.js';

/** Packed bytes of a partition that wait, above which no more of it is fetched. */
const LANE_BYTES = 2 ** 21;
/** Messages of two partitions that lie nearer to each other need not be put in order: links may lag more than that. */
const SKEW_US = 5_000;

/** Messages of one partition that were fetched and not handed on yet. */
export class Lane {
  readonly topic: string;
  readonly partition: number;
  /** Offset of the next message to be fetched. */
  fetched: number;
  /** Offset of the next message to be handed on: all before it were. */
  offered: number;
  /** Offset that the next message of the producer gets, as last heard. */
  high: number;
  /** All before it were handed on in batches; what is beyond could not be read, or is not for readers. */
  sent: number;
  /** All before it are in a checkpoint. */
  covered: number;
  /** What the group knows. */
  committed: number;
  /** Event time of the newest record handed on, microseconds. */
  newest = -Infinity;
  /** Nothing more is fetched until some was handed on. */
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

  /** Event time of the next message, microseconds; NaN where none waits. */
  get time(): number {
    return this.#headTime;
  }

  /** The message that {@link take} gives. */
  get next(): KafkaMessage {
    return this.#messages[this.#head]!;
  }

  get empty(): boolean {
    return this.#head === this.#messages.length;
  }

  get full(): boolean {
    return this.#bytes >= LANE_BYTES;
  }

  /** Messages of the partition that were not handed on. */
  get lag(): number {
    return Math.max(0, this.high - this.offered);
  }

  /** Takes a fetched batch; what came before is left out. @param last offset of the last message, also of one that is not for readers */
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

  /** Forgets what waits: it is fetched again. */
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

/** From which lane the next message is to be taken, and up to which time more of it may follow. */
export interface Turn {
  readonly lane: Lane;
  readonly until: number;
}

/**
 * The lane of the earliest message. Undefined where none waits, or where one that has more at the broker has
 * nothing here yet: its messages may be earlier. `patient` false goes on without it.
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
