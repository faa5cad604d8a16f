import { Type, type Static } from 'typebox';
import type { Data } from './ports.js';
import { EVENT_TYPES, LINK_FAULTS, SEVERITIES } from './records.js';

const closed = { additionalProperties: false } as const;
const number = Type.Number();
const share = Type.Number({ minimum: 0, maximum: 1 });
const text = Type.String({ minLength: 1 });
const whole = Type.Integer({ minimum: 0 });

const PointSchema = Type.Object({ x: number, y: number, z: number }, closed);

const ProvenanceSchema = Type.Object(
  {
    origin: Type.Enum(['live', 'replay', 'simulated']),
    model: Type.Optional(
      Type.Object({ name: text, version: text, trainedOn: Type.String(), accuracy: Type.String() }, closed),
    ),
  },
  closed,
);

const common = { environment: text, time: number, provenance: ProvenanceSchema };

const TrackSchema = Type.Object(
  {
    id: whole,
    state: Type.Enum(['tentative', 'active', 'lost', 'ended']),
    age: whole,
    since: number,
    velocity: Type.Object({ x: number, y: number }, closed),
  },
  closed,
);

const PersonSchema = Type.Object(
  {
    confidence: share,
    position: PointSchema,
    positionError: Type.Number({ minimum: 0 }),
    heading: Type.Union([number, Type.Null()]),
    headingConfidence: share,
    posture: Type.Enum(['upright', 'sitting', 'lying']),
    keypoints: Type.Array(Type.Object({ x: number, y: number, z: number, error: number }, closed), {
      minItems: 17,
      maxItems: 17,
    }),
    articulated: Type.Boolean(),
    track: Type.Union([TrackSchema, Type.Null()]),
  },
  closed,
);

/** All fields of the records, for those that come from elsewhere. NaN, which means unknown, is no number here. */
export const RECORD_SCHEMAS = {
  pose: Type.Object(
    {
      ...common,
      port: Type.Literal('pose'),
      frameId: whole,
      windowEnd: number,
      processingMs: number,
      persons: Type.Array(PersonSchema, { maxItems: 100 }),
      counts: Type.Optional(Type.Array(share)),
      links: whole,
      leftOut: Type.Optional(
        Type.Array(Type.Object({ link: text, fault: Type.Enum([...LINK_FAULTS]) }, closed)),
      ),
      signalQuality: number,
    },
    closed,
  ),
  event: Type.Object(
    {
      ...common,
      port: Type.Literal('event'),
      id: text,
      type: Type.Enum([...EVENT_TYPES]),
      severity: Type.Enum([...SEVERITIES]),
      confidence: share,
      person: Type.Union([whole, Type.Null()]),
      location: Type.Union([PointSchema, Type.Null()]),
      metadata: Type.Record(Type.String(), Type.Union([number, Type.String(), Type.Boolean()])),
      source: text,
    },
    closed,
  ),
  measure: Type.Object(
    {
      ...common,
      port: Type.Literal('measure'),
      name: text,
      subject: Type.Union([text, Type.Null()]),
      value: number,
      source: text,
    },
    closed,
  ),
} as const;

/** Does not compile if a schema and the type of its records differ. */
type Fits<A extends B, B> = A;
export type CheckedPose = Fits<Static<typeof RECORD_SCHEMAS.pose>, Data<'pose'>>;
export type CheckedEvent = Fits<Static<typeof RECORD_SCHEMAS.event>, Data<'event'>>;
export type CheckedMeasure = Fits<Static<typeof RECORD_SCHEMAS.measure>, Data<'measure'>>;
