import { defineSink, type Context, type Sink, type Transaction } from '../../pipeline/component/index.js';
import type { Data, Failure } from '../../pipeline/model/index.js';
import { address } from './address.js';
import { ExactlyOnce } from './exactly-once.js';
import { checkSettings, settingsSchema, topicsOf, type KafkaSinkSettings } from './settings.js';
import type { Addressed } from './topics.js';
import { KafkaWriter } from './writer.js';

export const kafka = defineSink({
  name: 'kafka',
  summary: 'Writes results to topics of Apache Kafka, as JSON.',
  description: `Messages have the id of their environment as the key, so that those of one environment stay in order. Their values follow [a JSON schema](../../schemas/kafka-results.json); \`csiflow schema --results\` prints it.

- The producer is idempotent and waits for all replicas in sync. kafkajs loses acknowledged messages when a leader changes during a request for several partitions, so each request is for one.
- \`at_least_once\`: results are sent immediately. After a crash, or while brokers fail, some may arrive twice; their \`id\` identifies them. Alerts are sent once as far as csiflow knows.
- \`exactly_once\`: results are sent when a checkpoint covers them, one transaction for each checkpoint. Readers with \`isolation.level=read_committed\` see each result once, over crashes too; they wait for \`settings.checkpoint_interval_ms\`. [How that works](../../kafka.md).
- While the brokers are offline, results wait in the outbox.`,
  inputs: ['pose', 'event', 'measure'],
  recovery: ({ delivery }) => (delivery === 'exactly_once' ? 'rewind' : 'at-least-once'),
  transactional: true,
  likeSource: ['brokers', 'tls', 'sasl'],
  config: settingsSchema,
  examples: [
    { title: 'To a topic for each kind of result', config: { brokers: ['kafka-1:9092'] } },
    {
      title: 'Exactly once, compressed, to one topic',
      config: { brokers: ['kafka-1:9092'], topic: 'results', delivery: 'exactly_once', compression: 'zstd' },
    },
  ],
  check: checkSettings,
  settings: { 'streaming.restream_enabled': 'enabled' },
  create: (config, context) => {
    if (context.transaction) return new WithCheckpoint(config, context.topology, context.transaction);
    return config.delivery === 'exactly_once'
      ? new ExactlyOnce(config, context)
      : new AtLeastOnce(config, context);
  },
});

/** Sends results immediately; acknowledged ones are in the log. */
class AtLeastOnce implements Sink {
  readonly #settings: KafkaSinkSettings;
  readonly #topology: string;
  readonly #writer: KafkaWriter;
  #messages = 0;

  constructor(settings: KafkaSinkSettings, context: Context) {
    this.#settings = settings;
    this.#topology = context.topology;
    this.#writer = new KafkaWriter(settings, context, topicsOf(settings.topic), () =>
      context.clock.elapsed(),
    );
  }

  open(): Promise<void> {
    return this.#writer.open();
  }

  async write(records: readonly Data[]): Promise<readonly Failure[]> {
    const { messages, failures } = address(records, this.#settings, this.#topology, this.#writer.largest);
    if (messages.size === 0) return failures;
    const notTaken = await this.#writer.send([...messages.keys()]);
    this.#messages += messages.size - notTaken.size;
    return [
      ...failures,
      ...[...notTaken].map(([message, why]) => ({ record: messages.get(message)!, ...why })),
    ];
  }

  /** Everything was acknowledged by then. */
  async flush(): Promise<void> {
    return Promise.resolve();
  }

  describe(): Readonly<Record<string, unknown>> {
    const { topic, delivery } = this.#settings;
    return { topic, delivery, messages: this.#messages };
  }

  close(): Promise<void> {
    return this.#writer.close();
  }
}

/** In a scaled-out topology, results go into the transaction of the partition's checkpoint. */
class WithCheckpoint implements Sink {
  readonly #settings: KafkaSinkSettings;
  readonly #topology: string;
  readonly #transaction: Transaction;
  #closed = false;

  constructor(settings: KafkaSinkSettings, topology: string, transaction: Transaction) {
    this.#settings = settings;
    this.#topology = topology;
    this.#transaction = transaction;
  }

  async open(): Promise<void> {
    this.#closed = false;
  }

  async write(records: readonly Data[], epoch: number): Promise<readonly Failure[]> {
    if (this.#closed) throw new Error('the sink is closed');
    const { messages, failures } = address(records, this.#settings, this.#topology, MAX_MESSAGE_BYTES);
    const topics = new Map<string, Addressed[]>();
    for (const message of messages.keys()) {
      const list = topics.get(message.topic);
      if (list) list.push(message);
      else topics.set(message.topic, [message]);
    }
    for (const [topic, list] of topics) await this.#transaction.send(epoch, topic, list);
    return failures;
  }

  async flush(): Promise<void> {
    return Promise.resolve();
  }

  async close(): Promise<void> {
    this.#closed = true;
  }
}

/** The brokers' default limit. */
const MAX_MESSAGE_BYTES = 1_000_000;
