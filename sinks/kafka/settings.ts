import { Type, type Static } from 'typebox';
import { choice } from '../../pipeline/component/index.js';
import { checkConnection, connectionFields } from '../../pipeline/kafka/index.js';
import { cloudeventsField } from '../shared/cloud-event.js';
import type { Complaint } from '../../pipeline/component/index.js';

export const settingsSchema = Type.Object(
  {
    ...connectionFields,
    topic: Type.String({
      pattern: '^(?!\\.{1,2}$)[A-Za-z0-9._-]*(\\{port\\}[A-Za-z0-9._-]*)?$',
      'x-expected': 'must be letters, digits and . _ -, with {port} at most once, such as csiflow.{port}',
      minLength: 1,
      maxLength: 240,
      default: 'csiflow.{port}',
      description: 'Topic of the results; `{port}` stands for `pose`, `event` or `measure`. It must exist.',
    }),
    delivery: choice(
      {
        at_least_once:
          'Immediately. After a crash, or while brokers fail, a result may be sent twice, with the same `id`.',
        exactly_once:
          'With the checkpoint, in one transaction: readers of committed messages see each result once.',
      },
      { default: 'at_least_once', description: 'Guarantee in case of a failure.' },
    ),
    compression: choice(
      { none: 'As they are.', gzip: 'GZIP.', snappy: 'Snappy.', lz4: 'LZ4.', zstd: 'Zstandard.' },
      { default: 'none', description: 'Compression of batches.' },
    ),
    cloudevents: cloudeventsField,
    batch_bytes: Type.Integer({
      minimum: 1_024,
      maximum: 64 * 2 ** 20,
      default: 512 * 1024,
      description: 'Approximate size of a batch in bytes; the brokers accept 1 MiB by default.',
    }),
    transactional_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 249,
        description:
          'Name of the transactions of `exactly_once`, unique in the cluster. Default: `csiflow-`, the topology, `-`, the node.',
      }),
    ),
    transaction_timeout_ms: Type.Integer({
      minimum: 1_000,
      maximum: 900_000,
      default: 60_000,
      description: 'The brokers abort a transaction that takes longer; csiflow sends it again.',
    }),
  },
  { additionalProperties: false },
);

export type KafkaSinkSettings = Static<typeof settingsSchema>;

export const checkSettings = (config: KafkaSinkSettings): readonly Complaint[] => checkConnection(config);

export const PORTS = ['pose', 'event', 'measure'] as const;

export const topicOf = (topic: string, port: string): string => topic.replace('{port}', port);
export const topicsOf = (topic: string): readonly string[] => [
  ...new Set(PORTS.map((port) => topicOf(topic, port))),
];
