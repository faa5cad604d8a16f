import type {
  Aggregate,
  AggregateQuery,
  Asked,
  AskLimits,
  EventQuery,
  MeasureQuery,
  PersonQuery,
  PersonRow,
  Place,
  PlaceQuery,
  PoseQuery,
  PoseSummary,
  Reader,
  SummaryQuery,
  TableSelection,
  TimeRange,
} from '../../pipeline/component/index.js';
import type { Measure, Person, PoseFrame, SensedEvent } from '../../pipeline/model/index.js';
import { eventOf, poseFrameOf, measureOf, personOf, type Row } from '../shared/rows.js';
import { aggregatesOf } from './aggregates.js';
import { Conditions } from './conditions.js';
import type { Landmarks } from './counts.js';
import { instantOf, type Parameters } from './parameters.js';
import type { ReadPool, Snapshot } from './pool.js';
import { firstRows, type Page } from './pages.js';
import { placesOf } from './places.js';
import { poseSummaries } from './summaries.js';
import { countRows, skip } from './rows-between.js';

/** Reads the tables back. Each call sees one state of the store, also while rows are written. */
export class DuckDBReader implements Reader {
  readonly #pool: () => ReadPool;
  readonly #signal: AbortSignal | undefined;

  /** @param pool throws if the store is not open */
  constructor(pool: () => ReadPool, signal?: AbortSignal) {
    this.#pool = pool;
    this.#signal = signal;
  }

  until(signal: AbortSignal): DuckDBReader {
    return new DuckDBReader(this.#pool, signal);
  }

  async latestPose(environment: string, until = Infinity): Promise<PoseFrame | undefined> {
    return this.#read(async (snapshot) => {
      const rows = await newest(snapshot, '*', environment, until);
      return (await withPersons(snapshot, rows, { environment }))[0];
    });
  }

  async poses(query: PoseQuery): Promise<readonly PoseFrame[]> {
    return this.#read(async (snapshot) => {
      const conditions = (
        query.person === undefined ? poseConditions(query) : personConditions(query)
      ).addAfter(query.after);
      const ordered = (where: string) => `${where} ORDER BY "time", frame_id ${pageOf(query.limit)}`;
      const table = query.person === undefined ? 'poses' : 'persons';
      const from = query.after?.time ?? query.start;
      const rows = await firstRows(snapshot, { table, conditions, from, limit: query.limit }, (where) =>
        query.person === undefined
          ? `SELECT * FROM poses ${ordered(where)}`
          : `SELECT poses.* FROM poses JOIN (SELECT "time", frame_id FROM persons ${ordered(where)}) AS wanted
               ON poses."time" = wanted."time" AND poses.frame_id = wanted.frame_id
             WHERE poses.environment = $environment ORDER BY poses."time", poses.frame_id`,
      );
      return withPersons(snapshot, rows, query);
    });
  }

  async countPoses(query: PoseQuery): Promise<number> {
    return query.person === undefined
      ? this.#countRows('poses', query, poseConditions)
      : this.#countRows('persons', query, personConditions);
  }

  async persons(query: PersonQuery): Promise<readonly PersonRow[]> {
    const landmarks = this.#landmarks('persons', personConditions(endless(query)));
    return this.#read(async (snapshot) => {
      const conditions = personConditions(query);
      const { from, offset } = await skip(snapshot, conditions, query, landmarks);
      const page = { table: 'persons', conditions, from, limit: query.limit, offset } as const;
      const rows = await firstRows(
        snapshot,
        page,
        (where) =>
          `SELECT * FROM persons ${where} ORDER BY "time", frame_id, person_index ${pageOf(query.limit)}`,
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
    return this.#countRows('persons', query, personConditions);
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
    const { where, parameters } = eventConditions(query);
    const sql = `SELECT count(*) AS count FROM events ${where}`;
    return this.#pool().counts.of(sql, parameters, async () => {
      const [row] = await this.#query(sql, parameters);
      return row!['count'] as number;
    });
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

  async places(query: PlaceQuery): Promise<readonly Place[]> {
    return this.#read((snapshot) => placesOf(snapshot, query));
  }

  async meanProcessingMs(query: TimeRange): Promise<number> {
    const { where, parameters } = Conditions.of(query);
    const [row] = await this.#query(`SELECT avg(processing_ms) AS mean FROM poses ${where}`, parameters);
    return (row!['mean'] as number | null) ?? 0;
  }

  async range(
    environment: string,
    until = Infinity,
  ): Promise<{ readonly start: number; readonly end: number } | undefined> {
    return this.#read(async (snapshot) => {
      const [first] = await snapshot.query(
        'SELECT "time" FROM poses WHERE environment = $environment ORDER BY "time" LIMIT 1',
        { environment },
      );
      const [last] = await newest(snapshot, '"time"', environment, until);
      return first && last ? { start: timeOf(first), end: timeOf(last) } : undefined;
    });
  }

  async exportTo(file: string, selection: TableSelection): Promise<number> {
    // It loads DuckDB, which reading the definition must not do.
    const { copyStatement } = await import('./export.js');
    const { sql, parameters } = copyStatement(selection, file);
    const [row] = await this.#query(sql, parameters);
    return row!['Count'] as number;
  }

  async ask(sql: string, limits: AskLimits): Promise<Asked> {
    return this.#read((snapshot) => snapshot.asked(sql, limits));
  }

  async ping(): Promise<number> {
    const start = performance.now();
    await this.#query('SELECT 1', {});
    return performance.now() - start;
  }

  async #countRows<Q extends TimeRange>(
    table: Page['table'],
    query: Q,
    conditionsOf: (query: Q) => Conditions,
  ): Promise<number> {
    const conditions = conditionsOf(endless(query));
    const snapshot = { query: (sql: string, parameters: Parameters) => this.#query(sql, parameters) };
    return countRows(snapshot, table, conditions, query, this.#landmarks(table, conditions));
  }

  #landmarks(table: Page['table'], conditions: Conditions): Landmarks {
    return this.#pool().counts.landmarks(table, conditions);
  }

  async #query(sql: string, parameters: Parameters): Promise<readonly Row[]> {
    return this.#pool().query(sql, parameters, this.#signal);
  }

  async #read<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    return this.#pool().read(work, this.#signal);
  }
}

