import type { Admin, Consumer, EachBatchPayload } from 'kafkajs';
import type { Context } from '../../component/index.js';
import { createClient, LagLimit, loadKafka, requireOwnGroup, requireTopics } from '../../kafka/index.js';
import { cooperativeAssigner } from './assigner.js';
import { OffsetCommits } from './commits.js';
import { Holdings, newestOf, offsetOf, type TopicPositions } from './holdings.js';
import { Lane } from './lanes.js';
import { byTopic, nameOf, namesOf, partitionOf } from './names.js';
import { knownOffsets, type KnownOffsets } from './offsets.js';
import type { KafkaSettings } from './settings.js';
import { startOf } from './start.js';
import { asError } from '../../base/error-text.js';

/** A consumer keeps its membership while it reconnects, so this module watches whether the brokers answer. */
const CONSUMER_RETRY = { initialRetryTime: 50, maxRetryTime: 1000, retries: 1_000_000 };
/** The brokers count as offline after this silence. */
const SILENCE_MS = 5_000;
const WATCH_MS = 1_000;
/** How long a checkpoint waits for an answer of the brokers. */
const DOUBT_MS = 4_000;

export interface MemberEvents {
  /** Messages arrived, or a partition was revoked. */
  readonly news: () => void;
  /** Called with the reason why it cannot read; with null when that is over. */
  readonly problem: (problem: string | null) => void;
}

/**
 * A member of a consumer group: which partitions this process has, where each is read from, and what is
 * committed to Kafka. It outlives connections: lanes continue where they were. For each partition:
 *
 * - Gained: it is paused until its offset is known (checkpoint, group, or as configured).
 * - Revoked: nothing more is passed on. When a checkpoint covers what was, its offset is committed and the
 *   member joins again without claiming it. Until then no other member gets it (see the assigner).
 */
export class GroupMember {
  /** It must stop: other members have counted messages that no checkpoint here covers yet. */
  lost = false;
  joined = false;
  readonly group: string;
  readonly #settings: KafkaSettings;
  readonly #context: Context;
  readonly #owner: string;
  readonly #events: MemberEvents;
  readonly #connect: typeof createClient;
  readonly #holdings: Holdings;
  readonly #gaining = new Set<string>();
  #assigned: ReadonlySet<string> = new Set();
  #connection: { readonly consumer: Consumer; readonly admin: Admin } | undefined;
  #fail: (error: Error) => void = () => undefined;
  #memberId: string | undefined;
  #rejoins = false;
  #rebalances = 0;
  #heard = 0;
  #away = false;
  readonly #lagLimit: LagLimit;
  /** Why its backlog is a problem. */
  #tooLong: string | null = null;
  /** The library has given up on its consumer: it refuses to resume, and silently ignores commits. */
  #crashed = false;
  /** Since when the membership is uncertain. */
  #doubts: number | null = null;
  #watch: NodeJS.Timeout | undefined;
  readonly #commits: OffsetCommits;

