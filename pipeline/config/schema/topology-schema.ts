import { Type } from 'typebox';
import { ADDRESS, choice } from '../../component/index.js';
import { DEFAULT_DOMAIN, DOMAINS, type Domain } from '../../model/index.js';
import { TestsSchema } from './test-schema.js';
import {
  DEFAULT_CLOCK_JUMP_MS,
  DEFAULT_LATE_AFTER_MS,
  DEFAULT_MAX_LAG_MS,
  type QueueSettings,
} from '../topology/topology.js';

/** Fields of a topology file outside components. */

export const ID_PATTERN = '^[A-Za-z][A-Za-z0-9_-]{0,63}$';

const PrivacySchema = Type.Object(
  {
    data_retention_days: Type.Union([Type.Number({ minimum: 0.042, maximum: 36_500 }), Type.Null()], {
      default: null,
      description:
        'Stores delete data older than this, by event time; so do dead letters and outboxes. Null: nothing is deleted.',
    }),
    anonymize_data: Type.Boolean({
      default: false,
      description:
        'Stored and sent data has pseudonyms in place of the numbers of persons, no skeletons, and positions on a grid of half a metre.',
    }),
    enable_encryption: Type.Boolean({
      default: false,
      description:
        'DuckDB stores and the state folder are encrypted on disk. After a change, the next start rewrites existing data.',
    }),
    key: Type.Optional(
      Type.String({
        minLength: 32,
        maxLength: 1024,
        description:
          'Secret from which pseudonyms and encryption keys are derived: `${secret:privacy_key}`. Default: created at the first start, in the file `privacy.key` of the state folder.',
      }),
    ),
  },
  {
    additionalProperties: false,
    description: 'How, and for how long, findings about people are stored. See docs/privacy.md.',
  },
);

export const SettingsSchema = Type.Object(
  {
    checkpoint_interval_ms: Type.Integer({
      default: 1000,
      minimum: 50,
      maximum: 3_600_000,
      description: 'Interval between checkpoints. After a crash at most this much input is read again.',
    }),
    journal: Type.Boolean({
      default: true,
      description: 'Store the raw input of live sources on disk until a checkpoint covers it.',
    }),
    degraded_after_failures: Type.Integer({
      default: 10,
      minimum: 1,
      maximum: 1_000_000,
      description: 'Consecutive failed records of a node after which the topology is `degraded`.',
    }),
    stop_after_failures: Type.Union([Type.Integer({ minimum: 1, maximum: 1_000_000 }), Type.Null()], {
      default: null,
      description: 'Consecutive failed records of a node after which the topology stops; null: never.',
    }),
    late_after_ms: Type.Integer({
      default: DEFAULT_LATE_AFTER_MS,
      minimum: 1000,
      maximum: 3_600_000,
      description:
        'A live topology is `degraded` when its newest results are older than this, or when a node holds back one input for another for this long. Must exceed the length of the longest window.',
    }),
    max_lag_ms: Type.Union([Type.Integer({ minimum: 200, maximum: 3_600_000 }), Type.Null()], {
      default: DEFAULT_MAX_LAG_MS,
      description:
        'How old results of live input (`udp`, `mqtt`) may become under overload. Windows that would be older are shed in front of an asynchronous operator such as `infer-pose`. Null: nothing is shed, and results may become older.',
    }),
    clock_jump_ms: Type.Integer({
      default: DEFAULT_CLOCK_JUMP_MS,
      minimum: 100,
      maximum: 3_600_000,
      description:
        "Difference between the system's clock and arrival times above which event time jumps to the corrected clock. Smaller differences are corrected by running up to 1 % faster or slower.",
    }),
    state_folder: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description:
          "Folder of journal, checkpoints and dead letters, relative to the topology's file. Default: `data/ID.state`.",
      }),
    ),
    accounts_folder: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description:
          "Folder of users, API keys, logins and signing keys, relative to the topology's file; several processes can share it. Read at startup. Default: the state folder.",
      }),
    ),
    advertised_address: Type.Optional(
      Type.String({
        pattern: ADDRESS.source,
        maxLength: 256,
        description:
          'URL that clients reach this process by, such as `http://ward-2:8000`. With `scale_out`, other processes refer clients to it for rooms that this process reads.',
      }),
    ),
    outbox_limit_bytes: Type.Integer({
      default: 2 ** 30,
      minimum: 2 ** 16,
      maximum: 2 ** 40,
      description:
        'Size limit of the records that wait for a sink on disk while its store is offline or slow. Beyond it, the oldest records of live sources are dropped and counted as `outbox_full`; other sources wait. Records that the store has accepted stay until a checkpoint deletes them, and may take as much space again.',
    }),
    seed: Type.Integer({
      default: 1,
      minimum: 0,
      maximum: 2 ** 31 - 1,
      description: 'Seeds the random numbers of every node: the same seed and input produce the same output.',
    }),
    privacy: Type.Optional(PrivacySchema),
    domain: choice<Domain>(DOMAINS, {
      default: DEFAULT_DOMAIN,
      description: 'What the deployment is for: it decides what alerts ask people to do.',
    }),
    scale_out: Type.Boolean({
      default: false,
      description:
        'Several processes run this topology and share the partitions of its source; checkpoints are stored beside the input, so each can continue the partitions of another. See docs/scale-out.md.',
    }),
    threads: Type.Integer({
      default: 0,
      minimum: 0,
      maximum: 64,
      description:
        'Threads for the signal processing behind the sources, so that it does not hold up the rest. 0: all of it runs on the main thread, which costs least at low frame rates. See docs/performance/threads.md.',
    }),
  },
  { additionalProperties: false, description: 'How the topology runs.' },
);

