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
import { aggregatesOf, type Asking } from './aggregates.js';
import type { Connection } from './connection.js';
import {
  FIELDS,
  POSE_FRAME,
  POSE_FRAMES_OF_AN_INSTANT,
  MEASURE_MEASUREMENTS,
  personNumber,
  slotOf,
} from '../shared/line-protocol/points.js';
import { placesOf } from './places.js';
import { Conditions, identifier, limitOf, pageOf } from './query.js';
import { poseSummaries } from './summaries.js';
import { ofEvents, ofPoseFrames, ofPersons, stretches } from '../shared/line-protocol/filters.js';
import {
  byPoseFrame,
  byPerson,
  byTimeId,
  byTimeNameSubject,
  eventOf,
  isAfter,
  keyOf,
  measureOf,
  numberOf,
  personOf,
  timeOf,
  together,
  type Row,
} from '../shared/line-protocol/rows.js';
import { rowsOf } from './rows.js';

type Queried = Pick<Connection, 'query'>;

/** Reads back the points. */
export class InfluxReader implements Reader {
  readonly #connection: () => Queried;
  readonly #policy: string | null;

  /** @param connection throws if the store is not open @param policy null: the database's default */
  constructor(connection: () => Queried, policy: string | null) {
    this.#connection = connection;
    this.#policy = policy;
  }

  until(signal: AbortSignal): InfluxReader {
    const query: Queried['query'] = (statements, policy) =>
      this.#connection().query(statements, policy, signal);
    return new InfluxReader(() => ({ query }), this.#policy);
  }

  async latestPose(environment: string, until = Infinity): Promise<PoseFrame | undefined> {
    const newest = await this.#poseFrames(
      poseFrameConditions({ environment, end: until + 1 }),
      `ORDER BY time DESC LIMIT ${POSE_FRAMES_OF_AN_INSTANT}`,
    );
    const last = newest.at(-1);
    return last && together([last], await this.#personsOf([last], { environment }), environment)[0];
  }

  async poses(query: PoseQuery): Promise<readonly PoseFrame[]> {
    const { environment, after, limit, person } = query;
    const conditions = person === undefined ? poseFrameConditions(query) : personConditions(query);
    if (after) conditions.from(after.time);
    // Pose frames of one microsecond may be interleaved in nanoseconds: reads more, and returns the first.
    const more = limitOf(limit === undefined ? undefined : limit + 2 * POSE_FRAMES_OF_AN_INSTANT);
    const rows =
      person === undefined ? await this.#poseFrames(conditions, more) : await this.#persons(conditions, more);
    const wanted = rows.filter((row) => after === undefined || isAfter(row, after)).slice(0, limit);
    return person === undefined
      ? together(wanted, await this.#personsOf(wanted, query), environment)
      : together(await this.#poseFramesOf(wanted, environment), wanted, environment);
  }

  async countPoses(query: PoseQuery): Promise<number> {
    return query.person === undefined
      ? this.#count('occupancy', poseFrameConditions(query))
      : this.#count('pose', personConditions(query));
  }

  async persons(query: PersonQuery): Promise<readonly PersonRow[]> {
    const rows = await this.#persons(personConditions(query), pageOf(query));
    return rows.slice(0, query.limit).map((row) => ({
      time: timeOf(row),
      frameId: numberOf(row),
      environment: query.environment,
      person: personOf(row),
    }));
  }

  async countPersons(query: PersonQuery): Promise<number> {
    return this.#count('pose', personConditions(query));
  }

  async events(query: EventQuery): Promise<readonly SensedEvent[]> {
    if (takesNone(query)) return [];
    const rows = await this.#rows(
      select(FIELDS.event, ['type', 'severity', 'source', 'origin']),
      ['event'],
      ofEvents(Conditions.of(query), query),
      pageOf(query),
    );
    return rows
      .slice(0, query.limit)
      .map((row) => eventOf(row, query.environment))
      .sort(byTimeId);
  }

  async countEvents(query: EventQuery): Promise<number> {
    return takesNone(query) ? 0 : this.#count('event', ofEvents(Conditions.of(query), query), 'id');
  }

  async measures(query: MeasureQuery): Promise<readonly Measure[]> {
    const { names, subject, limit } = query;
    if (names?.length === 0) return [];
    const conditions = Conditions.of(query).oneOf('name', names).not('name', POSE_FRAME);
    if (subject !== undefined) {
      const person = personNumber(subject);
      if (person === null) conditions.tag('subject', subject);
      else conditions.tag('slot', slotOf(person)).integer('person', person);
    }
    const rows = await this.#rows(
      `${select(FIELDS.measure, ['name', 'subject', 'source', 'origin'])}, "person"`,
      MEASURE_MEASUREMENTS,
      conditions,
      // Each measurement returns up to this many.
      limitOf(limit),
    );
    return rows
      .map((row) => measureOf(row, query.environment))
      .sort(byTimeNameSubject)
      .slice(0, limit);
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
    const [row] = await this.#rows('mean("processing_ms")', ['occupancy'], poseFrameConditions(query), '');
    return row ? (row['mean'] as number) : 0;
  }

  async range(
    environment: string,
    until = Infinity,
  ): Promise<{ readonly start: number; readonly end: number } | undefined> {
    const { where } = poseFrameConditions({ environment, end: until + 1 });
    const [first, last] = await this.#connection().query(
      ['ASC', 'DESC']
        .map(
          (order) =>
            `SELECT "frame_id" FROM ${this.#from(['occupancy'])} ${where} ORDER BY time ${order} LIMIT 1`,
        )
        .join('; '),
    );
    const [start] = rowsOf(first!);
    const [end] = rowsOf(last!);
    return start && end ? { start: timeOf(start), end: timeOf(end) } : undefined;
  }

