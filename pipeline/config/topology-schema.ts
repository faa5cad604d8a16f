import { Type } from 'typebox';
import { ADDRESS, choice } from '../component/index.js';
import { DEFAULT_DOMAIN, DOMAINS, type Domain } from '../model/index.js';
import { TestsSchema } from './test-schema.js';
import {
  DEFAULT_CLOCK_JUMP_MS,
  DEFAULT_LATE_AFTER_MS,
  DEFAULT_MAX_LAG_MS,
  type QueueSettings,
} from './topology.js';

/** Fields of a topology's file that belong to no component. */

export const ID_PATTERN = '^[A-Za-z][A-Za-z0-9_-]{0,63}$';

export const PrivacySchema = Type.Object(
  {
    data_retention_days: Type.Union([Type.Number({ minimum: 0.042, maximum: 36_500 }), Type.Null()], {
      default: null,
      description:
        'Stores delete what is older, by event time; dead letters go too. Null: nothing is deleted.',
    }),
    anonymize_data: Type.Boolean({
      default: false,
      description:
        'What is stored or sent away has pseudonyms in the place of the numbers of persons, no skeletons, and positions on a grid of half a metre.',
    }),
    enable_encryption: Type.Boolean({
      default: false,
      description:
        'DuckDB stores and the state folder are encrypted on disk. Where it is changed, the next start writes anew what lies there.',
    }),
    key: Type.Optional(
      Type.String({
        minLength: 32,
        maxLength: 1024,
        description:
          'Secret that pseudonyms and encryption come from: `${secret:privacy_key}`. Default: made at the first start, in the file `privacy.key` of the state folder.',
      }),
    ),
  },
  {
    additionalProperties: false,
    description: 'How long and how what was found out about people is stored. See docs/privacy.md.',
  },
);

export const SettingsSchema = Type.Object(
  {
    checkpoint_interval_ms: Type.Integer({
      default: 1000,
      minimum: 50,
      maximum: 3_600_000,
      description: 'Time between two checkpoints. After a crash at most this much input is read again.',
    }),
    journal: Type.Boolean({
      default: true,
      description: 'Store the raw input of live sources on disk until a checkpoint covers it.',
    }),
    degraded_after_failures: Type.Integer({
      default: 10,
      minimum: 1,
      maximum: 1_000_000,
      description: 'Failed records in a row of one node until the topology is `degraded`.',
    }),
    stop_after_failures: Type.Union([Type.Integer({ minimum: 1, maximum: 1_000_000 }), Type.Null()], {
      default: null,
      description: 'Failed records in a row of one node until the topology stops; null: never.',
    }),
    late_after_ms: Type.Integer({
      default: DEFAULT_LATE_AFTER_MS,
      minimum: 1000,
      maximum: 3_600_000,
      description:
        'Age of the newest results from which on a live topology is `degraded`, and time for which a node may hold one input back for another. Must exceed the length of the longest window.',
    }),
    max_lag_ms: Type.Union([Type.Integer({ minimum: 200, maximum: 3_600_000 }), Type.Null()], {
      default: DEFAULT_MAX_LAG_MS,
      description:
        'How old results of input that cannot be read again (`udp`, `mqtt`) may become under overload. Windows that would be older are shed in front of an asynchronous operator such as `infer-pose`. Null: nothing is shed, and results may become older.',
    }),
    clock_jump_ms: Type.Integer({
      default: DEFAULT_CLOCK_JUMP_MS,
      minimum: 100,
      maximum: 3_600_000,
      description:
        "Difference between the system's clock and the times of arrival from which on event time jumps to the corrected clock; smaller ones are made good by running up to 1 % faster or slower.",
    }),
    state_folder: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description:
          "Where journal, checkpoints and dead letters lie, relative to the topology's file. Default: `data/ID.state`.",
      }),
    ),
    accounts_folder: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description:
          "Where users, API keys, logins and signing keys lie, relative to the topology's file; several processes can share it. Read at the start. Default: the state folder.",
      }),
    ),
    advertised_address: Type.Optional(
      Type.String({
        pattern: ADDRESS.source,
        maxLength: 256,
        description:
          'URL that clients reach this process by, such as `http://ward-2:8000`. With `scale_out`, other processes name it to clients that ask them for a room that is read here.',
      }),
    ),
    outbox_limit_bytes: Type.Integer({
      default: 2 ** 30,
      minimum: 2 ** 16,
      maximum: 2 ** 40,
      description:
        'What the outbox of a sink may take on disk while its store is away or slow. Behind live sources the oldest records make room and are counted as `outbox_full`; else the sources wait.',
    }),
    seed: Type.Integer({
      default: 1,
      minimum: 0,
      maximum: 2 ** 31 - 1,
      description: 'Seeds the chance of every node: the same seed and input give the same output.',
    }),
    privacy: Type.Optional(PrivacySchema),
    domain: choice<Domain>(DOMAINS, {
      default: DEFAULT_DOMAIN,
      description: 'What the deployment is for: it decides what people are asked to do about an alert.',
    }),
    scale_out: Type.Boolean({
      default: false,
      description:
        'Several processes run this topology and share the partitions of its source; checkpoints lie beside the input, so each can go on with the partitions of another. See docs/scale-out.md.',
    }),
  },
  { additionalProperties: false, description: 'How the topology runs.' },
);

/** @param replayable of the source: what can be read again waits, what cannot makes room. */
export const queueSchema = (replayable: boolean) => (replayable ? replayableQueue : liveQueue);

const makeQueue = (policy: QueueSettings['policy']) =>
  Type.Object(
    {
      capacity: Type.Integer({
        default: 256,
        minimum: 1,
        maximum: 65_536,
        description: 'Batches that wait for the pump; a batch has 64 frames at most.',
      }),
      policy: choice(
        {
          block: 'The source waits; what arrives at a live source meanwhile is lost in the system.',
          drop_oldest: 'The oldest batch makes room and is counted as dropped.',
          drop_newest: 'The new batch is dropped and counted.',
        },
        { default: policy, description: 'What happens when the queue is full.' },
      ),
      max_age_ms: Type.Union([Type.Number({ minimum: 1, maximum: 86_400_000 }), Type.Null()], {
        default: null,
        description:
          'Frames older than this when the pump takes them are dropped and counted. Null: what `settings.max_lag_ms` says, behind a live source.',
      }),
    },
    { additionalProperties: false, description: 'The bounded queue between the source and the pump.' },
  );

const replayableQueue = makeQueue('block');
const liveQueue = makeQueue('drop_oldest');

const Section = (description: string) => Type.Object({}, { additionalProperties: true, description });

/** The file without its nodes, which are checked by their components' schemas. */
export const FrameSchema = Type.Object(
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
    sources: Section('Where data comes from: a map of node ids.'),
    operators: Type.Optional(Section('What is done with it: a map of node ids.')),
    sinks: Type.Optional(Section('Where results go: a map of node ids.')),
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
    'Default: true. Off: an operator does nothing and passes on records of the ports that it gives itself; a sink takes nothing. Can be switched while it runs.',
});
