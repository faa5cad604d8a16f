import type { Measure, PoseFrame, SensedEvent, Person } from '../model/index.js';
import { codedError } from '../base/error-text.js';

/** Which part of a store to export to a file for other programs. */
export interface TableSelection {
  readonly table: string;
  readonly format: 'parquet' | 'csv' | 'ndjson';
  /** Microseconds, included; of tracks, of their first row. */
  readonly start: number | undefined;
  /** Microseconds, excluded. */
  readonly end: number | undefined;
}

/** What an answer to {@link Reader.ask} may hold. */
export interface AskLimits {
  readonly maxRows: number;
  /** Size of the rows as JSON. */
  readonly maxBytes: number;
}

/** Rows of a query as JSON: times are text in UTC. */
export interface Asked {
  /** Types as SQL names them. */
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly unknown[])[];
  /** True if a limit cut off further rows. */
  readonly truncated: boolean;
}

/** The error of a query that cannot be run as it is written. */
export const queryRefused = (message: string, cause?: unknown): Error =>
  codedError('query.refused', message, cause);

export const isRefused = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && error.code === 'query.refused';

/** Queries a store. All stores answer alike, so the API does not know which one it has. Times are microseconds. */
export interface Reader {
  /**
   * Writes committed rows, oldest first, to a new file in `backups` of the context's state folder; returns
   * their number. For stores in files that other programs cannot open at the same time.
   */
  exportTo?(file: string, selection: TableSelection): Promise<number>;
  /**
   * Runs one SELECT of the caller's on the tables of the store (docs/stores.md) and on nothing else. Only of stores
   * that speak SQL.
   * @throws Error `query.refused` for any other text, and if the query itself fails
   */
  ask?(sql: string, limits: AskLimits): Promise<Asked>;
  /**
   * The newest pose frame by event time, or undefined if there is none.
   * @param until ignores pose frames of later times, microseconds: the clock was ahead when they were stored
   */
  latestPose(environment: string, until?: number): Promise<PoseFrame | undefined>;
  /** Pose frames in a range, start included, end excluded, oldest first. */
  poses(query: PoseQuery): Promise<readonly PoseFrame[]>;
  /** How many pose frames `poses` would return without limit and cursor. */
  countPoses(query: PoseQuery): Promise<number>;
  /** One row per person and pose frame, oldest first. */
  persons(query: PersonQuery): Promise<readonly PersonRow[]>;
  countPersons(query: PersonQuery): Promise<number>;
  /** Events in a range, oldest first. */
  events(query: EventQuery): Promise<readonly SensedEvent[]>;
  countEvents(query: EventQuery): Promise<number>;
  measures(query: MeasureQuery): Promise<readonly Measure[]>;
  /**
   * Measures summed up by name, subject and bucket of time, ordered by start, name and subject. Only
   * csiflow's own measures, not senders' claims; buckets without a measure are omitted.
   * @throws RangeError if the bucket is not a whole number of microseconds above 0
   */
  aggregates(query: AggregateQuery): Promise<readonly Aggregate[]>;
  /**
   * Pose frames summed up by bucket of time, oldest first; buckets without a matching pose frame are omitted.
   * Pose frames of one environment in the same microsecond may count as one.
   * @throws RangeError if the bucket is not a whole number of microseconds above 0
   */
  summaries(query: SummaryQuery): Promise<readonly PoseSummary[]>;
  /**
   * Persons in sight by cell of the floor, ordered by y and x; cells without one are omitted. Persons outside
   * the room and those whose track is not active do not count.
   * @throws TooManyRows from a store that cannot group by position, for a range with too many persons
   */
  places(query: PlaceQuery): Promise<readonly Place[]>;
  /** Mean inference time of the pose frames in a range, milliseconds; 0 if there are none. */
  meanProcessingMs(query: TimeRange): Promise<number>;
  /** First and last event time of pose frames up to `until`; undefined if there are none. */
  range(
    environment: string,
    until?: number,
  ): Promise<{ readonly start: number; readonly end: number } | undefined>;
  /** Round-trip time of the smallest query, milliseconds; rejects if the store cannot be reached. */
  ping(): Promise<number>;
  /** The same store, with calls that stop and reject with the signal's reason when it aborts. */
  until(signal: AbortSignal): Reader;
}