  async ping(): Promise<number> {
    const start = performance.now();
    await this.#connection().query('SHOW MEASUREMENTS LIMIT 1');
    return performance.now() - start;
  }

  /** Rows of pose frames in order. */
  async #poseFrames(conditions: Conditions, rest: string): Promise<Row[]> {
    const rows = await this.#rows(select(FIELDS.poseFrame, ['origin']), ['occupancy'], conditions, rest);
    return rows.sort(byPoseFrame);
  }

  /** Rows of persons in order. */
  async #persons(conditions: Conditions, rest: string): Promise<Row[]> {
    const rows = await this.#rows(select(FIELDS.person, []), ['pose'], conditions, rest);
    return rows.sort(byPerson);
  }

  /** `poseFrames` are consecutive, so all matching persons in their range belong to them. */
  async #personsOf(
    poseFrames: readonly Row[],
    query: Pick<PoseQuery, 'environment' | 'minConfidence'>,
  ): Promise<readonly Row[]> {
    const [first, last] = [poseFrames[0], poseFrames.at(-1)];
    if (!first || !last) return [];
    return this.#persons(personConditions({ ...query, start: timeOf(first), end: timeOf(last) + 1 }), '');
  }

  /** The pose frames of persons, read in ranges with few other pose frames. */
  async #poseFramesOf(persons: readonly Row[], environment: string): Promise<readonly Row[]> {
    if (persons.length === 0) return [];
    const columns = select(FIELDS.poseFrame, ['origin']);
    const statements = stretches(persons).map(([start, end]) => {
      const { where } = poseFrameConditions({ environment, start, end });
      return `SELECT ${columns} FROM ${this.#from(['occupancy'])} ${where}`;
    });
    const wanted = new Set(persons.map(keyOf));
    const found = (await this.#connection().query(statements.join('; '))).flatMap((series) => rowsOf(series));
    return found.filter((row) => wanted.has(keyOf(row))).sort(byPoseFrame);
  }

  /** @param field present in each point */
  async #count(measurement: string, conditions: Conditions, field = 'frame_id'): Promise<number> {
    const [row] = await this.#rows(`count(${identifier(field)})`, [measurement], conditions, '');
    return row ? (row['count'] as number) : 0;
  }

  get #asking(): Asking {
    return {
      query: (statements) => this.#connection().query(statements),
      from: (measurements) => this.#from(measurements),
    };
  }

  async #rows(
    columns: string,
    measurements: readonly string[],
    { where }: Conditions,
    rest: string,
  ): Promise<Row[]> {
    const [series] = await this.#connection().query(
      `SELECT ${columns} FROM ${this.#from(measurements)} ${where} ${rest}`,
    );
    return rowsOf(series!);
  }

  #from(measurements: readonly string[]): string {
    const prefix = this.#policy === null ? '' : `${identifier(this.#policy)}.`;
    return measurements.map((measurement) => prefix + identifier(measurement)).join(', ');
  }
}

const poseFrameConditions = (query: TimeRange & Pick<PoseQuery, 'minConfidence'>): Conditions =>
  ofPoseFrames(Conditions.of(query), query);

const personConditions = (query: TimeRange & Pick<PersonQuery, 'person' | 'minConfidence'>): Conditions =>
  ofPersons(Conditions.of(query), query);

/** InfluxQL has no condition that matches nothing. */
const takesNone = ({ types, severities }: EventQuery): boolean =>
  types?.length === 0 || severities?.length === 0;

const select = (fields: readonly { readonly name: string }[], tags: readonly string[]): string =>
  [...fields.map(({ name }) => name), ...tags].map(identifier).join(', ');
