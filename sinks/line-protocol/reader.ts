import type {
  Aggregate,
  AggregateQuery,
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
  TimeRange,
} from '../../pipeline/component/index.js';
import type { Measure, PoseFrame, SensedEvent } from '../../pipeline/model/index.js';
import { POSE_FRAME, MEASURE_MEASUREMENTS, personNumber } from '../shared/line-protocol/points.js';
import { ofEvents, ofPoseFrames, ofPersons, stretches } from '../shared/line-protocol/filters.js';
import {
  byPerson,
  byTimeId,
  byTimeNameSubject,
  eventOf,
  keyOf,
  measureOf,
  numberOf,
  personOf,
  timeOf,
  together,
  type Row,
} from '../shared/line-protocol/rows.js';
import {
  EVENT_COLUMNS,
  POSE_FRAME_COLUMNS,
  MEASURE_COLUMNS,
  PERSON_COLUMNS,
  Schema,
  type Ask,
  type Columns,
} from './columns.js';
import { Conditions } from './conditions.js';
import { aggregatesOf, placesOf, poseSummaries, type Asking } from './sums.js';

/** Runs a statement until the signal aborts. */
type Run = (...asked: [...Parameters<Ask>, AbortSignal | undefined]) => ReturnType<Ask>;

/** Reads the points back by SQL, as InfluxDB 3 runs it. */
export class SqlReader implements Reader {
  readonly #run: Run;
  readonly #schema: Schema;
  readonly #signal: AbortSignal | undefined;

  constructor(run: Run, schema = new Schema(), signal?: AbortSignal) {
    this.#run = run;
    this.#schema = schema;
    this.#signal = signal;
  }

  until(signal: AbortSignal): SqlReader {
    return new SqlReader(this.#run, this.#schema, signal);
  }

  async latestPose(environment: string, until = Infinity): Promise<PoseFrame | undefined> {
    const [newest] = await this.#newest(environment, until);
    return newest && together([newest], await this.#personsOf([newest], { environment }), environment)[0];
  }

  async poses(query: PoseQuery): Promise<readonly PoseFrame[]> {
    const rows =
      query.person === undefined
        ? await this.#select(
            ['occupancy'],
            POSE_FRAME_COLUMNS,
            poseFrameConditions(query).after(query.after),
            IN_POSE_FRAMES + limitOf(query),
          )
        : await this.#poseFramesOf(query.person, query);
    return together(rows, await this.#personsOf(rows, query), query.environment);
  }

  async countPoses(query: PoseQuery): Promise<number> {
    return query.person === undefined
      ? this.#count(['occupancy'], POSE_FRAME_COLUMNS, poseFrameConditions(query))
      : this.countPersons(query);
  }

  async persons(query: PersonQuery): Promise<readonly PersonRow[]> {
    const conditions = personConditions(query);
    const rows = await this.#select(
      ['pose'],
      PERSON_COLUMNS,
      conditions,
      `${IN_POSE_FRAMES}, "person_index"${limitOf(query)}${offsetOf(query)}`,
    );
    return rows.map((row) => ({
      time: timeOf(row),
      frameId: numberOf(row),
      environment: query.environment,
      person: personOf(row),
    }));
  }

  async countPersons(query: PersonQuery): Promise<number> {
    return this.#count(['pose'], PERSON_COLUMNS, personConditions(query));
  }

  async events(query: EventQuery): Promise<readonly SensedEvent[]> {
    const rows = await this.#select(
      ['event'],
      EVENT_COLUMNS,
      ofEvents(Conditions.of(query), query),
      `ORDER BY "us", "id"${limitOf(query)}${offsetOf(query)}`,
    );
    return rows.map((row) => eventOf(row, query.environment)).sort(byTimeId);
  }

  async countEvents(query: EventQuery): Promise<number> {
    return this.#count(['event'], EVENT_COLUMNS, ofEvents(Conditions.of(query), query));
  }