  constructor(
    settings: KafkaSettings,
    context: Context,
    owner: string,
    restored: TopicPositions,
    events: MemberEvents,
    connect = createClient,
  ) {
    this.#settings = settings;
    this.#context = context;
    this.#owner = owner;
    this.#events = events;
    this.#connect = connect;
    this.#holdings = new Holdings(restored);
    this.#lagLimit = new LagLimit(settings.max_lag, (problem) => {
      this.#tooLong = problem;
      if (!this.#away) events.problem(problem);
    });
    this.group = settings.group ?? `csiflow-${context.topology}`;
    this.#commits = new OffsetCommits(context, owner, this.#holdings, {
      consumer: () => (this.#memberId && !this.#crashed ? this.#connection?.consumer : undefined),
      isOver: () => !this.#connection || this.lost || this.#crashed || this.#heardNothing,
      released: (key) => {
        this.#forget(key);
      },
    });
  }

  /**
   * Connects and joins. Rejects if that fails; `failed` of the result rejects when the connection is lost
   * permanently, or the member must stop.
   */
  async join(): Promise<{ readonly failed: Promise<never> }> {
    const failed = new Promise<never>((_, reject) => {
      this.#fail = reject;
    });
    failed.catch(() => undefined);
    const { AssignerProtocol } = await loadKafka();
    const client = await this.#connect(this.#settings, this.#context);
    const admin = client.admin();
    const consumer = client.consumer({
      groupId: this.group,
      partitionAssigners: [
        cooperativeAssigner(AssignerProtocol, {
          topology: this.#context.topology,
          groupInstanceId: `csiflow-${this.#owner}`,
          claims: () => this.#holdings.claims,
        }),
      ],
      sessionTimeout: this.#settings.session_timeout_ms,
      rebalanceTimeout: Math.max(this.#settings.session_timeout_ms, 10_000),
      heartbeatInterval: Math.min(1000, Math.floor(this.#settings.session_timeout_ms / 6)),
      maxWaitTimeInMs: this.#settings.fetch_wait_ms,
      allowAutoTopicCreation: false,
      retry: { ...CONSUMER_RETRY, restartOnFailure: async () => false },
    });
    this.#connection = { admin, consumer };
    this.#crashed = false;
    await admin.connect();
    await requireTopics(admin, this.#settings.topics);
    await requireOwnGroup(admin, this.group, this.#settings.topics, this.#context.topology);
    await consumer.connect();
    this.#listen(consumer);
    await consumer.subscribe({
      topics: this.#settings.topics,
      fromBeginning: this.#settings.start === 'earliest',
    });
    await Promise.race([this.#run(consumer), failed]);
    this.joined = true;
    this.#heard = this.#context.clock.elapsed();
    this.#watch = setInterval(() => {
      this.#look();
    }, WATCH_MS);
    return { failed };
  }

  /** Number of partitions that are read here. */
  get lanes(): Iterable<Lane> {
    return this.#holdings.held.values();
  }

  /** Messages wait to be passed on. */
  get waiting(): boolean {
    for (const lane of this.#holdings.held.values()) if (!lane.empty) return true;
    return false;
  }

  get positions(): TopicPositions {
    return this.#holdings.positions;
  }

  /**
   * This process, or its network, was suspended for so long that the group may consider it dead. The first
   * answer will show it. If none comes, every broker may be offline, and nothing may wait for an answer.
   */
  get isUnsure(): boolean {
    const now = this.#context.clock.elapsed();
    if (!this.joined || now - this.#heard < this.#settings.session_timeout_ms * 0.8) {
      this.#doubts = null;
      return false;
    }
    this.#doubts ??= now;
    return now - this.#doubts < DOUBT_MS;
  }

  /** Everything taken from lanes is in a batch with the current positions. */
  sent(): void {
    for (const lane of this.#holdings.held.values()) lane.sent = lane.offered;
  }

  /** Messages were taken from a lane: there may be space for more. */
  taken(lane: Lane): void {
    if (!lane.paused || lane.full) return;
    lane.paused = false;
    if (!this.#crashed)
      this.#connection?.consumer.resume([{ topic: lane.topic, partitions: [lane.partition] }]);
  }

  /** A checkpoint with these positions is safe: commits them to Kafka. */
  commit(covered: TopicPositions): void {
    this.#commits.cover(covered);
  }

  /** Leaves the group. Its lanes stay, in case it joins again. */
  async leave(): Promise<void> {
    this.joined = false;
    clearInterval(this.#watch);
    await this.#commits.settled();
    const connection = this.#connection;
    this.#connection = undefined;
    if (!connection) return;
    for (const part of [connection.consumer, connection.admin])
      await part.disconnect().catch((error: unknown) => {
        this.#context.log.debug('a connection to Kafka did not close', { error: String(error) });
      });
  }

  describe(): Readonly<Record<string, unknown>> {
    return {
      group: this.group,
      member: this.#memberId ?? null,
      rebalances: this.#rebalances,
      lag: this.#holdings.lanes.reduce((sum, [, { lag }]) => sum + lag, 0),
      partitions: this.#holdings.describe(),
    };
  }

  // ------------------------------------------------------------------ reading

  #run(consumer: Consumer): Promise<void> {
    return consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: true,
      eachBatch: async ({ batch }) => {
        this.#receive(batch.topic, batch.partition, batch);
      },
    });
  }

  #receive(topic: string, partition: number, batch: EachBatchPayload['batch']): void {
    const lane = this.#holdings.held.get(nameOf(topic, partition));
    // The partition was revoked, or its offset is not known yet: the batch is fetched again.
    if (!lane) return;
    if (Number((batch as FetchedBatch).fetchedOffset) > lane.fetched) {
      // Fetched before the position was known, or the broker has deleted what precedes it.
      this.#gain(this.#connection!.consumer, [nameOf(topic, partition)]);
      return;
    }
    lane.high = Number(batch.highWatermark);
    lane.add(batch.messages, Number(batch.lastOffset()));
    if (lane.full && !lane.paused) {
      lane.paused = true;
      this.#connection?.consumer.pause([{ topic, partitions: [partition] }]);
    }
    this.#events.news();
  }

  #listen(consumer: Consumer): void {
    const { GROUP_JOIN, FETCH_START, HEARTBEAT, END_BATCH_PROCESS, STOP, CRASH } = consumer.events;
    consumer.on(GROUP_JOIN, ({ payload }) => {
      this.#onJoin(consumer, payload.memberId, namesOf(payload.memberAssignment));
    });
    consumer.on(FETCH_START, () => {
      if (!this.#rejoins) return;
      this.#rejoins = false;
      // kafkajs offers no way to request it; it joins again after this error.
      throw Object.assign(new Error('this member has released partitions'), {
        type: 'REBALANCE_IN_PROGRESS',
      });
    });
    consumer.on(HEARTBEAT, () => {
      this.#heard = this.#context.clock.elapsed();
    });
    // Only for batches without messages for readers: transaction markers and aborted messages. Others are
    // passed to the handler.
    consumer.on(END_BATCH_PROCESS, ({ payload }) => {
      const lane = this.#holdings.held.get(nameOf(payload.topic, payload.partition));
      if (!lane || payload.batchSize > 0 || Number(payload.firstOffset) > lane.fetched) return;
      lane.high = Number(payload.highWatermark);
      lane.add([], Number(payload.lastOffset));
      this.#events.news();
    });
    consumer.on(STOP, () => {
      if (this.#connection?.consumer === consumer) this.#crashed = true;
    });
    consumer.on(CRASH, ({ payload: { error } }) => {
      if (this.#connection?.consumer !== consumer) return;
      this.#fail(error);
    });
  }

  /** Once a second: checks whether the brokers answer, and how much is left to read. */
  #look(): void {
    const silence = this.#context.clock.elapsed() - this.#heard;
    const away = silence > SILENCE_MS;
    if (away)
      this.#events.problem(
        `no broker of ${this.#settings.brokers.join(', ')} has answered for ${Math.round(silence / 1000)} s: retrying until one does`,
      );
    else if (this.#away) this.#events.problem(this.#tooLong);
    this.#away = away;
    let most = { key: '', lag: 0 };
    for (const [key, { lag }] of this.#holdings.lanes) {
      this.#context.metrics.gauge('kafka_lag', lag, { partition: key });
      if (lag > most.lag) most = { key, lag };
    }
    this.#lagLimit.see(most.lag, most.key);
  }

  // ------------------------------------------------------------------ the group

  /** The group has reassigned its partitions. Nothing is fetched before this returns. */
  #onJoin(consumer: Consumer, memberId: string, assigned: ReadonlySet<string>): void {
    const before = this.#memberId;
    // Another id: the group considered this member dead, and others may have read its partitions.
    const evicted = before !== undefined && before !== memberId;
    this.#memberId = memberId;
    this.#assigned = assigned;
    this.#rebalances++;
    this.#heard = this.#context.clock.elapsed();
    for (const [key, lane] of [...this.#holdings.held])
      if (!assigned.has(key)) this.#loseLane(key, lane, evicted);
    for (const [key, lane] of [...this.#holdings.releasing]) {
      if (!assigned.has(key)) continue;
      this.#holdings.releasing.delete(key);
      this.#holdings.held.set(key, lane);
    }
    const unsure: string[] = [];
    for (const key of assigned) {
      const lane = this.#holdings.held.get(key);
      if (!lane || evicted) unsure.push(key);
      else seek(consumer, lane);
    }
    if (unsure.length > 0) this.#gain(consumer, unsure);
    this.#context.log.info('joined the consumer group', {
      group: this.group,
      partitions: [...assigned],
      releasing: [...this.#holdings.releasing.keys()],
    });
    this.#commits.followSoon();
    this.#events.news();
  }

  #loseLane(key: string, lane: Lane, evicted: boolean): void {
    this.#holdings.held.delete(key);
    lane.clear();
    if (lane.sent <= lane.committed) {
      this.#forget(key);
      return;
    }
    if (!evicted) {
      this.#holdings.releasing.set(key, lane);
      return;
    }
    this.#takenOver(key, lane);
  }

  /** Others have read on from the committed offset, while this member was considered dead. */
  #takenOver(key: string, lane: Lane): void {
    const twice = lane.covered - lane.committed;
    if (twice > 0) {
      this.#context.metrics.count('kafka_counted_twice_total', twice);
      this.#context.log.error('another member read messages again that a checkpoint of this process covers', {
        partition: key,
        messages: twice,
      });
    }
    if (lane.sent <= lane.covered) return;
    this.lost = true;
    this.#fail(
      new Error(
        `the group considered this member dead after ${this.#settings.session_timeout_ms} ms of silence, and assigned ${key} to another member: input since the last checkpoint is rolled back`,
      ),
    );
  }

  #gain(consumer: Consumer, keys: readonly string[]): void {
    const fresh = keys.filter((key) => !this.#gaining.has(key));
    if (fresh.length === 0) return;
    consumer.pause(byTopic(fresh));
    for (const key of fresh) this.#gaining.add(key);
    this.#begin(consumer, fresh)
      .catch((error: unknown) => {
        this.#fail(asError(error));
      })
      .finally(() => {
        for (const key of fresh) this.#gaining.delete(key);
      });
  }

  /** Determines the offsets to read partitions from, and starts reading. */
  async #begin(consumer: Consumer, keys: readonly string[]): Promise<void> {
    const rebalances = this.#rebalances;
    const known = await knownOffsets(this.#connection!.admin, this.group, keys);
    if (this.#connection?.consumer !== consumer) return;
    // Other members may have read and committed between two rebalances.
    if (this.#rebalances !== rebalances) {
      await this.#begin(consumer, keys);
      return;
    }
    for (const key of keys) {
      if (!this.#assigned.has(key)) continue;
      const lane = this.#laneAt(key, known(key));
      this.#holdings.restored.delete(key);
      this.#holdings.held.set(key, lane);
      seek(consumer, lane);
      lane.paused = false;
      consumer.resume([{ topic: lane.topic, partitions: [lane.partition] }]);
    }
    this.#events.news();
  }

  #laneAt(key: string, { committed, limits }: KnownOffsets): Lane {
    const held = this.#holdings.held.get(key);
    const foreign = committed.offset !== null && committed.owner !== this.#owner;
    if (held && !foreign) {
      this.#countLost(key, limits.low - held.fetched);
      held.add([], limits.low - 1);
      return held;
    }
    if (held && held.sent > held.committed) this.#takenOver(key, held);
    const restored = this.#holdings.restored.get(key);
    const start = startOf(
      restored === undefined ? undefined : offsetOf(restored),
      committed,
      this.#owner,
      limits,
      this.#settings.start,
    );
    this.#countLost(key, start.lost);
    const { topic, partition } = partitionOf(key);
    const lane = new Lane(topic, partition, start.offset, limits.high);
    lane.committed = committed.offset ?? start.offset;
    if (restored !== undefined && start.offset >= offsetOf(restored)) lane.newest = newestOf(restored);
    return lane;
  }

  #countLost(key: string, messages: number): void {
    if (messages <= 0) return;
    this.#context.metrics.dropped('retention', messages);
    this.#context.log.error('the broker deleted messages before they were read: they are lost', {
      partition: key,
      messages,
    });
  }

  get #heardNothing(): boolean {
    return this.#context.clock.elapsed() - this.#heard > SILENCE_MS;
  }

  /** No longer read here: another member may read it. */
  #forget(key: string): void {
    this.#rejoins = true;
    this.#context.metrics.gauge('kafka_lag', NaN, { partition: key });
  }
}

/** The offset that the broker was asked for; kafkajs does not declare it. */
type FetchedBatch = EachBatchPayload['batch'] & { readonly fetchedOffset: string };

const seek = (consumer: Consumer, { topic, partition, fetched }: Lane): void => {
  consumer.seek({ topic, partition, offset: String(fetched) });
};
