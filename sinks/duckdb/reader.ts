import type { DuckDBValue } from '@duckdb/node-api';
import {
  bucketsOf,
  type Aggregate,
  type AggregateQuery,
  type EventQuery,
  type MeasureQuery,
  type PersonQuery,
  type PersonRow,
  type PoseQuery,
  type PoseSummary,
  type Reader,
  type SummaryQuery,
  type TimeRange,
} from '../../pipeline/component/index.js';
import type {
  EventType,
  Keypoint3D,
  Measure,
  Person,
  PoseFrame,
  Posture,
  Provenance,
  SensedEvent,
  Severity,
  Track,
} from '../../pipeline/model/index.js';
import { KEYPOINT_SIZE } from '../shared/columns.js';
import { Conditions } from './conditions.js';
import { instantOf, type Instant, type Parameters } from './parameters.js';
import type { ReadPool, Row, Snapshot } from './pool.js';
import { BUCKET, poseSummaries } from './summaries.js';

/** Reads the tables back. Each call sees one state of the store, also while rows are written. */
export class DuckDBReader implements Reader {
  readonly #pool: () => ReadPool;

  /** @param pool throws where the store is not open. */
  constructor(pool: () => ReadPool) {
    this.#pool = pool;
  }

  async latestPose(environment: string): Promise<PoseFrame | undefined> {
    return this.#read(async (snapshot) => {
      const rows = await newest(snapshot, '*', environment);
      return (await withPersons(snapshot, rows, { environment }))[0];
    });
  }

  async poses(query: PoseQuery): Promise<readonly PoseFrame[]> {
    return this.#read(async (snapshot) => {
      const conditions = (
        query.person === undefined ? poseConditions(query) : personConditions(query)
      ).addAfter(query.after);
      const ordered = `${conditions.where} ORDER BY "time", frame_id ${limitOf(query.limit)}`;
      const sql =
        query.person === undefined
          ? `SELECT * FROM poses ${ordered}`
          : `SELECT poses.* FROM poses JOIN (SELECT "time", frame_id FROM persons ${ordered}) AS wanted
               ON poses."time" = wanted."time" AND poses.frame_id = wanted.frame_id
             WHERE poses.environment = $environment ORDER BY poses."time", poses.frame_id`;
      const rows = await snapshot.query(sql, { ...conditions.parameters, ...limitValue(query.limit) });
      return withPersons(snapshot, rows, query);
    });
  }

  async countPoses(query: PoseQuery): Promise<number> {
    const [table, conditions] =
      query.person === undefined
        ? (['poses', poseConditions(query)] as const)
        : (['persons', personConditions(query)] as const);
    return this.#count(table, conditions);
  }

  async persons(query: PersonQuery): Promise<readonly PersonRow[]> {
    return this.#read(async (snapshot) => {
      const conditions = personConditions(query);
      const offset = await skip(snapshot, conditions, query);
      const rows = await snapshot.query(
        `SELECT * FROM persons ${conditions.where} ORDER BY "time", frame_id, person_index ${limitOf(query.limit)} OFFSET $offset`,
        { ...conditions.parameters, ...limitValue(query.limit), offset: BigInt(offset) },
      );
      return rows.map((row) => ({
        time: time(row['time']!),
        frameId: Number(row['frame_id']),
        environment: query.environment,
        person: personOf(row),
      }));
    });
  }

  async countPersons(query: PersonQuery): Promise<number> {
    return this.#count('persons', personConditions(query));
  }

  async events(query: EventQuery): Promise<readonly SensedEvent[]> {
    const conditions = eventConditions(query);
    return this.#read(async (snapshot) => {
      const rows = await snapshot.query(
        `SELECT * FROM events ${conditions.where} ORDER BY "time", id, rowid ${limitOf(query.limit)} OFFSET $offset`,
        { ...conditions.parameters, ...limitValue(query.limit), offset: BigInt(query.offset ?? 0) },
      );
      return rows.map(eventOf);
    });
  }

  async countEvents(query: EventQuery): Promise<number> {
    return this.#count('events', eventConditions(query));
  }

  async measures(query: MeasureQuery): Promise<readonly Measure[]> {
    const conditions = Conditions.of(query)
      .addOneOf('name', query.names)
      .addIf(query.subject, 'subject = $subject', (subject) => ({ subject }));
    return this.#read(async (snapshot) => {
      const rows = await snapshot.query(
        `SELECT * FROM measures ${conditions.where} ORDER BY "time", name, subject NULLS FIRST, rowid ${limitOf(query.limit)}`,
        { ...conditions.parameters, ...limitValue(query.limit) },
      );
      return rows.map(measureOf);
    });
  }

  async aggregates(query: AggregateQuery): Promise<readonly Aggregate[]> {
    const { length, first } = bucketsOf(query);
    const conditions = Conditions.of(query).addOneOf('name', query.names).add("source = 'csiflow'");
    const rows = await this.#read((snapshot) =>
      snapshot.query(
        `SELECT name, subject, ${BUCKET} AS start,
           count(*) AS count, sum(value) AS sum, min(value) AS min, max(value) AS max
         FROM measures ${conditions.where} GROUP BY ALL ORDER BY start, name, subject NULLS FIRST`,
        { ...conditions.parameters, length: BigInt(length), first: BigInt(first) },
      ),
    );
    return rows.map(aggregateOf);
  }

  async summaries(query: SummaryQuery): Promise<readonly PoseSummary[]> {
    return this.#read((snapshot) => poseSummaries(snapshot, query));
  }

  async range(environment: string): Promise<{ readonly start: number; readonly end: number } | undefined> {
    return this.#read(async (snapshot) => {
      const [first] = await snapshot.query(
        'SELECT "time" FROM poses WHERE environment = $environment ORDER BY "time" LIMIT 1',
        { environment },
      );
      const [last] = await newest(snapshot, '"time"', environment);
      return first && last ? { start: time(first['time']!), end: time(last['time']!) } : undefined;
    });
  }

  async ping(): Promise<number> {
    const start = performance.now();
    await this.#read((snapshot) => snapshot.query('SELECT 1', {}));
    return performance.now() - start;
  }

  async #count(table: 'poses' | 'persons' | 'events', conditions: Conditions): Promise<number> {
    const [row] = await this.#read((snapshot) =>
      snapshot.query(`SELECT count(*) AS count FROM ${table} ${conditions.where}`, conditions.parameters),
    );
    return Number(row!['count']);
  }

  async #read<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    return this.#pool().read(work);
  }
}

