import { randomUUID } from 'node:crypto';
import {
  defineSource,
  type Context,
  type Output,
  type Position,
  type RawBatch,
  type Source,
  type SourceOutput,
  type State,
} from '../../component/index.js';
import { decoderOf, formatNamed, RawBuilder, type Decoder } from '../../formats/index.js';
import type { Data } from '../../model/index.js';
import { explain } from '../../kafka/index.js';
import { backoff, pause } from '../../base/backoff.js';
import { GroupMember } from './group.js';
import type { TopicPositions } from './holdings.js';
import { nextTurn, type Lane, type Turn } from './lanes.js';
import { MAX_RECORDS, originOf, readMessage } from './messages.js';
import { kafkaPartitions } from './partitions.js';
import { checkSettings, settingsSchema, type KafkaSettings } from './settings.js';

/** Reads topics of a Kafka cluster as a member of a consumer group. */
export const kafka = defineSource({
  name: 'kafka',
  summary: 'Reads raw records, or results of another topology, from topics of Apache Kafka.',
  description: [
    'Messages are raw records (datagrams, lines, JSON frames) or captures; their key is the id of the environment.',
    "Event time is the header `csiflow-time` (microseconds since 1970), otherwise the message's own time. The sender is the",
    'header `csiflow-sender`, otherwise the key: a link whose `sender` is `node-1@ward-3` takes node 1 of messages with',
    'the key `ward-3`. `csiflow-origin` says where records come from (`live`, `replay`, `simulated`).',
    '',
    'With `format: results` messages are what the sink `kafka` of another topology wrote: poses, events and measures with',
    'the times, ids and origin that they have there. The topology needs the environments that they are of.',
    '',
    'Several partitions are merged by time. Messages are fetched only when the queue has space.',
    '',
    'The checkpoint is the truth: offsets are committed after the checkpoint that covers them, so a start resumes',
    'from the checkpoint and counts every message once. Another member takes a partition over only when a',
    'checkpoint here covers all that was read of it. [What holds when a member dies](../../kafka.md), and',
    'state that moves with the partition: `settings.scale_out`.',
    '',
    'Messages that cannot be read are counted (`malformed_...`) and named in the log. Messages that the broker',
    'deleted before they were read are counted as `retention`. While no broker answers, the node is degraded and',
    'tries again; it is degraded too while more than `max_lag` messages of a partition are still to be read.',
  ].join('\n'),
  config: settingsSchema,
  examples: [
    {
      title: 'Datagrams that gateways write to a topic',
      config: { brokers: ['kafka-1:9092', 'kafka-2:9092'], topics: ['csi'] },
    },
    {
      title: 'With TLS and a login',
      config: {
        brokers: ['kafka.example.org:9093'],
        topics: ['csi'],
        tls: { ca: 'certs/ca.pem' },
        sasl: { mechanism: 'scram-sha-512', username: 'csiflow', password: '${secret:kafka}' },
      },
    },
    {
      title: 'Results of another topology',
      config: { brokers: ['kafka-1:9092'], topics: ['csiflow.results'], format: 'results' },
    },
  ],
  outputs: ['csi', 'pose', 'measure', 'event'],
  gives: ({ format }) => (format === 'results' ? ['pose', 'measure', 'event'] : ['csi', 'measure', 'event']),
  measures: ({ format }) => formatNamed(format).measurement,
  replayable: true,
  timing: 'now',
  check: checkSettings,
  stateFields: ['topics', 'group', 'content', 'format'],
  claims: ({ brokers, group }) =>
    group === undefined
      ? []
      : [{ what: `the consumer group ${group} of ${brokers.toSorted().join(', ')}`, field: 'group' }],
  partitions: kafkaPartitions,
  create: (config, context) => new KafkaSource(config, context),
});

/** Stored with the checkpoint. */
interface KafkaState {
  /** Names this state: Kafka stores it with the offsets that were committed from it. */
  readonly owner: string;
  readonly decoder: State;
}

const FIRST_RETRY_MS = 250;
const MAX_RETRY_MS = 15_000;

class KafkaSource implements Source {
  readonly #config: KafkaSettings;
  readonly #context: Context;
  readonly #decoder: Decoder;
  readonly #builders = new Map<RawBatch['origin'], RawBuilder>();
  readonly #badCounts: Record<string, number> = {};
  #owner: string = randomUUID();
  #member: GroupMember | undefined;
  #wake: () => void = () => undefined;
  #records = 0;

  constructor(config: KafkaSettings, context: Context) {
    this.#config = config;
    this.#context = context;
    this.#decoder = decoderOf(formatNamed(config.format), context, config);
  }