// ------------------------------------------------------------- conditions

/** Landmarks are the same for all ends of a range. */
const endless = <Q extends TimeRange>(query: Q): Q => ({ ...query, end: undefined });

/** Pose frames with at least one person above the confidence limit; the column avoids a query of `persons`. */
const poseConditions = (query: PoseQuery): Conditions =>
  Conditions.of(query).addIf(query.minConfidence, 'best_confidence >= $minConfidence', (minConfidence) => ({
    minConfidence,
  }));

/** If `person` is given, each row is a pose frame too, because a track's number occurs once per pose frame. */
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

const pageOf = (limit: number | undefined): string =>
  limit === undefined ? '' : 'LIMIT $limit OFFSET $offset';
const limitOf = (limit: number | undefined): string => (limit === undefined ? '' : 'LIMIT $limit');
const limitValue = (limit: number | undefined): Parameters =>
  limit === undefined ? {} : { limit: BigInt(limit) };

/** Periods in which to search for the newest pose frame of an environment, back from the newest of all. */
const NEWEST_WITHIN_US = [10_000_000, 3_600_000_000, Infinity];

/**
 * The row of the newest pose frame, if any. A scan of the whole table, oldest first, would find a newer row
 * at each step.
 */
async function newest(
  snapshot: Snapshot,
  columns: string,
  environment: string,
  until: number,
): Promise<readonly Row[]> {
  const [bounds] = await snapshot.query('SELECT max("time") AS last FROM poses', {});
  if (typeof bounds?.['last'] !== 'number') return [];
  const last = Math.min(bounds['last'], until);
  for (const width of NEWEST_WITHIN_US) {
    const conditions = Conditions.of({ environment, start: last - width, end: last + 1 });
    const rows = await snapshot.query(
      `SELECT ${columns} FROM poses ${conditions.where} ORDER BY "time" DESC, frame_id DESC LIMIT 1`,
      conditions.parameters,
    );
    if (rows.length > 0) return rows;
  }
  return [];
}

// ------------------------------------------------------------------- rows

/**
 * Pose frames with their persons. `rows` are consecutive under the filters, so all persons in their range that
 * pass the filters belong to them.
 */
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
  const found = await snapshot.query(`SELECT * FROM persons ${conditions.where}`, conditions.parameters);
  const byPoseFrame = new Map(rows.map((row) => [keyOf(row), [] as Person[]]));
  // For a few hundred rows, DuckDB takes longer to plan a sort than this takes.
  const inOrder = found.toSorted((a, b) => (a['person_index'] as number) - (b['person_index'] as number));
  for (const row of inOrder) byPoseFrame.get(keyOf(row))?.push(personOf(row));
  return rows.map((row) => poseFrameOf(row, environment, byPoseFrame.get(keyOf(row))!));
}

const keyOf = (row: Row): string => `${timeOf(row)} ${String(row['frame_id'])}`;
const timeOf = (row: Row): number => row['time'] as number;
