import type { Data, Measure, Person, PoseFrame, SensedEvent } from '../../../pipeline/model/index.js';
import type { Cell, Column, Encoding, Table } from '../columns.js';
import { TABLES } from '../tables.js';
import type { TagValues } from './tags.js';
import { errorText } from '../../../pipeline/base/error-text.js';

/**
 * Converts records to points, and keeps the points of different records distinct. InfluxDB identifies points
 * by measurement, tags and nanosecond alone. Times are whole microseconds, so their last three digits are
 * free: they number the records of the same microsecond, by rules that give a record the same point each
 * time. docs/influxdb.md describes the measurements for analysts.
 */
export interface Point {
  readonly measurement: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, Literal>>;
  /** Nanoseconds since 1970. */
  readonly timestamp: string;
}

/** Identifies a point among others. */
export const pointKey = ({ measurement, tags, timestamp }: Point): string =>
  `${timestamp} ${measurement} ${Object.entries(tags).join(' ')}`;

/** A field's value in the line protocol's own text: the client's conversion turns integers into floats, -0 into 0 and `\'` into `\\'`. */
export class Literal {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** Limit of distinct pose frames in one microsecond, by their number modulo this. */
export const POSE_FRAMES_OF_AN_INSTANT = 16;
/** Persons of a pose frame: 16 pose frames of 62 persons each fill the thousand nanoseconds of a microsecond. */
const MAX_PERSONS = 62;
/** Values of the tag `slot`, in which persons take turns by their number. */
const SLOTS = 16;
/** The last microsecond whose nanoseconds fit 63 bits: the year 2262. */
export const LAST_TIME = 9_223_372_036_854_774;

/** Tag `name` of the points of `occupancy` that stand for a whole pose frame. */
export const POSE_FRAME = 'frame';

/** The fields of each kind of row: the columns of the other stores, without tags, time and epoch. */
export const FIELDS = {
  poseFrame: fieldsOf(TABLES.poses, ['origin']),
  person: fieldsOf(TABLES.persons, []),
  event: fieldsOf(TABLES.events, ['type', 'severity', 'source', 'origin']),
  measure: fieldsOf(TABLES.measures, ['name', 'subject', 'source', 'origin']),
} as const;

/** Fields of `track`: the position of a tracked person, without the skeleton. */
export const TRACK_FIELDS = FIELDS.person.filter(({ name }) =>
  /^(frame_id|confidence|x|y|posture|track_|velocity_)/.test(name),
);

/** @throws Error naming the value that InfluxDB could not return exactly; the record then has no points */
export function pointsOf(record: Data, tags: TagValues): readonly Point[] {
  switch (record.port) {
    case 'pose':
      return poseFramePoints(record, tags);
    case 'event':
      return [eventPoint(record, tags)];
    case 'measure':
      return [measurePoint(record, tags)];
    default:
      throw new RangeError(`a store of results accepts no ${record.port} records`);
  }
}

function poseFramePoints(poseFrame: PoseFrame, tags: TagValues): Point[] {
  const { persons } = poseFrame;
  if (persons.length > MAX_PERSONS)
    throw new RangeError(
      `the pose frame contains ${persons.length} persons; at most ${MAX_PERSONS} are supported`,
    );
  const environment = tags.admit('environment', poseFrame.environment);
  const { origin } = poseFrame.provenance;
  const first = (poseFrame.frameId % POSE_FRAMES_OF_AN_INSTANT) * MAX_PERSONS;
  const points: Point[] = [
    {
      measurement: 'occupancy',
      tags: { environment, name: POSE_FRAME, origin },
      fields: {
        ...literals('occupancy', FIELDS.poseFrame, poseFrame),
        people: new Literal(`${peopleIn(poseFrame)}i`),
      },
      timestamp: nanoseconds(poseFrame.time, first),
    },
  ];
  persons.forEach((person, index) => {
    const row = { poseFrame, person, index };
    const timestamp = nanoseconds(poseFrame.time, first + index);
    points.push({
      measurement: 'pose',
      tags: { environment, origin },
      fields: literals('pose', FIELDS.person, row),
      timestamp,
    });
    if (person.track)
      points.push({
        measurement: 'track',
        tags: { environment, slot: String(person.track.id % SLOTS), origin },
        fields: { ...literals('track', TRACK_FIELDS, row), speed: speedOf(person) },
        timestamp,
      });
  });
  return points;
}

/** Persons in view: tentative, lost and ended tracks do not count. Without a tracker, all persons. */
const peopleIn = ({ persons }: PoseFrame): number =>
  persons.filter(({ track }) => track === null || track.state === 'active').length;

function speedOf({ track }: Person): Literal {
  const { x, y } = track!.velocity;
  return new Literal(String(Math.round(Math.hypot(x, y) * 1_000) / 1_000));
}

/**
 * Events of one kind in one microsecond: those of different persons differ by slot or nanosecond, others by a
 * hash of their id. {@link pointKey} detects remaining collisions.
 */
function eventPoint(event: SensedEvent, tags: TagValues): Point {
  const hash = hashOf(event.id);
  return {
    measurement: 'event',
    tags: {
      environment: tags.admit('environment', event.environment),
      type: tags.admit('type', event.type),
      severity: event.severity,
      source: tags.admit('source', event.source),
      origin: event.provenance.origin,
      slot: String((event.person ?? hash >>> 16) % SLOTS),
    },
    fields: literals('event', FIELDS.event, { ...event, metadata: cleanedMetadata(event.metadata) }),
    timestamp: nanoseconds(event.time, hash % 1_000),
  };
}

function measurePoint(measure: Measure, tags: TagValues): Point {
  const person = personNumber(measure.subject);
  return {
    measurement: measurementOf(measure.name),
    tags: {
      environment: tags.admit('environment', measure.environment),
      name: tags.admit('name', measure.name),
      source: tags.admit('source', measure.source),
      origin: measure.provenance.origin,
      ...(person !== null
        ? { slot: String(person % SLOTS) }
        : measure.subject !== null && { subject: tags.admit('subject', measure.subject) }),
    },
    fields: {
      ...literals('measure', FIELDS.measure, measure),
      ...(person !== null && { person: new Literal(`${person}i`) }),
    },
    timestamp: nanoseconds(measure.time, person === null ? 0 : Math.floor(person / SLOTS) % 1_000),
  };
}

/**
 * The person that a measure is about. Persons are identified by numbers, which are unbounded; links and zones
 * by names.
 */
export const personNumber = (subject: string | null): number | null =>
  subject !== null && /^(0|[1-9]\d{0,9})$/.test(subject) ? Number(subject) : null;

/** Condition that selects the points of a person's measures. */
export const slotOf = (person: number): string => String(person % SLOTS);

/** Measurements by the names of their measures; the first match counts. */
const MEASUREMENTS: readonly (readonly [RegExp, string])[] = [
  [/^(occupancy|people|persons)/, 'occupancy'],
  [/^(motion|presence)/, 'motion'],
  [/^(breathing|heart|vital)|_bpm$/, 'vitals'],
  [/^(activity|posture|gait|steps|sleep)|_minutes$/, 'activity'],
  [/^(packet|frame|link|signal|rssi|noise|snr)|_(loss|rssi|snr|jitter)/, 'link_quality'],
];
/** For measures of all other names. */
const OTHER = 'measure';

export const MEASURE_MEASUREMENTS: readonly string[] = [
  ...MEASUREMENTS.map(([, measurement]) => measurement),
  OTHER,
];

export const measurementOf = (name: string): string =>
  MEASUREMENTS.find(([pattern]) => pattern.test(name))?.[1] ?? OTHER;

// ----------------------------------------------------------------- fields

function fieldsOf<R>(table: Table<R>, tags: readonly string[]): readonly Column<R>[] {
  const left = new Set(['epoch', 'time', 'environment', ...tags]);
  return table.columns.filter(({ name }) => !left.has(name));
}

/** The type of a column's field in the line protocol. */
export function fieldType({ encoding: { type } }: Column<never>): 'float' | 'string' | 'boolean' | 'integer' {
  if (type === 'DOUBLE') return 'float';
  if (type === 'BOOLEAN') return 'boolean';
  return type === 'VARCHAR' || type.endsWith(']') ? 'string' : 'integer';
}

/** Omitted if a value is null. */
function literals<R>(measurement: string, columns: readonly Column<R>[], row: R): Record<string, Literal> {
  const fields: Record<string, Literal> = {};
  for (const { name, encoding, get } of columns) {
    try {
      const value = cleaned(get(row, 0));
      if (value !== null) fields[name] = literal(encoding, encoding.encode(value));
    } catch (error) {
      const why = errorText(error);
      throw new RangeError(`${measurement}.${name} ${why}`, { cause: error });
    }
  }
  return fields;
}

function literal({ type }: Encoding, cell: Cell): Literal {
  if (type === 'DOUBLE') return new Literal(Object.is(cell, -0) ? '-0' : String(cell));
  if (type === 'VARCHAR') return new Literal(quoted(cell as string));
  if (type === 'BOOLEAN') return new Literal(String(cell));
  if (type.startsWith('INTEGER[')) return new Literal(`"${(cell as readonly number[]).join(',')}"`);
  return new Literal(`${String(cell)}i`);
}

const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

/** Converts a bigint to the same number, if possible: operators in plain JavaScript may output them. */
function cleaned<V>(value: V): V {
  if (typeof value !== 'bigint') return value;
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError(`is ${value}, which is further than 2^53`);
  return number as V;
}

const cleanedMetadata = (metadata: SensedEvent['metadata']): SensedEvent['metadata'] =>
  Object.fromEntries(Object.entries(metadata).map(([key, value]) => [key, cleaned(value)]));

/** @param offset 0 to 999 @throws RangeError for a time before 1970 or after 2262 */
function nanoseconds(time: number, offset: number): string {
  const whole = Math.round(time);
  if (!(whole >= 0 && whole < LAST_TIME))
    throw new RangeError(`time is ${time}: it must be microseconds from 1970 to 2262`);
  return `${whole === 0 ? '' : whole}${String(offset).padStart(whole === 0 ? 1 : 3, '0')}`;
}

/** FNV-1a of UTF-16 units, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