  async open(position: Position, output: SourceOutput): Promise<void> {
    const { signal } = output;
    const stops = () => signal.aborted;
    if (stops()) return;
    const restored = (position ?? {}) as TopicPositions;
    const member = new GroupMember(this.#config, this.#context, this.#owner, restored, {
      news: () => {
        this.#wake();
      },
      problem: (problem) => output.problem?.(problem),
    });
    this.#member = member;
    let first = true;
    for (let failures = 0; !stops();) {
      try {
        const { failed } = await member.join();
        first = false;
        failures = 0;
        output.problem?.(null);
        output.ready?.();
        await this.#read(member, failed, output);
      } catch (error) {
        const { text, final } = explain(error, this.#config.brokers);
        await member.leave();
        // A member that must stop is recovered with its topology; an error at startup ends the start.
        if (member.lost || (final && first)) throw new Error(text, { cause: error });
        output.problem?.(text);
        output.ready?.();
        const wait = backoff(++failures, FIRST_RETRY_MS, MAX_RETRY_MS, this.#context.random);
        await pause(wait, signal, this.#context.clock);
      }
    }
  }

  decode(raw: RawBatch): Output<Data> {
    return this.#decoder.decode(raw);
  }

  snapshot(): State {
    return { owner: this.#owner, decoder: this.#decoder.snapshot() } satisfies KafkaState;
  }

  restore(state: State): void {
    const { owner, decoder } = state as KafkaState;
    this.#owner = owner;
    this.#decoder.restore(decoder);
  }

  isUnsure(): boolean {
    return this.#member?.isUnsure ?? false;
  }

  committed(position: Position): void {
    this.#member?.commit((position ?? {}) as TopicPositions);
  }

  describe(): Readonly<Record<string, unknown>> {
    return {
      brokers: this.#config.brokers,
      ...this.#member?.describe(),
      records: this.#records,
      malformed_messages: { ...this.#badCounts },
      ...this.#decoder.describe(),
    };
  }

  async close(): Promise<void> {
    await this.#member?.leave();
  }

  /** Passes on messages, until the signal aborts; the member stays in its group, so that the last checkpoint can be committed. */
  async #read(member: GroupMember, failed: Promise<never>, output: SourceOutput): Promise<void> {
    if (output.signal.aborted) return;
    const over = new AbortController();
    const end = () => {
      over.abort();
      this.#wake();
    };
    const ended = new Promise<void>((resolve) => {
      over.signal.addEventListener('abort', () => {
        resolve();
      });
    });
    output.signal.addEventListener('abort', end, { signal: over.signal });
    try {
      await Promise.race([ended, failed, this.#handOn(member, output, over.signal)]);
    } finally {
      // Several loops may exist, one for each lost connection; only the newest may continue.
      end();
    }
  }

  async #handOn(member: GroupMember, output: SourceOutput, over: AbortSignal): Promise<void> {
    let waiting: number | null = null;
    while (!over.aborted) {
      const now = this.#context.clock.elapsed();
      const patient = waiting === null || now - waiting < this.#config.merge_wait_ms;
      const turn = nextTurn(member.lanes, patient);
      if (turn) {
        const batch = this.#gather(member, turn);
        if (batch) {
          member.sent();
          await output.offer({ position: member.positions, raw: batch });
          this.#records += batch.count;
        }
        waiting = null;
      } else {
        // The wait for another partition's messages is bounded.
        waiting = member.waiting ? (waiting ?? now) : null;
        await this.#news(waiting === null ? null : this.#config.merge_wait_ms);
      }
    }
  }

  /** A batch of one origin, in the order of time; null if no message could be read. */
  #gather(member: GroupMember, first: Turn): RawBatch | null {
    const origin = originOf(first.lane.next, this.#config.origin);
    const builder = this.#builderOf(origin);
    let turn: Turn | undefined = first;
    while (turn) {
      const { lane, until } = turn;
      builder.startFrom(lane.newest);
      do this.#add(lane, builder);
      while (!lane.empty && lane.time <= until && !this.#isEnd(lane, builder, origin));
      lane.newest = builder.newest;
      member.taken(lane);
      turn = this.#enough(builder) ? undefined : nextTurn(member.lanes, true);
      if (turn && originOf(turn.lane.next, this.#config.origin) !== origin) turn = undefined;
    }
    return builder.count === 0 ? null : builder.take('message');
  }

  #isEnd(lane: Lane, builder: RawBuilder, origin: RawBatch['origin']): boolean {
    return this.#enough(builder) || originOf(lane.next, this.#config.origin) !== origin;
  }

  #enough(builder: RawBuilder): boolean {
    return builder.count >= this.#config.batch_records;
  }

  #add(lane: Lane, builder: RawBuilder): void {
    const message = lane.take();
    const from = { topic: lane.topic, partition: lane.partition };
    for (const { reason } of readMessage(message, this.#config, builder, this.#context, from))
      this.#badCounts[reason] = (this.#badCounts[reason] ?? 0) + 1;
  }

  #builderOf(origin: RawBatch['origin']): RawBuilder {
    let builder = this.#builders.get(origin);
    if (!builder)
      this.#builders.set(
        origin,
        (builder = new RawBuilder(this.#config.batch_records + MAX_RECORDS, origin)),
      );
    return builder;
  }

  /** Until messages come, or `ms` have passed. */
  async #news(ms: number | null): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (ms !== null) timer = setTimeout(resolve, ms);
    });
    clearTimeout(timer);
  }
}