// ------------------------------------------------------------- conditions

/** Frames with at least one person that is certain enough; the column spares a look at `persons`. */
const poseConditions = (query: PoseQuery): Conditions =>
  Conditions.of(query).addIf(query.minConfidence, 'best_confidence >= $minConfidence', (minConfidence) => ({
    minConfidence,
  }));

/** A track's number is in a frame once, so each row is a frame too where `person` is given. */
const personConditions = (query: TimeRange & Pick<PersonQuery, 'person' | 'minConfidence'>): Conditions =>
  Conditions.of(query)
    .addIf(query.person, 'track_id = $person', (person) => ({ person: BigInt(person) }))
    .addIf(query.minConfidence, 'confidence >= $minConfidence', (minConfidence) => ({ minConfidence }));

const eventConditions = (query: EventQuery): Conditions => {
  const conditions = Conditions.of(query)
    .addOneOf('type', query.types)
    .addOneOf('severity', query.severities);
  return (query.ownOnly ?? true) ? conditions.add("source = 'csiflow'") : conditions;
};

const limitOf = (limit: number | undefined): string => (limit === undefined ? '' : 'LIMIT $limit');
const limitValue = (limit: number | undefined): Parameters =>
  limit === undefined ? {} : { limit: BigInt(limit) };

/** Where the newest frame of an environment is looked for, back from the newest of all. */
const NEWEST_WITHIN_US = [10_000_000, 3_600_000_000, Infinity];

/** The newest pose frame's row, if there is one. Backwards through the whole table each row would be newer than the last. */
async function newest(snapshot: Snapshot, columns: string, environment: string): Promise<readonly Row[]> {
  const [bounds] = await snapshot.query('SELECT max("time") AS last FROM poses', {});
  if (!bounds?.['last']) return [];
  const last = time(bounds['last']);
  for (const width of NEWEST_WITHIN_US) {
    const conditions = Conditions.of({ environment, start: last - width });
    const rows = await snapshot.query(
      `SELECT ${columns} FROM poses ${conditions.where} ORDER BY "time" DESC, frame_id DESC LIMIT 1`,
      conditions.parameters,
    );
    if (rows.length > 0) return rows;
  }
  return [];
}

/** Offsets up to this are sorted away directly. */
const DIRECT_OFFSET = 2_000;
/** Rows nearer together than this are not halved further. */
const SHORTEST_US = 100_000;

/**
 * Sorting millions of rows to skip them takes seconds. So halves of the time are counted until few rows are
 * left to be skipped: all of it together looks at each row's time about once. Adds the start of what is left
 * to the conditions.
 *
 * @returns the offset that is left from that start.
 */
async function skip(snapshot: Snapshot, conditions: Conditions, query: PersonQuery): Promise<number> {
  let left = query.offset ?? 0;
  if (left <= DIRECT_OFFSET) return left;
  // Without a condition, as the file's statistics answer that: only bounds are needed.
  const [bounds] = await snapshot.query('SELECT min("time") AS first, max("time") AS last FROM persons', {});
  if (!bounds?.['first']) return left;
  let from = Math.max(Math.ceil(query.start ?? -Infinity), time(bounds['first']));
  let to = Math.min(Math.ceil(query.end ?? Infinity), time(bounds['last']!) + 1);
  while (left > DIRECT_OFFSET && to - from > SHORTEST_US) {
    const middle = Math.floor((from + to) / 2);
    const [half] = await snapshot.query(
      `SELECT count(*) AS rows FROM persons ${conditions.where} AND "time" >= $from AND "time" < $middle`,
      { ...conditions.parameters, from: instantOf(from), middle: instantOf(middle) },
    );
    const rows = Number(half!['rows']);
    if (rows <= left) {
      left -= rows;
      from = middle;
    } else to = middle;
  }
  conditions.add('"time" >= $from', { from: instantOf(from) });
  return left;
}

