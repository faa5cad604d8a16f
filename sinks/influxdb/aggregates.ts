import { bucketsOf, type Aggregate, type AggregateQuery } from '../../pipeline/component/index.js';
import type { Series } from './connection.js';
import { measurementOf } from '../shared/line-protocol/points.js';
import { Conditions } from './query.js';
import {
  aggregateOf,
  byStartNameSubject,
  subjectOf,
  timeOf,
  type Row,
} from '../shared/line-protocol/rows.js';
import { rowsOf } from './rows.js';
import { decodeTag } from '../shared/line-protocol/tags.js';

/** Access to the store for queries. */
export interface Asking {
  /** The series of each statement; statements are separated by semicolons. */
  query(statements: string): Promise<readonly (readonly Series[])[]>;
  /** Measurements in the form of a FROM clause. */
  from(measurements: readonly string[]): string;
}

/**
 * Measures aggregated by the database. It can only group by tags, and a person is a field, so measures of
 * persons are grouped by slot. If a group contains several persons, its rows are read individually.
 */
export async function aggregatesOf(query: AggregateQuery, store: Asking): Promise<Aggregate[]> {
  const { length, first } = bucketsOf(query);
  if (query.names.length === 0 || !(query.end > query.start)) return [];
  const from = store.from([...new Set(query.names.map(measurementOf))]);
  const [series] = await store.query(
    `SELECT ${SUMS} FROM ${from} ${conditionsOf(query).where} ` +
      `GROUP BY time(${BigInt(length)}u, ${BigInt(first)}u), "name", "subject", "slot" fill(none)`,
  );
  const groups = rowsOf(series!);
  const shared = groups.filter((row) => row['least'] !== row['greatest']);
  const own = groups
    .filter((row) => row['least'] === row['greatest'])
    .map((row) => aggregateOf(row, subjectOf({ ...row, person: row['least']! }), timeOf(row)));
  return [...own, ...(await byRows(shared, { query, length, from, store }))].sort(byStartNameSubject);
}

const SUMS =
  'count("value") AS "count", sum("value") AS "sum", min("value") AS "min", max("value") AS "max", ' +
  'min("person") AS "least", max("person") AS "greatest"';

function conditionsOf(query: AggregateQuery): Conditions {
  const conditions = Conditions.of(query).oneOf('name', query.names).tag('source', 'csiflow');
  return query.subject === null ? conditions.without('subject').without('slot') : conditions;
}

/** Limit of statements per request. */
const MAX_STATEMENTS = 24;

/** Aggregates of persons who share a group, one for each: reads all rows of the group's bucket and slot. */
async function byRows(
  groups: readonly Row[],
  {
    query,
    length,
    from,
    store,
  }: {
    readonly query: AggregateQuery;
    readonly length: number;
    readonly from: string;
    readonly store: Asking;
  },
): Promise<Aggregate[]> {
  const slots = new Map<number, Set<string>>();
  const wanted = new Set<string>();
  for (const row of groups) {
    const start = row['time'] as number;
    const known = slots.get(start) ?? new Set<string>();
    slots.set(start, known.add(row['slot'] as string));
    wanted.add(groupKey(start, row));
  }
  const buckets = [...slots];
  const sums: Aggregate[] = [];
  for (let at = 0; at < buckets.length; at += MAX_STATEMENTS) {
    const some = buckets.slice(at, at + MAX_STATEMENTS);
    const statements = some.map(([start, slots]) => {
      const range = { start: Math.max(start, query.start), end: Math.min(start + length, query.end) };
      const { where } = conditionsOf({ ...query, ...range }).oneOf('slot', [...slots]);
      return `SELECT "value", "person", "name", "slot" FROM ${from} ${where}`;
    });
    const answers = await store.query(statements.join('; '));
    answers.forEach((series, index) => {
      const start = some[index]![0];
      sums.push(
        ...sumsOf(
          rowsOf(series).filter((row) => wanted.has(groupKey(start, row))),
          start,
        ),
      );
    });
  }
  return sums;
}

const groupKey = (start: number, row: Row): string =>
  JSON.stringify([start, row['slot'] ?? null, row['name'] ?? null]);

/** One for each name and person in the rows of a bucket. */
function sumsOf(rows: readonly Row[], start: number): Iterable<Aggregate> {
  const sums = new Map<string, Aggregate>();
  for (const row of rows) {
    const value = row['value'] as number;
    const name = decodeTag(row['name'] as string);
    const subject = String(row['person']);
    const key = `${subject} ${name}`;
    const before = sums.get(key) ?? { count: 0, sum: 0, min: Infinity, max: -Infinity };
    sums.set(key, {
      name,
      subject,
      start,
      count: before.count + 1,
      sum: before.sum + value,
      min: Math.min(before.min, value),
      max: Math.max(before.max, value),
    });
  }
  return sums.values();
}
