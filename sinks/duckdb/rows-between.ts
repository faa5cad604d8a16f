import type { PersonQuery } from '../../pipeline/component/index.js';
import { Conditions } from './conditions.js';
import { instantOf } from './parameters.js';
import type { Snapshot } from './pool.js';
import { timesOf } from './pages.js';

/** Offsets up to this are sorted away directly. */
const DIRECT_OFFSET = 500;
/** Rows nearer together than this are not told apart further. */
const MIN_SPAN_US = 100_000;

/** Where the rows that are left begin, microseconds, and how many of them are to be skipped still. */
interface Rest {
  readonly from: number | undefined;
  readonly offset: number;
}

/**
 * Sorting millions of rows to skip them takes seconds. So stretches of time are counted until few rows are left to be
 * skipped: where a row should lie if they came evenly, or the middle where that does not narrow it down. Adds the
 * start of what is left to the conditions.
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

/** Stops before the place rather than behind it: what lies before is counted once. */
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
