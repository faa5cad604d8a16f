import type { Consumer, EachBatchPayload, Kafka, KafkaMessage } from 'kafkajs';
import { stickyAssigner } from './sticky-assigner.js';

export interface GroupReaderOptions {
  readonly group: string;
  /** Id of the topology. */
  readonly id: string;
  /** Identifies this process over restarts: a killed process takes over its former membership immediately. */
  readonly member: string;
  /** The topic whose partitions are shared. */
  readonly topic: string;
  /** A topic with the same number of partitions, which are assigned together. */
  readonly stateTopic: string;
  readonly sessionTimeoutMs: number;
}

/** Reads a partition from an offset on. */
export interface Feed {
  /** Messages in order, each once. If it throws, it has accepted none, and they come again. */
  take(messages: readonly KafkaMessage[]): void;
  /** This many messages were deleted before they were read. */
  expired?(messages: number): void;
  /**
   * Everything up to `next` (excluded) was read, including hidden records: transaction markers and aborted
   * messages.
   */
  seen?(next: bigint, end: bigint): void;
  /** The partition was assigned to another process. */
  lost?(): void;
}

/** How a reader of a feed stops and pauses it. */
export interface FeedControl {
  stop(): void;
  pause(): void;
  resume(): void;
}

interface Active {
  readonly topic: string;
  readonly partition: number;
  readonly feed: Feed;
  next: bigint;
  paused: boolean;
  /** Incremented with each seek: earlier fetches are ignored. */
  seeks: number;
  /** Where messages came from the last time that they did not come from `next`. */
  instead: bigint | null;
}

/** The offset that the broker was asked for; kafkajs does not declare it. */
type FetchedBatch = EachBatchPayload['batch'] & { readonly fetchedOffset: string };

/** How long a fetch request waits for new messages: a resumed partition has to wait for it. */
const FETCH_WAIT_MS = 100;
/** A process learns by a heartbeat that it has lost partitions: soon, however long the session timeout. */
const MAX_HEARTBEAT_MS = 1000;

/**
 * The one consumer of a process in its group. It reads a partition only while a feed wants it, from the
 * feed's position. The group's committed offsets only inform other tools.
 */
export class GroupReader {
  readonly #options: GroupReaderOptions;
  readonly #client: Kafka;
  readonly #feeds = new Map<string, Active>();
  /** What was active when the current batch began, by topic and partition. */
  readonly #begun = new Map<string, { readonly active: Active; readonly seeks: number }>();
  #consumer: Consumer | undefined;
  /** False while the library reconnects: it accepts no requests then, and the next join repeats them. */
  #running = false;
  #assigned: readonly number[] = [];
  #left = false;

