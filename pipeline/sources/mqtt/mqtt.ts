import type { IPublishPacket } from 'mqtt';
import { Type, type Static } from 'typebox';
import {
  choice,
  defineSource,
  type Context,
  type Output,
  type Position,
  type RawBatch,
  type Source,
  type SourceOutput,
  type State,
  required,
} from '../../component/index.js';
import { decoderOf, FORMAT_CHOICES, FORMAT_OPTIONS, formatNamed, type Decoder } from '../../formats/index.js';
import type { Data } from '../../model/index.js';
import { MqttConnection } from './connection.js';
import { BrokerError } from './errors.js';
import { Inbox, type MqttPosition } from './inbox.js';
import { brokerFields, checkBroker } from './settings.js';
import { TakenMessages } from './taken.js';
import { aborted } from '../../base/waiting.js';

const config = Type.Object(
  {
    ...brokerFields,
    topics: required(
      Type.Array(
        Type.String({
          pattern: '^(#|(\\+|[^+#/]*)(/(\\+|[^+#/]*))*(/#)?)$',
          minLength: 1,
          maxLength: 1024,
          description: 'A topic; `+` matches any one level, `#` at the end matches all levels below.',
        }),
        { minItems: 1, maxItems: 64, uniqueItems: true, description: 'Topics that carry CSI.' },
      ),
    ),
    format: choice<string>(FORMAT_CHOICES, {
      default: 'auto',
      description: 'What a message is: one record of this format, or several as lines of text.',
    }),
    ...FORMAT_OPTIONS,
    qos: Type.Integer({
      minimum: 0,
      maximum: 1,
      default: 1,
      description:
        'Requested quality of service: 1 confirms a message once it is in the journal; 0 is faster, but messages in flight are lost when the connection breaks.',
    }),
    session_expiry_ms: Type.Integer({
      minimum: 0,
      maximum: 2_592_000_000,
      default: 86_400_000,
      description:
        'How long the broker stores messages while csiflow is offline, in whole seconds (MQTT 5; with 3.1.1 the broker decides).',
    }),
    max_in_flight: Type.Integer({
      minimum: 1,
      maximum: 1024,
      default: 64,
      description: 'Messages that the broker may send before the first of them is confirmed (MQTT 5).',
    }),
    block_records: Type.Integer({
      minimum: 1,
      maximum: 4096,
      default: 64,
      description: 'Limit of records per batch; fewer at the end of a burst.',
    }),
    idle_tick_ms: Type.Integer({
      minimum: 0,
      maximum: 3_600_000,
      default: 1000,
      description:
        'Silence after which event time advances without messages while the broker is connected; 0: it never does.',
    }),
  },
  { additionalProperties: false },
);

/** Subscribes to topics of a broker. */
export const mqtt = defineSource({
  name: 'mqtt',
  summary:
    'Subscribes to topics of an MQTT broker that carry CSI, one record a message or several as lines of text.',
  description: [
    'The sender of a record is its topic: a format without names (`intel5300`, `esp32-serial`) belongs to the',
    "link whose `sender` is that topic; `adr018` has its nodes' numbers, and `node-1@<topic>` pins one to a topic.",
    '',
    'Event time is the time of arrival, unless the record states its own (`csi-json`) or the publisher sends it as the',
    'user property `csiflow-time` of MQTT 5 (ISO 8601, or microseconds since 1970): without it, what the broker stored during an',
    'absence all arrives at once. Event time never decreases, so a time before the newest is raised to it, and one in',
    'the future is not believed.',
    '',
    'With `qos: 1` the session outlives an absence: the broker stores messages meanwhile and sends them later. Each',
    'message is confirmed once it is in the journal, and one that the broker sends again is known by its content and taken',
    'once (the last 8,192 records are remembered, also over a crash; each line of a message is one). Publish with quality 1 too: a broker never raises it.',
    'Retained messages are old, so they are dropped (counted as `retained`).',
    '',
    'csiflow retries an offline broker; the node is degraded meanwhile. One that rejects the user at startup',
    'keeps the topology from starting. Mosquitto grants every subscription, also to topics that its access list',
    'forbids to read: if nothing arrives, check that list.',
  ].join('\n'),
  config,
  examples: [
    {
      title: 'Receivers that publish to a broker on this machine',
      config: { url: 'mqtt://localhost:1883', topics: ['csi/+'] },
    },
    {
      title: 'With a password and TLS',
      config: {
        url: 'mqtts://broker.example:8883',
        username: 'csiflow',
        password: '${secret:mqtt}',
        topics: ['sites/ward-3/csi/#'],
        format: 'esp32-serial',
      },
    },
  ],
  outputs: ['csi', 'measure', 'event'],
  measures: ({ format }) => formatNamed(format).measurement,
  replayable: false,
  claims: ({ url, client_id }) =>
    client_id === undefined ? [] : [{ what: `the MQTT client ${client_id} at ${url}`, field: 'client_id' }],
  stateFields: ['topics', 'format'],
  check: checkBroker,
  create: (config, context) => new MqttSource(config, context),
});