  async measures(query: MeasureQuery): Promise<readonly Measure[]> {
    const { names, subject } = query;
    const conditions = Conditions.of(query).oneOf('name', names).not('name', POSE_FRAME);
    const person = subject === undefined ? null : personNumber(subject);
    if (person !== null) conditions.integer('person', person);
    else if (subject !== undefined) conditions.tag('subject', subject);
    const rows = await this.#select(
      MEASURE_MEASUREMENTS,
      MEASURE_COLUMNS,
      conditions,
      `ORDER BY "us", "name", coalesce(CAST("person" AS VARCHAR), "subject") NULLS FIRST${limitOf(query)}`,
    );
    return rows.map((row) => measureOf(row, query.environment)).sort(byTimeNameSubject);
  }

  async aggregates(query: AggregateQuery): Promise<readonly Aggregate[]> {
    return aggregatesOf(query, this.#asking);
  }

  async summaries(query: SummaryQuery): Promise<readonly PoseSummary[]> {
    return poseSummaries(query, this.#asking);
  }

  async places(query: PlaceQuery): Promise<readonly Place[]> {
    return placesOf(query, this.#asking);
  }

  async meanProcessingMs(query: TimeRange): Promise<number> {
    const [row] = await this.#rows(
      ['occupancy'],
      POSE_FRAME_COLUMNS,
      poseFrameConditions(query),
      (from) => `SELECT avg("processing_ms") AS "mean" FROM ${from}`,
    );
    return (row?.['mean'] as number | null | undefined) ?? 0;
  }

  async range(
    environment: string,
    until = Infinity,
  ): Promise<{ readonly start: number; readonly end: number } | undefined> {
    const [row] = await this.#rows(
      ['occupancy'],
      POSE_FRAME_COLUMNS,
      poseFrameConditions({ environment, end: until + 1 }),
      (from) => `SELECT min("us") AS "first", max("us") AS "last" FROM ${from}`,
    );
    const { first, last } = row ?? {};
    return typeof first === 'number' && typeof last === 'number' ? { start: first, end: last } : undefined;
  }

  async ping(): Promise<number> {
    const start = performance.now();
    await this.#ask('SELECT 1 AS "one"', {});
    return performance.now() - start;
  }

  /** Looks at the last hour first: InfluxDB 3 Core refuses statements that would read too many files. */
  async #newest(environment: string, until: number): Promise<readonly Row[]> {
    const newest = `ORDER BY "us" DESC, "frame_id" DESC LIMIT 1`;
    const conditions = (): Conditions => poseFrameConditions({ environment, end: until + 1 });
    const recent = conditions().add(`"time" >= now() - INTERVAL '1 hour'`);
    const found = await this.#select(['occupancy'], POSE_FRAME_COLUMNS, recent, newest);
    return found.length > 0 ? found : this.#select(['occupancy'], POSE_FRAME_COLUMNS, conditions(), newest);
  }

  /** The pose frames in which a person was followed, read in ranges with few other pose frames. */
  async #poseFramesOf(person: number, query: PoseQuery): Promise<readonly Row[]> {
    const persons = await this.#select(
      ['pose'],
      PERSON_COLUMNS,
      personConditions({ ...query, person }).after(query.after),
      IN_POSE_FRAMES + limitOf(query),
    );
    const wanted = new Set(persons.map(keyOf));
    const ranges = stretches(persons);
    const found: Row[] = [];
    for (let at = 0; at < ranges.length; at += MAX_RANGES) {
      const conditions = poseFrameConditions({ environment: query.environment }).within(
        ranges.slice(at, at + MAX_RANGES),
      );
      const poseFrames = await this.#select(['occupancy'], POSE_FRAME_COLUMNS, conditions, IN_POSE_FRAMES);
      for (const row of poseFrames) if (wanted.has(keyOf(row))) found.push(row);
    }
    return found;
  }

  /** `poseFrames` are consecutive under the query's filters, so all matching persons in their range belong to them. */
  async #personsOf(
    poseFrames: readonly Row[],
    query: Pick<PoseQuery, 'environment' | 'person' | 'minConfidence'>,
  ): Promise<readonly Row[]> {
    const [first, last] = [poseFrames[0], poseFrames.at(-1)];
    if (!first || !last) return [];
    const conditions = personConditions({ ...query, start: timeOf(first), end: timeOf(last) + 1 });
    return [...(await this.#select(['pose'], PERSON_COLUMNS, conditions, ''))].sort(byPerson);
  }

  async #count(tables: readonly string[], columns: Columns, conditions: Conditions): Promise<number> {
    const [row] = await this.#rows(
      tables,
      columns,
      conditions,
      (from) => `SELECT count(*) AS "count" FROM ${from}`,
    );
    return (row?.['count'] as number | undefined) ?? 0;
  }

  /** Rows with all columns, those without a value as null. */
  async #select(
    tables: readonly string[],
    columns: Columns,
    conditions: Conditions,
    rest: string,
  ): Promise<readonly Row[]> {
    const names = Object.keys(columns);
    const list = names.map((name) => `"${name}"`).join(', ');
    const rows = await this.#rows(
      tables,
      columns,
      conditions,
      (from) => `SELECT "us", ${list} FROM ${from} ${rest}`,
    );
    return rows.map((row) => ({
      ...Object.fromEntries(names.map((name) => [name, row[name] ?? null])),
      time: row['us'] as number,
    }));
  }

  async #rows(
    tables: readonly string[],
    columns: Columns,
    conditions: Conditions,
    sql: (from: string) => string,
  ): Promise<readonly Row[]> {
    const relation = await this.#schema.relation((...asked) => this.#ask(...asked), tables, columns);
    if (relation === null) return [];
    const from = `(SELECT * FROM ${relation} ${conditions.where})`;
    try {
      return await this.#ask(sql(from), conditions.parameters);
    } catch (error) {
      this.#schema.forget();
      throw error;
    }
  }

  #ask(...asked: Parameters<Ask>): ReturnType<Ask> {
    return this.#run(...asked, this.#signal);
  }

  get #asking(): Asking {
    return { rows: (...asked) => this.#rows(...asked) };
  }
}

/** Time ranges of one statement. */
const MAX_RANGES = 64;

const IN_POSE_FRAMES = 'ORDER BY "us", "frame_id"';

const poseFrameConditions = (query: TimeRange & Pick<PoseQuery, 'minConfidence'>): Conditions =>
  ofPoseFrames(Conditions.of(query), query);

const personConditions = (query: TimeRange & Pick<PersonQuery, 'person' | 'minConfidence'>): Conditions =>
  ofPersons(Conditions.of(query), query);

const limitOf = ({ limit }: { readonly limit?: number }): string =>
  limit === undefined ? '' : ` LIMIT ${BigInt(limit)}`;

const offsetOf = ({ offset }: { readonly offset?: number }): string =>
  offset === undefined || offset === 0 ? '' : ` OFFSET ${BigInt(offset)}`;
