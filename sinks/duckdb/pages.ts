import type { Row } from '../shared/rows.js';
import type { Conditions } from './conditions.js';
import { instantOf, type Parameters } from './parameters.js';
import type { Snapshot } from './pool.js';

export interface Page {
  readonly table: 'poses' | 'persons';
  readonly conditions: Conditions;
  /** Start of the range, microseconds; default: the first row. */
  readonly from?: number | undefined;
  /** Number of rows to return, and to skip before them; no `limit`: all. */
  readonly limit?: number | undefined;
  readonly offset?: number;
}

/** Periods that probably contain a row, microseconds: first for slow rooms, then for filters that hardly match. */
const ROW_WITHIN_US = [200_000, 20_000_000];

/**
 * The first rows in the order of time. Sorting millions of rows for the first hundred is the slowest part, so
 * it searches a short period first.
 * @param sql of a condition, with `ORDER BY` time, `LIMIT $limit` and `OFFSET $offset`
 */
export async function firstRows(
  snapshot: Snapshot,
  { table, conditions, from, limit, offset = 0 }: Page,
  sql: (where: string) => string,
): Promise<readonly Row[]> {
  const { where } = conditions;
  const parameters: Parameters = {
    ...conditions.parameters,
    ...(limit !== undefined && { limit: BigInt(limit), offset: BigInt(offset) }),
  };
  if (limit === undefined) return snapshot.query(sql(where), parameters);
  const bounds = await timesOf(snapshot, table);
  if (!bounds) return [];
  const begin = Math.max(from ?? -Infinity, bounds.first);
  for (const width of ROW_WITHIN_US) {
    const until = begin + (limit + offset) * width;
    if (until > bounds.last) break;
    const found = await snapshot.query(sql(`${where} AND "time" < $until`), {
      ...parameters,
      until: instantOf(until),
    });
    if (found.length === limit) return found;
  }
  return snapshot.query(sql(where), parameters);
}

/**
 * Times of the first and the last row, and the number of rows; undefined for an empty table. Without
 * conditions, because the file's statistics answer that.
 */
export async function timesOf(
  snapshot: Snapshot,
  table: Page['table'],
): Promise<{ readonly first: number; readonly last: number; readonly rows: number } | undefined> {
  const [bounds] = await snapshot.query(
    `SELECT min("time") AS first, max("time") AS last, count(*) AS rows FROM ${table}`,
    {},
  );
  const { first, last, rows } = bounds!;
  return typeof first === 'number' && typeof last === 'number'
    ? { first, last, rows: rows as number }
    : undefined;
}
