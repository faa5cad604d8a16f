import type {
  Aggregate,
  AggregateQuery,
  EventQuery,
  MeasureQuery,
  PersonQuery,
  PersonRow,
  PoseQuery,
  PoseSummary,
  Reader,
  SummaryQuery,
  TimeRange,
} from '../../pipeline/component/index.js';
import type { Measure, Person, PoseFrame, SensedEvent } from '../../pipeline/model/index.js';
import { eventOf, frameOf, measureOf, personOf, type Row } from '../shared/rows.js';
import { aggregatesOf } from './aggregates.js';
import { Conditions } from './conditions.js';
import { instantOf, type Parameters } from './parameters.js';
import type { ReadPool, Snapshot } from './pool.js';
import { poseSummaries } from './summaries.js';

/** Reads the tables back. Each call sees one state of the store, also while rows are written. */
export class DuckDBReader implements Reader {
  readonly #pool: () => ReadPool;
  readonly #signal: AbortSignal | undefined;

  /** @param pool throws where the store is not open. */
  constructor(pool: () => ReadPool, signal?: AbortSignal) {
    this.#pool = pool;
    this.#signal = signal;
  }

  until(signal: AbortSignal): DuckDBReader {
    return new DuckDBReader(this.#pool, signal);
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
        time: timeOf(row),
        frameId: row['frame_id'] as number,
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
    const rows = await this.#query(
      `SELECT * FROM events ${conditions.where} ORDER BY "time", id, rowid ${limitOf(query.limit)} OFFSET $offset`,
      { ...conditions.parameters, ...limitValue(query.limit), offset: BigInt(query.offset ?? 0) },
    );
    return rows.map((row) => eventOf(row, query.environment));
  }

  async countEvents(query: EventQuery): Promise<number> {
    return this.#count('events', eventConditions(query));
  }

  async measures(query: MeasureQuery): Promise<readonly Measure[]> {
    const conditions = Conditions.of(query)
      .addOneOf('name', query.names)
      .addIf(query.subject, 'subject = $subject', (subject) => ({ subject }));
    const rows = await this.#query(
      `SELECT * FROM measures ${conditions.where} ORDER BY "time", name, subject NULLS FIRST, rowid ${limitOf(query.limit)}`,
      { ...conditions.parameters, ...limitValue(query.limit) },
    );
    return rows.map((row) => measureOf(row, query.environment));
  }

  async aggregates(query: AggregateQuery): Promise<readonly Aggregate[]> {
    return this.#read((snapshot) => aggregatesOf(snapshot, query));
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
      return first && last ? { start: timeOf(first), end: timeOf(last) } : undefined;
    });
  }

  async ping(): Promise<number> {
    const start = performance.now();
    await this.#query('SELECT 1', {});
    return performance.now() - start;
  }

  async #count(table: 'poses' | 'persons' | 'events', conditions: Conditions): Promise<number> {
    const [row] = await this.#query(
      `SELECT count(*) AS count FROM ${table} ${conditions.where}`,
      conditions.parameters,
    );
    return row!['count'] as number;
  }

  async #query(sql: string, parameters: Parameters): Promise<readonly Row[]> {
    return this.#pool().query(sql, parameters, this.#signal);
  }

  async #read<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    return this.#pool().read(work, this.#signal);
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
  const last = bounds?.['last'];
  if (typeof last !== 'number') return [];
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
  const { first, last } = bounds!;
  if (typeof first !== 'number' || typeof last !== 'number') return left;
  let from = Math.max(Math.ceil(query.start ?? -Infinity), first);
  let to = Math.min(Math.ceil(query.end ?? Infinity), last + 1);
  while (left > DIRECT_OFFSET && to - from > SHORTEST_US) {
    const middle = Math.floor((from + to) / 2);
    const [half] = await snapshot.query(
      `SELECT count(*) AS rows FROM persons ${conditions.where} AND "time" >= $from AND "time" < $middle`,
      { ...conditions.parameters, from: instantOf(from), middle: instantOf(middle) },
    );
    const rows = half!['rows'] as number;
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
    first: instantOf(timeOf(first)),
    last: instantOf(timeOf(last)),
  });
  const found = await snapshot.query(
    `SELECT * FROM persons ${conditions.where} ORDER BY "time", frame_id, person_index`,
    conditions.parameters,
  );
  const byFrame = new Map(rows.map((row) => [keyOf(row), [] as Person[]]));
  for (const row of found) byFrame.get(keyOf(row))?.push(personOf(row));
  return rows.map((row) => frameOf(row, environment, byFrame.get(keyOf(row))!));
}

const keyOf = (row: Row): string => `${timeOf(row)} ${String(row['frame_id'])}`;
const timeOf = (row: Row): number => row['time'] as number;
