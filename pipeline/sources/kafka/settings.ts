import { Type, type Static } from 'typebox';
import { choice, type Complaint, required } from '../../component/index.js';
import { FORMAT_OPTIONS, MESSAGE_CHOICES } from '../../formats/index.js';
import { checkConnection, connectionFields, TOPIC_PATTERN } from '../../kafka/index.js';

export const settingsSchema = Type.Object(
  {
    ...connectionFields,
    topics: required(
      Type.Array(Type.String({ pattern: TOPIC_PATTERN }), {
        minItems: 1,
        maxItems: 64,
        uniqueItems: true,
        description: 'Topics to read. Their messages have the id of the environment as their key.',
      }),
    ),
    group: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 249,
        description:
          'Consumer group: its members share the partitions. Default: `csiflow-` and the id of the topology.',
      }),
    ),
    content: choice(
      {
        record: 'One raw record a message: a datagram, a line, a JSON frame; or several as lines of text.',
        capture:
          "Several records a message, each with its time and sender: a capture of csiflow, or a capture's records alone.",
      },
      { default: 'record', description: 'What a message holds.' },
    ),
    format: choice<string>(MESSAGE_CHOICES, {
      default: 'auto',
      description: 'What the records are.',
    }),
    ...FORMAT_OPTIONS,
    origin: choice(
      {
        live: 'From radios, as they arrive.',
        replay: 'Recordings.',
        simulated: 'Made by a simulator.',
      },
      {
        default: 'live',
        description: 'Origin of records whose messages have no header `csiflow-origin`.',
      },
    ),
    start: choice(
      {
        earliest: 'With the oldest message that the broker still has.',
        latest: 'With new messages only.',
      },
      {
        default: 'earliest',
        description: 'Start of a partition without a position in a checkpoint or in the group.',
      },
    ),
    batch_records: Type.Integer({
      minimum: 1,
      maximum: 4096,
      default: 256,
      description: 'Limit of records per batch. Affects only the speed, never the results.',
    }),
    merge_wait_ms: Type.Integer({
      minimum: 0,
      maximum: 60_000,
      default: 1000,
      description:
        'Partitions are merged by time; limit of the wait for one whose messages have not arrived yet.',
    }),
    max_lag: Type.Integer({
      minimum: 1,
      maximum: 1_000_000_000,
      default: 100_000,
      description:
        'Messages of a partition that may wait in Kafka before the node is degraded. Nothing is dropped.',
    }),
    session_timeout_ms: Type.Integer({
      minimum: 1000,
      maximum: 1_800_000,
      default: 30_000,
      description: 'A member counts as dead after this silence. By default the brokers allow 6 s to 30 min.',
    }),
    fetch_wait_ms: Type.Integer({
      minimum: 5,
      maximum: 10_000,
      default: 200,
      description: 'How long a broker may delay an answer while there is nothing new.',
    }),
  },
  { additionalProperties: false },
);

export type KafkaSettings = Static<typeof settingsSchema>;

export const checkSettings = (config: KafkaSettings): readonly Complaint[] => [
  ...checkConnection(config),
  ...(config.format === 'results' && config.content === 'capture'
    ? [{ path: ['content'], message: 'a result is one message: `content` must be `record`' }]
    : []),
  ...(config.fetch_wait_ms * 3 > config.session_timeout_ms
    ? [
        {
          path: ['fetch_wait_ms'],
          message: `an idle member sends a heartbeat every ${config.fetch_wait_ms} ms: make that a third of session_timeout_ms (${config.session_timeout_ms}) at most`,
        },
      ]
    : []),
];