/** Stored with the checkpoint. */
interface MqttState {
  readonly decoder: State;
  readonly taken: State;
}

class MqttSource implements Source {
  readonly #config: Static<typeof config>;
  readonly #context: Context;
  readonly #decoder: Decoder;
  /** State of the decoder as of the checkpoint; later records are in the journal. */
  readonly #taken = new TakenMessages();
  #connection: MqttConnection | undefined;
  #inbox: Inbox | undefined;

  constructor(settings: Static<typeof config>, context: Context) {
    this.#config = settings;
    this.#context = context;
    this.#decoder = decoderOf(formatNamed(settings.format), context, settings);
  }

  async open(position: Position, output: SourceOutput): Promise<void> {
    if (output.signal.aborted) return;
    const taken = this.#taken.copy();
    for (const raw of output.backlog?.() ?? []) taken.addAll(raw);
    const inbox = new Inbox(this.#config, this.#context, output, position as MqttPosition | null, taken);
    this.#inbox = inbox;
    const connection = this.#connect(inbox, output);
    this.#connection = connection;
    try {
      await connection.open();
      await this.#firstConnect(connection, output);
      await aborted(output.signal);
    } finally {
      await inbox.close();
      await connection.close();
    }
  }

  decode(raw: RawBatch): Output<Data> {
    this.#taken.addAll(raw);
    return this.#decoder.decode(raw);
  }

  snapshot(): State {
    return { decoder: this.#decoder.snapshot(), taken: this.#taken.snapshot() } satisfies MqttState;
  }

  restore(state: State): void {
    const { decoder, taken } = state as MqttState;
    this.#decoder.restore(decoder);
    this.#taken.restore(taken);
  }

  reanchor(): void {
    this.#inbox?.reanchor();
  }

  describe(): Readonly<Record<string, unknown>> {
    return {
      ...this.#connection?.describe(),
      ...this.#inbox?.describe(),
      ...this.#decoder.describe(),
    };
  }

  #connect(inbox: Inbox, output: SourceOutput): MqttConnection {
    const { client_id, topics, qos, session_expiry_ms, max_in_flight } = this.#config;
    const { topology, node } = this.#context;
    return new MqttConnection(this.#config, this.#context, {
      clientId: client_id ?? `csiflow-${topology}-${node}`,
      session: { expirySeconds: Math.ceil(session_expiry_ms / 1000), receiveMaximum: max_in_flight },
      connected: async (connection) => {
        await connection.subscribe(topics, qos === 0 ? 0 : 1);
        inbox.connected = true;
        output.problem?.(null);
      },
      lost: (error) => {
        inbox.connected = false;
        output.problem?.(error.message);
      },
      message: (packet: IPublishPacket, acknowledge) => {
        inbox.receive(packet, acknowledge);
      },
    });
  }

  /** The caller of start receives a rejection; if the broker is offline, start waits. */
  async #firstConnect(connection: MqttConnection, output: SourceOutput): Promise<void> {
    try {
      await connection.ready();
      output.ready?.();
    } catch (error) {
      if (!(error instanceof BrokerError) || (!error.retriable && !output.signal.aborted)) throw error;
    }
  }
}
