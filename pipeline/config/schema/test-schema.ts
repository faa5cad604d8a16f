import { Type, type Static } from 'typebox';
import { choice } from '../../component/index.js';
import { EVENT_TYPES, SEVERITIES } from '../../model/index.js';
import type { Pattern } from './pattern.js';

/**
 * The input of `csiflow test`: the `tests` of a topology's file, or of a `NAME.test.yaml` beside it. Fields
 * within a union have no defaults here: ajv would not fill them in.
 */

const closed = { additionalProperties: false } as const;

const PatternSchema = (description: string) =>
  Type.Unsafe<Pattern>(Type.Object({}, { additionalProperties: true, minProperties: 1, description }));

const At = (description = 'Event time, milliseconds after the start of the input.') =>
  Type.Number({ minimum: 0, maximum: 1e10, description });

const EventSchema = Type.Object(
  {
    type: Type.Enum([...EVENT_TYPES], { type: 'string', description: 'The type of event.' }),
    severity: Type.Optional(Type.Enum([...SEVERITIES], { type: 'string', description: 'Default: medium.' })),
    environment: Type.Optional(Type.String({ description: 'Default: the first of the topology.' })),
    confidence: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: '0 to 1; default: 1.' })),
    person: Type.Optional(Type.Integer({ description: 'Number of the track; default: of nobody.' })),
    metadata: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.Number(), Type.String(), Type.Boolean()]), {
        description: 'Further facts; default: none.',
      }),
    ),
    source: Type.Optional(Type.String({ description: 'Who says so; default: csiflow.' })),
  },
  { ...closed, description: 'An event.' },
);

const MeasureSchema = Type.Object(
  {
    name: Type.String({ minLength: 1, description: 'snake_case, with its unit.' }),
    value: Type.Number({ description: 'The number.' }),
    subject: Type.Optional(Type.String({ description: 'Link, zone or person that it is about.' })),
    environment: Type.Optional(Type.String({ description: 'Default: the first of the topology.' })),
    source: Type.Optional(Type.String({ description: 'The origin. Default: csiflow.' })),
  },
  { ...closed, description: 'A measure.' },
);

const InlineRecordSchema = Type.Object(
  {
    at_ms: At(),
    hex: Type.Optional(
      Type.String({
        pattern: '^([0-9a-fA-F]{2}\\s*)+$',
        description: 'An undecoded record, which the source decodes as if it had arrived.',
      }),
    ),
    text: Type.Optional(Type.String({ description: 'The same as text.' })),
    sender: Type.Optional(Type.String({ description: 'Address of the sender: `192.168.1.20:5005`.' })),
    event: Type.Optional(EventSchema),
    measure: Type.Optional(MeasureSchema),
  },
  { ...closed, description: 'One record: `hex`, `text`, `event` or `measure`.' },
);

const InputSchema = Type.Union(
  [
    Type.String({ minLength: 1, description: 'A capture.' }),
    Type.Array(InlineRecordSchema, { maxItems: 10_000, description: 'Records, in the order of their time.' }),
    Type.Object(
      { type: Type.String({ description: 'A replayable source: simulator, file.' }) },
      { additionalProperties: true, description: 'Another source with its fields: a simulated scene.' },
    ),
  ],
  { description: 'The replacement of the source.' },
);

const FaultsSchema = Type.Object(
  {
    refuse: Type.Optional(PatternSchema('Matching records are rejected.')),
    refuse_times: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
      default: null,
      description: 'How often each of them is rejected before it is accepted; null: always.',
    }),
    retriable: Type.Boolean({
      default: false,
      description: 'Whether the sink reports that a retry of rejected records can succeed.',
    }),
    fail_writes: Type.Integer({ minimum: 0, default: 0, description: 'The first writes fail as a whole.' }),
    hang_writes: Type.Integer({
      minimum: 0,
      default: 0,
      description: 'The first writes are never answered.',
    }),
    away_from_ms: Type.Optional(
      At('The sink does not answer from here on: event time, milliseconds after the start of the input.'),
    ),
    away_for_ms: Type.Union([Type.Number({ exclusiveMinimum: 0 }), Type.Null()], {
      default: null,
      description: 'The duration; null: to the end.',
    }),
  },
  { ...closed, description: 'The faults of a sink; everything else succeeds.' },
);