// ------------------------------------------------------------------- rows

/** Frames with their persons. `rows` follow each other in the order of the filters, so all persons in their range that pass them are theirs. */
async function withPersons(
  snapshot: Snapshot,
  rows: readonly Row[],
  query: Pick<PoseQuery, 'environment' | 'person' | 'minConfidence'>,
): Promise<PoseFrame[]> {
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last) return [];
  const { environment, person, minConfidence } = query;
  const conditions = personConditions({
    environment,
    ...(person === undefined ? {} : { person }),
    ...(minConfidence === undefined ? {} : { minConfidence }),
  }).add('"time" >= $first AND "time" <= $last', {
    first: instantOf(time(first['time']!)),
    last: instantOf(time(last['time']!)),
  });
  const found = await snapshot.query(
    `SELECT * FROM persons ${conditions.where} ORDER BY "time", frame_id, person_index`,
    conditions.parameters,
  );
  const byFrame = new Map(rows.map((row) => [keyOf(row), [] as Person[]]));
  for (const row of found) byFrame.get(keyOf(row))?.push(personOf(row));
  return rows.map((row) => frameOf(row, byFrame.get(keyOf(row))!));
}

const keyOf = (row: Row): string => `${time(row['time']!)} ${String(row['frame_id'])}`;

const frameOf = (row: Row, persons: readonly Person[]): PoseFrame => ({
  port: 'pose',
  frameId: Number(row['frame_id']),
  environment: row['environment'] as string,
  time: time(row['time']!),
  windowEnd: time(row['window_end']!),
  processingMs: row['processing_ms'] as number,
  persons,
  links: row['links'] as number,
  signalQuality: row['signal_quality'] as number,
  provenance: provenanceOf(row),
});

const personOf = (row: Row): Person => ({
  confidence: row['confidence'] as number,
  position: { x: row['x'] as number, y: row['y'] as number, z: 0 },
  positionError: row['position_error'] as number,
  heading: row['heading'] as number | null,
  headingConfidence: row['heading_confidence'] as number,
  posture: row['posture'] as Posture,
  keypoints: keypointsOf(row['keypoints'] ?? null),
  articulated: row['articulated'] as boolean,
  track: row['track_id'] === null ? null : trackOf(row),
});

const trackOf = (row: Row): Track => ({
  id: Number(row['track_id']),
  state: row['track_state'] as Track['state'],
  age: row['track_age'] as number,
  since: time(row['track_since']!),
  velocity: { x: row['velocity_x'] as number, y: row['velocity_y'] as number },
});

/** @param column null: none are kept of anonymous persons */
function keypointsOf(column: DuckDBValue): Keypoint3D[] {
  if (column === null) return [];
  const { items: values } = column as unknown as { readonly items: readonly number[] };
  const keypoints: Keypoint3D[] = [];
  for (let at = 0; at < values.length; at += KEYPOINT_SIZE)
    keypoints.push({
      x: values[at]! / 1_000,
      y: values[at + 1]! / 1_000,
      z: values[at + 2]! / 1_000,
      error: values[at + 3]! / 1_000,
    });
  return keypoints;
}

const eventOf = (row: Row): SensedEvent => ({
  port: 'event',
  id: row['id'] as string,
  type: row['type'] as EventType,
  severity: row['severity'] as Severity,
  environment: row['environment'] as string,
  time: time(row['time']!),
  confidence: row['confidence'] as number,
  person: row['person'] === null ? null : Number(row['person']),
  location:
    row['x'] === null ? null : { x: row['x'] as number, y: row['y'] as number, z: row['z'] as number },
  metadata: JSON.parse(row['metadata'] as string) as SensedEvent['metadata'],
  source: row['source'] as string,
  provenance: provenanceOf(row),
});

const measureOf = (row: Row): Measure => ({
  port: 'measure',
  name: row['name'] as string,
  environment: row['environment'] as string,
  subject: row['subject'] as string | null,
  time: time(row['time']!),
  value: row['value'] as number,
  source: row['source'] as string,
  provenance: provenanceOf(row),
});

const aggregateOf = (row: Row): Aggregate => ({
  name: row['name'] as string,
  subject: row['subject'] as string | null,
  start: Number(row['start']),
  count: Number(row['count']),
  sum: row['sum'] as number,
  min: row['min'] as number,
  max: row['max'] as number,
});

const provenanceOf = (row: Row): Provenance => {
  const origin = row['origin'] as Provenance['origin'];
  if (row['model_name'] === null) return { origin };
  return {
    origin,
    model: {
      name: row['model_name'] as string,
      version: row['model_version'] as string,
      trainedOn: row['model_trained_on'] as string,
      accuracy: row['model_accuracy'] as string,
    },
  };
};

const time = (value: DuckDBValue): number => Number((value as Instant).micros);
