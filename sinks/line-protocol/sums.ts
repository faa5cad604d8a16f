import {
  bucketsOf,
  type Aggregate,
  type AggregateQuery,
  type Place,
  type PlaceQuery,
  type PoseSummary,
  type SummaryQuery,
} from '../../pipeline/component/index.js';
import { POSE_FRAME, measurementOf } from '../shared/line-protocol/points.js';
import { aggregateOf, byStartNameSubject, subjectOf, type Row } from '../shared/line-protocol/rows.js';
import { summariesOf } from '../shared/summaries.js';
import { POSE_FRAME_COLUMNS, MEASURE_COLUMNS, PERSON_COLUMNS, type Columns } from './columns.js';
import { Conditions } from './conditions.js';

/** What sums need of a store. */
export interface Asking {
  /** @param sql of a relation with the wanted columns, which need not exist. No rows if no table does. */
  rows(
    tables: readonly string[],
    wanted: Columns,
    conditions: Conditions,
    sql: (from: string) => string,
  ): Promise<readonly Row[]>;
}

/** Start of a row's bucket. Times are above zero; one bucket is added, because division rounds towards zero. */
const bucketStart = ({ length, first }: { readonly length: number; readonly first: number }): string =>
  `(("us" - ${first} + ${length}) / ${length} - 1) * ${length} + ${first}`;

/** Measures summed up by the database. */
export async function aggregatesOf(query: AggregateQuery, store: Asking): Promise<Aggregate[]> {
  const start = bucketStart(bucketsOf(query));
  if (query.names.length === 0 || !(query.end > query.start)) return [];
  const conditions = Conditions.of(query).oneOf('name', query.names).tag('source', 'csiflow');
  if (query.subject === null) conditions.add('"subject" IS NULL AND "person" IS NULL');
  const tables = [...new Set(query.names.map(measurementOf))];
  const rows = await store.rows(
    tables,
    MEASURE_COLUMNS,
    conditions,
    (from) =>
      `SELECT "name", "subject", "person", ${start} AS "start", count("value") AS "count", sum("value") AS "sum", ` +
      `min("value") AS "min", max("value") AS "max" FROM ${from} GROUP BY "name", "subject", "person", 4`,
  );
  return rows.map((row) => aggregateOf(row, subjectOf(row), row['start'] as number)).sort(byStartNameSubject);
}

/** Pose frames summed up by the database. */
export async function poseSummaries(query: SummaryQuery, store: Asking): Promise<PoseSummary[]> {
  const start = bucketStart(bucketsOf(query));
  const { environment, minConfidence, minPersons = 0, maxPersons } = query;
  if (!(query.end > query.start)) return [];
  const range = { environment, start: query.start, end: query.end };
  const most = maxPersons === undefined ? '' : ` AND n <= ${BigInt(maxPersons)}`;
  const wanted = `n >= ${BigInt(Math.max(1, minPersons))}${most}`;
  const counted = await store.rows(
    ['pose'],
    PERSON_COLUMNS,
    Conditions.of(range).atLeast('confidence', minConfidence),
    (from) =>
      `SELECT ${start} AS "start", count(*) AS "peopled", sum(n) AS "rows", ` +
      `sum(CASE WHEN ${wanted} THEN 1 ELSE 0 END) AS "frames", sum(CASE WHEN ${wanted} THEN n ELSE 0 END) AS "persons", ` +
      `sum(CASE WHEN ${wanted} THEN c ELSE 0.0 END) AS "confidence", max(CASE WHEN ${wanted} THEN n ELSE 0 END) AS "most" ` +
      `FROM (SELECT "us", "frame_id", count(*) AS n, sum("confidence") AS c FROM ${from} GROUP BY "us", "frame_id") GROUP BY 1`,
  );
  const all =
    minPersons > 0
      ? []
      : await store.rows(
          ['occupancy'],
          POSE_FRAME_COLUMNS,
          Conditions.of(range).tag('name', POSE_FRAME),
          (from) => `SELECT ${start} AS "start", count(*) AS "frames" FROM ${from} GROUP BY 1`,
        );
  const number = (row: Row, name: string): number => row[name] as number;
  return summariesOf(
    counted.map((row) => ({
      start: number(row, 'start'),
      peopled: number(row, 'peopled'),
      rows: number(row, 'rows'),
      frames: number(row, 'frames'),
      persons: number(row, 'persons'),
      confidence: number(row, 'confidence'),
      most: number(row, 'most'),
    })),
    all.map((row) => ({ start: number(row, 'start'), frames: number(row, 'frames') })),
  );
}

/** Persons in sight by cell of the floor, counted by the database. */
export async function placesOf(query: PlaceQuery, store: Asking): Promise<Place[]> {
  const { environment, start, end, size, cell } = query;
  const conditions = Conditions.of({ environment, start, end })
    .add(`("track_state" IS NULL OR "track_state" = 'active')`)
    .add(`"x" >= 0.0 AND "x" < ${size.x} AND "y" >= 0.0 AND "y" < ${size.y}`);
  const rows = await store.rows(
    ['pose'],
    PERSON_COLUMNS,
    conditions,
    (from) =>
      `SELECT floor("x" / ${cell}) AS "across", floor("y" / ${cell}) AS "away", count(*) AS "persons" ` +
      `FROM ${from} GROUP BY 1, 2 ORDER BY 2, 1`,
  );
  return rows.map((row) => ({
    x: row['across'] as number,
    y: row['away'] as number,
    persons: row['persons'] as number,
  }));
}