export interface TimeRange {
  readonly environment: string;
  readonly start?: number;
  readonly end?: number;
}

/**
 * A cursor into an ordered result: everything up to and including it has been read. Stable while rows are
 * being written.
 */
export interface Cursor {
  readonly time: number;
  readonly frameId: number;
}

export interface PoseQuery extends TimeRange {
  readonly person?: number;
  readonly minConfidence?: number;
  readonly after?: Cursor;
  readonly limit?: number;
}

export interface PersonQuery extends TimeRange {
  readonly person?: number;
  readonly minConfidence?: number;
  readonly limit?: number;
  readonly offset?: number;
}

export interface PersonRow {
  readonly time: number;
  readonly frameId: number;
  readonly environment: string;
  readonly person: Person;
}

export interface EventQuery extends TimeRange {
  readonly types?: readonly string[];
  readonly severities?: readonly string[];
  /** Only csiflow's own findings, without senders' claims. Default true. */
  readonly ownOnly?: boolean;
  readonly limit?: number;
  readonly offset?: number;
}

export interface MeasureQuery extends TimeRange {
  readonly names?: readonly string[];
  readonly subject?: string;
  readonly limit?: number;
}

export interface AggregateQuery extends TimeRange {
  readonly start: number;
  readonly end: number;
  readonly names: readonly string[];
  /** Null: only measures of the environment itself. Default: all subjects. */
  readonly subject?: null;
  /** Length of a bucket, whole microseconds. */
  readonly bucket: number;
  /** Buckets start at multiples of `bucket` since 1970, plus this: whole microseconds, default 0. */
  readonly offset?: number;
}

/** The measures of one name and subject in one bucket; those outside the query's range do not count. */
export interface Aggregate {
  readonly name: string;
  readonly subject: string | null;
  /** Start of the bucket, microseconds; the first one can start before the query's range. */
  readonly start: number;
  readonly count: number;
  readonly sum: number;
  readonly min: number;
  readonly max: number;
}

export interface SummaryQuery extends TimeRange, Pick<AggregateQuery, 'bucket' | 'offset'> {
  readonly start: number;
  readonly end: number;
  /** Persons below it are not counted. Default 0. */
  readonly minConfidence?: number;
  /** Pose frames in which fewer or more persons count are omitted. Defaults: 0, any number. */
  readonly minPersons?: number;
  readonly maxPersons?: number;
}

export interface PlaceQuery extends TimeRange {
  readonly start: number;
  readonly end: number;
  /** Size of the room, metres. */
  readonly size: { readonly x: number; readonly y: number };
  /** Edge of a cell, metres. */
  readonly cell: number;
}

/** A cell of the floor. */
export interface Place {
  /** Number of the cell along x and y, from 0 in the corner of the room. */
  readonly x: number;
  readonly y: number;
  /** Over all pose frames. */
  readonly persons: number;
}

/** A query would read more rows than a store may. */
export class TooManyRows extends Error {
  constructor(limit: number) {
    super(`the range has more than ${limit} rows: use a shorter one`);
  }
}

/** The pose frames of a bucket that match a query. */
export interface PoseSummary {
  /** Start of the bucket, microseconds; the first one can start before the query's range. */
  readonly start: number;
  readonly frames: number;
  /** Persons in them, over all pose frames, and the sum of their confidences. */
  readonly persons: number;
  readonly confidence: number;
  /** The largest number of persons in a pose frame. */
  readonly most: number;
  /** Stored rows, of pose frames and of persons, that the database aggregated for it. */
  readonly rows: number;
}

/**
 * Length and offset (0 to the length) of a query's buckets, whole microseconds.
 * @throws RangeError if they are not whole, or the length is not above 0
 */
export function bucketsOf({ bucket, offset = 0 }: Pick<AggregateQuery, 'bucket' | 'offset'>): {
  readonly length: number;
  readonly first: number;
} {
  if (!Number.isSafeInteger(bucket) || bucket <= 0)
    throw new RangeError(`a bucket of ${bucket} us: it must be a whole number above 0`);
  if (!Number.isSafeInteger(offset))
    throw new RangeError(`an offset of ${offset} us: it must be a whole number`);
  return { length: bucket, first: ((offset % bucket) + bucket) % bucket };
}
