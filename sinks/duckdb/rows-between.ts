import type { PersonQuery } from '../../pipeline/component/index.js';
import { Conditions } from './conditions.js';
import { instantOf } from './parameters.js';
import type { Snapshot } from './pool.js';
import { timesOf } from './pages.js';

/** Offsets up to this are skipped by sorting. */
const DIRECT_OFFSET = 500;
/** Rows closer together than this are not separated further. */
const MIN_SPAN_US = 100_000;

/** Start of the remaining rows, microseconds, and the number of them still to be skipped. */
interface Rest {
  readonly from: number | undefined;
  readonly offset: number;
}

/**
 * Narrows a range by counting, because sorting millions of rows to skip them takes seconds. Counts rows in
 * periods until few are left to skip: up to where the row would be if rows were evenly spaced, or the middle
 * if that does not narrow it down. Adds the start of the rest to the conditions.
 */
export async function skip(snapshot: Snapshot, conditions: Conditions, query: PersonQuery): Promise<Rest> {
  let left = query.offset ?? 0;
  const bounds = left > DIRECT_OFFSET ? await timesOf(snapshot, 'persons') : undefined;
  if (!bounds) return { from: query.start, offset: left };
  let from = Math.max(Math.ceil(query.start ?? -Infinity), bounds.first);
  let to = Math.min(Math.ceil(query.end ?? Infinity), bounds.last + 1);
  let within = (bounds.rows * (to - from)) / (bounds.last + 1 - bounds.first);
  for (let even = true; left > DIRECT_OFFSET && to - from > MIN_SPAN_US;) {
    const [length, before] = [to - from, left];
    const share = even ? Math.min(SHORT_OF * (left / within), 1) : 0.5;
    const split = Math.max(from + 1, Math.floor(from + share * length));
    const rows = await rowsBetween(snapshot, conditions, from, split);
    if (rows <= left) {
      left -= rows;
      within = Math.max(1, within - rows);
      from = split;
    } else {
      within = rows;
      to = split;
    }
    even = left < before / 2 || to - from < length / 2;
  }
  conditions.add('"time" >= $from', { from: instantOf(from) });
  return { from, offset: left };
}

/** Stops before the position rather than after it: rows before it are counted once. */
const SHORT_OF = 0.99;

async function rowsBetween(
  snapshot: Snapshot,
  { where, parameters }: Conditions,
  from: number,
  to: number,
): Promise<number> {
  const [found] = await snapshot.query(
    `SELECT count(*) AS rows FROM persons ${where} AND "time" >= $from AND "time" < $to`,
    { ...parameters, from: instantOf(from), to: instantOf(to) },
  );
  return found!['rows'] as number;
}