const AfterSchema = Type.Object(
  {
    at_ms: Type.Optional(At()),
    source: Type.Optional(
      Type.String({ description: 'A source whose input is a simulated scene, with `activity`.' }),
    ),
    activity: Type.Optional(
      Type.String({ description: 'The first time that this activity begins in the scene.' }),
    ),
    person: Type.Integer({ minimum: 0, default: 0, description: 'The person in the scene, counted from 0.' }),
    from: Type.Optional(Type.String({ description: 'A node, with `contains`.' })),
    contains: Type.Optional(PatternSchema('The first record of that node that matches.')),
  },
  {
    ...closed,
    description: 'Where `within_ms` counts from: `at_ms`, an activity of the scene, or a record.',
  },
);

const ExpectationSchema = Type.Object(
  {
    from: Type.Optional(
      Type.String({ description: 'The output of the node with this id; for a sink, its input.' }),
    ),
    dead_letters_of: Type.Optional(Type.String({ description: 'The dead letters of the node.' })),
    outbox_of: Type.Optional(
      Type.String({ description: 'What the sink has not delivered when the test ends.' }),
    ),
    figures_of: Type.Optional(
      Type.String({ description: 'One record: received, sent, failed and dropped of the node.' }),
    ),
    state: Type.Optional(
      choice(
        { running: 'Everything works.', degraded: 'There is a problem.', failed: 'It has ended.' },
        { description: 'State of the topology when the test ends.' },
      ),
    ),
    has_been: Type.Optional(
      choice(
        { running: 'Everything worked.', degraded: 'There was a problem.', restarting: 'It recovered.' },
        { description: 'A state that the topology had during the test.' },
      ),
    ),
    matching: Type.Optional(PatternSchema('Only matching records are considered.')),
    contains: Type.Optional(PatternSchema('At least one record matches.')),
    none: Type.Optional(PatternSchema('No record matches.')),
    every: Type.Optional(PatternSchema('There are records, and all match.')),
    in_order: Type.Optional(
      Type.Array(PatternSchema('A record.'), {
        minItems: 1,
        description: 'There are records that match these, in this order; others may be in between.',
      }),
    ),
    count: Type.Optional(
      Type.Union(
        [
          Type.Integer({ minimum: 0 }),
          Type.Object(
            {
              at_least: Type.Optional(Type.Integer({ minimum: 1, description: 'This many or more.' })),
              at_most: Type.Optional(Type.Integer({ minimum: 0, description: 'This many or fewer.' })),
            },
            { ...closed, minProperties: 1 },
          ),
        ],
        { description: 'How many records there are.' },
      ),
    ),
    within_ms: Type.Optional(
      Type.Number({
        minimum: 0,
        description:
          'With `contains`: the record follows `after` (default: its own time) within this time, measured by the input read until then.',
      }),
    ),
    after: Type.Optional(AfterSchema),
  },
  { ...closed, description: 'One condition that must hold.' },
);

const TestSchema = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200, description: 'The name of the test.' }),
    input: Type.Record(Type.String(), InputSchema, {
      default: {},
      description: 'The replacement of each source, by its id; sources that are not named output nothing.',
    }),
    sinks: Type.Record(Type.String(), FaultsSchema, {
      default: {},
      description:
        'The faults of each sink, by its id. In a test no sink reaches anything: each is replaced.',
    }),
    run_on_ms: Type.Number({
      minimum: 0,
      maximum: 86_400_000,
      default: 60_000,
      description: 'How long a sink may retry after the end of the input, in simulated time.',
    }),
    expect: Type.Array(ExpectationSchema, { minItems: 1, description: 'The conditions that must hold.' }),
  },
  closed,
);

export const TestsSchema = Type.Array(TestSchema, {
  maxItems: 1000,
  description: 'Checks of this topology, for `csiflow test`.',
});

/** A separate file: `NAME.test.yaml` beside `NAME.yaml`. */
export const TestFileSchema = Type.Object(
  {
    topology: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'The topology, relative to this file. Default: `NAME.yaml`.',
      }),
    ),
    tests: TestsSchema,
  },
  { ...closed, title: 'Tests of a topology' },
);

export type WrittenTest = Static<typeof TestSchema>;
export type WrittenExpectation = Static<typeof ExpectationSchema>;
export type InlineRecord = Static<typeof InlineRecordSchema>;
export type WrittenFaults = Static<typeof FaultsSchema>;
export type WrittenAfter = Static<typeof AfterSchema>;