/** @param replayable of the source: replayable input waits, other input is dropped. */
export const queueSchema = (replayable: boolean) => (replayable ? replayableQueue : liveQueue);

const makeQueue = (policy: QueueSettings['policy']) =>
  Type.Object(
    {
      capacity: Type.Integer({
        default: 256,
        minimum: 1,
        maximum: 65_536,
        description: 'Number of batches that may wait for the pump; a batch has at most 64 frames.',
      }),
      policy: choice(
        {
          block:
            'The source waits; input that arrives at a live source meanwhile is lost in the operating system.',
          drop_oldest: 'The oldest batch is dropped and counted.',
          drop_newest: 'The new batch is dropped and counted.',
        },
        { default: policy, description: 'What happens when the queue is full.' },
      ),
      max_age_ms: Type.Union([Type.Number({ minimum: 1, maximum: 86_400_000 }), Type.Null()], {
        default: null,
        description:
          'Frames older than this when the pump takes them are dropped and counted. Null: for live sources, the limit of `settings.max_lag_ms`.',
      }),
    },
    { additionalProperties: false, description: 'The bounded queue between the source and the pump.' },
  );

const replayableQueue = makeQueue('block');
const liveQueue = makeQueue('drop_oldest');

const Section = (description: string) => Type.Object({}, { additionalProperties: true, description });

/** The file without its nodes, which the schemas of their components check. */
export const OutlineSchema = Type.Object(
  {
    id: Type.String({
      pattern: ID_PATTERN,
      description: 'Name of the topology: a label of metrics and a part of paths.',
    }),
    environment: Type.Optional(
      Type.String({ minLength: 1, description: 'File of the environment, relative to this file.' }),
    ),
    environments: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        maxItems: 1024,
        uniqueItems: true,
        description: 'Files of several environments, relative to this file.',
      }),
    ),
    sources: Section('The sources of data: a map of node ids.'),
    operators: Type.Optional(Section('The processing steps: a map of node ids.')),
    sinks: Type.Optional(Section('The destinations of results: a map of node ids.')),
    settings: Type.Optional(SettingsSchema),
    tests: Type.Optional(TestsSchema),
  },
  { additionalProperties: false, title: 'Topology' },
);

export const FromSchema = Type.Union(
  [Type.String({ minLength: 1 }), Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: 256 })],
  { description: 'Id of the node to read from, or a list of ids.' },
);

export const EnabledSchema = Type.Boolean({
  description:
    'Default: true. If false, an operator only passes on records of its own output ports, and a sink accepts nothing. Can be switched while running.',
});