  constructor(client: Kafka, options: GroupReaderOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** Resolves when the group has been joined for the first time. */
  async join(
    onAssigned: (partitions: readonly number[]) => void,
    onLost: (error: Error) => void,
  ): Promise<void> {
    const { group, id, member, topic, stateTopic, sessionTimeoutMs } = this.#options;
    const consumer = this.#client.consumer({
      groupId: group,
      sessionTimeout: sessionTimeoutMs,
      heartbeatInterval: Math.min(MAX_HEARTBEAT_MS, Math.round(sessionTimeoutMs / 5)),
      maxWaitTimeInMs: FETCH_WAIT_MS,
      partitionAssigners: [
        await stickyAssigner({
          ...{ id, topic, beside: stateTopic, groupInstanceId: member },
          owned: () => this.#assigned,
        }),
      ],
    });
    this.#consumer = consumer;
    const { CRASH, GROUP_JOIN, STOP, START_BATCH_PROCESS, END_BATCH_PROCESS } = consumer.events;
    consumer.on(STOP, () => {
      this.#running = false;
    });
    const joined = new Promise<void>((resolve, reject) => {
      consumer.on(GROUP_JOIN, ({ payload: { memberAssignment } }) => {
        this.#running = true;
        this.#goOn(memberAssignment);
        onAssigned(this.#assigned);
        resolve();
      });
      consumer.on(CRASH, ({ payload: { error, restart } }) => {
        if (restart || this.#left) return;
        reject(error);
        onLost(error);
      });
    });
    joined.catch(() => undefined);
    consumer.on(START_BATCH_PROCESS, ({ payload: { topic, partition } }) => {
      const active = this.#feeds.get(keyOf(topic, partition));
      if (active) this.#begun.set(keyOf(topic, partition), { active, seeks: active.seeks });
    });
    consumer.on(END_BATCH_PROCESS, ({ payload: { topic, partition, lastOffset, highWatermark } }) => {
      this.#seen(keyOf(topic, partition), BigInt(lastOffset) + 1n, BigInt(highWatermark));
    });
    await consumer.connect();
    await consumer.subscribe({ topics: [topic, stateTopic], fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatch: async (payload) => {
        this.#take(payload);
      },
    });
    await joined;
  }

  /** Feeds messages from offset `from` on, as long as this process has the partition. */
  read(topic: string, partition: number, from: bigint, feed: Feed): FeedControl {
    const active: Active = { topic, partition, feed, next: from, paused: false, seeks: 0, instead: null };
    const key = keyOf(topic, partition);
    this.#feeds.set(key, active);
    this.#seek(active);
    const mine = () => this.#feeds.get(key) === active;
    return {
      stop: () => {
        if (!mine()) return;
        this.#feeds.delete(key);
        this.#pause(topic, partition);
      },
      pause: () => {
        active.paused = true;
        if (mine()) this.#pause(topic, partition);
      },
      resume: () => {
        if (!active.paused) return;
        active.paused = false;
        if (mine()) this.#resume(topic, partition);
      },
    };
  }

  async leave(): Promise<void> {
    this.#left = true;
    await this.#consumer?.disconnect();
  }

  /** After each join the library has forgotten its positions. */
  #goOn(assignment: Readonly<Record<string, readonly number[]>>): void {
    this.#assigned = [...(assignment[this.#options.topic] ?? [])];
    for (const [topic, partitions] of Object.entries(assignment)) {
      for (const partition of partitions) {
        const active = this.#feeds.get(keyOf(topic, partition));
        if (active) this.#seek(active);
        else this.#pause(topic, partition);
      }
    }
    for (const [key, { topic, partition, feed }] of this.#feeds) {
      if (assignment[topic]?.includes(partition)) continue;
      this.#feeds.delete(key);
      feed.lost?.();
    }
  }

  #seek(active: Active): void {
    const { topic, partition, next, paused } = active;
    active.seeks++;
    if (this.#running) this.#consumer?.seek({ topic, partition, offset: String(next) });
    if (paused) this.#pause(topic, partition);
    else this.#resume(topic, partition);
  }

  #pause(topic: string, partition: number): void {
    if (this.#running) this.#consumer?.pause([{ topic, partitions: [partition] }]);
  }

  #resume(topic: string, partition: number): void {
    if (this.#running) this.#consumer?.resume([{ topic, partitions: [partition] }]);
  }

  #take(payload: EachBatchPayload): void {
    const { topic, partition, messages } = payload.batch;
    const active = this.#feeds.get(keyOf(topic, partition));
    if (!active) this.#pause(topic, partition);
    if (!active || payload.isStale()) return;
    const fetched = BigInt((payload.batch as FetchedBatch).fetchedOffset);
    if (fetched > active.next && active.instead !== fetched) {
      // It may have been fetched before the position was known.
      active.instead = fetched;
      this.#seek(active);
      return;
    }
    // Twice the same: the broker no longer has anything before it, and the library moved to the first message
    // there is.
    if (fetched > active.next) active.feed.expired?.(Number(fetched - active.next));
    active.instead = null;
    const fresh = messages.filter(({ offset }) => BigInt(offset) >= active.next);
    if (fresh.length === 0) return;
    // In this order: a batch that was not accepted is fetched again.
    active.feed.take(fresh);
    active.next = BigInt(fresh.at(-1)!.offset) + 1n;
  }

  #seen(key: string, next: bigint, end: bigint): void {
    const begun = this.#begun.get(key);
    this.#begun.delete(key);
    const active = this.#feeds.get(key);
    if (!active || begun?.active !== active || begun.seeks !== active.seeks) return;
    if (next > active.next) active.next = next;
    active.feed.seen?.(active.next, end);
  }
}

const keyOf = (topic: string, partition: number): string => `${topic}/${partition}`;
