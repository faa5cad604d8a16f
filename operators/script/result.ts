import { Type, type Static, type TObject } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import {
  EVENT_TYPES,
  LINK_FAULTS,
  RESULT_PORTS,
  SEVERITIES,
  type Data,
  type ResultPort,
} from '../../pipeline/model/index.js';

type Result = Data<ResultPort>;

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

/** The records that a script may return; numbers that may be unknown are looked at apart. */
const SCHEMAS = {
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

/** Fields that hold NaN where a number is unknown. */
const UNKNOWN: Readonly<Record<ResultPort, string | null>> = {
  pose: 'signalQuality',
  event: null,
  measure: 'value',
};

/** Most records that one record becomes. */
const MAX_RESULTS = 1000;

/** Checks what a script returns. */
export class ResultCheck {
  readonly #validators = new Map<ResultPort, Validator>();
  readonly #gives: readonly ResultPort[] | null;

  /** @param gives ports of its records; null: each has the port of the record that it comes from */
  constructor(gives: readonly ResultPort[] | null) {
    this.#gives = gives;
  }

  /** @throws Error that says what is wrong with which record */
  recordsOf(returned: unknown, from: Result): readonly Result[] {
    if (returned === undefined || returned === null) return [];
    const list: readonly unknown[] = Array.isArray(returned) ? returned : [returned];
    if (list.length > MAX_RESULTS)
      throw new Error(`${list.length} records at once; the limit is ${MAX_RESULTS}`);
    return list.map((record, index) => {
      const fault = this.#faultOf(record, from);
      if (fault === null) return record as Result;
      throw new Error(list.length > 1 ? `record ${index + 1} of ${list.length}: ${fault}` : fault);
    });
  }

  #faultOf(record: unknown, from: Result): string | null {
    if (typeof record !== 'object' || record === null || Array.isArray(record))
      return `it must be a record, not ${named(record)}`;
    const { port } = record as { readonly port?: unknown };
    const known = RESULT_PORTS.find((one) => one === port);
    const allowed = this.#gives ?? [from.port];
    if (!known || !allowed.includes(known)) {
      const hint = known ? `; add it to \`gives\` of the node` : '';
      return `\`port\` must be ${allowed.join(' or ')}, not ${named(port)}${hint}`;
    }
    return this.#faultOfShape(known, record) ?? faultOfOrigin(record as Result, from);
  }

  #faultOfShape(port: ResultPort, record: object): string | null {
    const unknown = UNKNOWN[port];
    const checked =
      unknown !== null && Number.isNaN(Reflect.get(record, unknown)) ? { ...record, [unknown]: 0 } : record;
    let validator = this.#validators.get(port);
    if (!validator) this.#validators.set(port, (validator = Compile(SCHEMAS[port] as TObject)));
    if (validator.Check(checked)) return null;
    const [error] = validator.Errors(checked);
    if (!error) return 'it is not a record';
    // A closed object has the schema `false` for other fields.
    const why = error.keyword === 'boolean' ? 'is not a field of these records' : error.message;
    return `\`${pathOf(error.instancePath) || port}\` ${why}`;
  }
}

/** Records downstream are in the order of event time, and show where they come from. */
function faultOfOrigin(record: Result, from: Result): string | null {
  if (record.time !== from.time)
    return `\`time\` must be that of the record that it comes from, ${from.time}`;
  if (record.environment !== from.environment) return `\`environment\` must be \`${from.environment}\``;
  const { origin } = from.provenance;
  return record.provenance.origin === origin ? null : `\`provenance.origin\` must be \`${origin}\``;
}

/** A value in an error. */
const named = (value: unknown): string => (value === undefined ? 'undefined' : JSON.stringify(value));

/** `/persons/0/confidence` as `persons[0].confidence`. */
const pathOf = (pointer: string): string =>
  pointer
    .slice(1)
    .replaceAll(/\/(\d+)(?=\/|$)/g, '[$1]')
    .replaceAll('/', '.');

/** Does not compile if a schema and the type of its records differ. */
type Fits<A extends B, B> = A;
export type CheckedPose = Fits<Static<typeof SCHEMAS.pose>, Data<'pose'>>;
export type CheckedEvent = Fits<Static<typeof SCHEMAS.event>, Data<'event'>>;
export type CheckedMeasure = Fits<Static<typeof SCHEMAS.measure>, Data<'measure'>>;
