import { Type } from 'typebox';
import { Check } from 'typebox/value';
import type { CheckedTopology } from '../../../pipeline/config/index.js';
import { EVENT_TYPES, SEVERITIES, type Data } from '../../../pipeline/model/index.js';
import type { Anonymiser } from '../../../pipeline/runtime/privacy/anonymise.js';
import { anonymiserOf } from '../../../pipeline/runtime/privacy/privacy.js';

/**
 * A node's records as shown to people. A sink receives anonymous ones already; inside the process they are as
 * inferred.
 */
export function shownOf(topology: CheckedTopology, node: string): (record: Data) => Data {
  const anonymiser = anonymiserFor(topology, node);
  return anonymiser ? (record) => anonymiser.apply(record) : (record) => record;
}

/**
 * The same for the record of a dead letter, which may be incomplete, or raw input. Null if it is unknown how
 * to anonymise it.
 */
export function shownLetter<L extends { readonly node: string; readonly record: unknown }>(
  topology: CheckedTopology,
  letter: L,
): L {
  const anonymiser = anonymiserFor(topology, letter.node);
  if (!anonymiser) return letter;
  const { record } = letter;
  return { ...letter, record: isWhole(record) ? anonymiser.apply(record) : null };
}

/** Null if a node's records are shown unchanged. */
function anonymiserFor({ nodes, settings }: CheckedTopology, node: string): Anonymiser | null {
  const isSink = nodes.find(({ id }) => id === node)?.component.kind === 'sink';
  return isSink ? null : anonymiserOf(settings);
}

/** An unknown field may contain anything, so there must be none. */
const closed = { additionalProperties: false } as const;
const number = Type.Number();
const text = Type.String();
const PointSchema = Type.Object({ x: number, y: number, z: number }, closed);

const ProvenanceSchema = Type.Object(
  {
    origin: Type.Enum(['live', 'replay', 'simulated']),
    model: Type.Optional(Type.Object({ name: text, version: text, trainedOn: text, accuracy: text }, closed)),
  },
  closed,
);

const TrackSchema = Type.Object(
  {
    id: Type.Integer({ minimum: 0 }),
    state: Type.Enum(['tentative', 'active', 'lost', 'ended']),
    age: number,
    since: number,
    velocity: Type.Object({ x: number, y: number }, closed),
  },
  closed,
);

const PersonSchema = Type.Object(
  {
    confidence: number,
    position: PointSchema,
    positionError: number,
    heading: Type.Union([number, Type.Null()]),
    headingConfidence: number,
    posture: Type.Enum(['upright', 'sitting', 'lying']),
    keypoints: Type.Array(Type.Unknown()),
    articulated: Type.Boolean(),
    track: Type.Union([TrackSchema, Type.Null()]),
  },
  closed,
);

const common = { environment: text, time: number, provenance: ProvenanceSchema };

/** Records whose fields an anonymiser knows completely. */
const WHOLE = Type.Union([
  Type.Object(
    {
      ...common,
      port: Type.Literal('pose'),
      frameId: number,
      windowEnd: number,
      processingMs: number,
      persons: Type.Array(PersonSchema),
      links: number,
      signalQuality: number,
    },
    closed,
  ),
  Type.Object(
    {
      ...common,
      port: Type.Literal('event'),
      id: text,
      type: Type.Enum([...EVENT_TYPES]),
      severity: Type.Enum([...SEVERITIES]),
      confidence: number,
      person: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
      location: Type.Union([PointSchema, Type.Null()]),
      metadata: Type.Record(text, Type.Union([number, text, Type.Boolean()])),
      source: text,
    },
    closed,
  ),
  Type.Object(
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
]);

const isWhole = (record: unknown): record is Data => Check(WHOLE, record);
