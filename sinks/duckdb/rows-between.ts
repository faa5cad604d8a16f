import type { TimeRange } from '../../pipeline/component/index.js';
import type { Conditions } from './conditions.js';
import type { Landmark, Landmarks } from './counts.js';
import { instantOf } from './parameters.js';
import type { Snapshot } from './pool.js';
import { timesOf, type Page } from './pages.js';

/** Offsets up to this are skipped by sorting. */
const DIRECT_OFFSET = 500;
/** Rows closer together than this are not separated further. */
const MIN_SPAN_US = 100_000;
/** Stops before the position rather than after it: rows before it are counted once. */
const SHORT_OF = 0.99;

/** Start of the remaining rows, microseconds, and the number of them still to be skipped. */
interface Rest {
  readonly from: number | undefined;
  readonly offset: number;
}

/** A range of time, microseconds, in which the wanted row is. */
interface Span {
  readonly from: number;
  readonly to: number;
  /** Rows in it, and those of them before the wanted one. */
  readonly within: number;
  readonly left: number;
  /** `within` is counted; else it is what evenly spaced rows would be. */
  readonly isCounted: boolean;
}

/**
 * Narrows a range by counting, because sorting millions of rows to skip them takes seconds. Counts rows in
 * periods until few are left to skip: up to where the row would be if rows were evenly spaced, or the middle
 * if that does not narrow it down. Starts from what is known of earlier pages, and counts from the end of the
 * range if that is closer. Adds the start of the rest to the conditions.
 */
export async function skip(
  snapshot: Snapshot,
  conditions: Conditions,
  query: TimeRange & { readonly offset?: number },
  landmarks: Landmarks,
): Promise<Rest> {
  const { offset = 0 } = query;
  const bounds = offset > DIRECT_OFFSET ? await timesOf(snapshot, 'persons') : undefined;
  if (!bounds) return { from: query.start, offset };
  const first = Math.max(Math.ceil(query.start ?? -Infinity), bounds.first);
  const last = Math.min(endOf(query), bounds.last + 1);
  const within = (bounds.rows * (last - first)) / (bounds.last + 1 - bounds.first);
  const whole: Span = { from: first, to: last, within, left: offset, isCounted: false };
  let span = between(whole, landmarks.all, endOf(query));
  for (let even = true; span.left > DIRECT_OFFSET && span.to - span.from > MIN_SPAN_US;) {
    const { split, before } = await countedSplit(snapshot, conditions, span, even);
    landmarks.add({ time: split, rows: offset - span.left + before });
    const { left, from, to } = span;
    span =
      before <= left
        ? { ...span, from: split, left: left - before, within: Math.max(1, span.within - before) }
        : { ...span, to: split, within: before, isCounted: true };
    even = span.left < left / 2 || span.to - span.from < (to - from) / 2;
  }
  conditions.add('"time" >= $from', { from: instantOf(span.from) });
  return { from: span.from, offset: span.left };
}

/**
 * The number of rows that a query has, by counting those behind the last landmark.
 * @param conditions without an end of the range
 */
export async function countRows(
  snapshot: Pick<Snapshot, 'query'>,
  table: Page['table'],
  conditions: Conditions,
  query: TimeRange,
  landmarks: Landmarks,
): Promise<number> {
  const end = endOf(query);
  const known = landmarks.all.filter(({ time }) => time <= end);
  const last = known.reduce<Landmark>((later, one) => (one.time > later.time ? one : later), NOTHING_BEFORE);
  if (last.time === end) return last.rows;
  const rows = last.rows + (await rowsBetween(snapshot, table, conditions, last.time, end));
  // What precedes the landmark has changed meanwhile.
  if (!landmarks.areCurrent && last !== NOTHING_BEFORE)
    return rowsBetween(snapshot, table, conditions, -Infinity, end);
  landmarks.add({ time: end, rows });
  return rows;
}

const NOTHING_BEFORE: Landmark = { time: -Infinity, rows: 0 };

const endOf = ({ end = Infinity }: TimeRange): number => Math.ceil(end);

/** The part of a span between the landmarks around the wanted row. */
function between(span: Span, landmarks: readonly Landmark[], end: number): Span {
  let { from, left, to } = span;
  let rows = Infinity;
  for (const { time, rows: before } of landmarks) {
    if (time > end) continue;
    if (before <= span.left) {
      if (time <= from) continue;
      from = Math.min(time, to);
      left = span.left - before;
    } else if (before < rows) {
      rows = before;
      to = Math.min(time, to);
    }
  }
  if (rows === Infinity) {
    const within = (span.within * (to - from)) / (span.to - span.from);
    return { ...span, from, left, within: Math.max(1, within) };
  }
  return { from, to, left, within: rows - (span.left - left), isCounted: true };
}

/** A time near the wanted row, and how many rows of the span are before it. */
async function countedSplit(
  snapshot: Snapshot,
  conditions: Conditions,
  { from, to, within, left, isCounted }: Span,
  even: boolean,
): Promise<{ readonly split: number; readonly before: number }> {
  const right = within - left;
  if (isCounted && right < left) {
    const share = even ? Math.min(right / within / SHORT_OF, 1) : 0.5;
    const split = Math.min(to - 1, Math.ceil(to - share * (to - from)));
    return { split, before: within - (await rowsBetween(snapshot, 'persons', conditions, split, to)) };
  }
  const share = even ? Math.min(SHORT_OF * (left / within), 1) : 0.5;
  const split = Math.max(from + 1, Math.floor(from + share * (to - from)));
  return { split, before: await rowsBetween(snapshot, 'persons', conditions, from, split) };
}

async function rowsBetween(
  snapshot: Pick<Snapshot, 'query'>,
  table: Page['table'],
  conditions: Conditions,
  from: number,
  to: number,
): Promise<number> {
  const { where, parameters } = conditions
    .copy()
    .addTime('"time" >= $from', 'from', from === -Infinity ? undefined : from)
    .addTime('"time" < $to', 'to', to === Infinity ? undefined : to);
  const [found] = await snapshot.query(`SELECT count(*) AS rows FROM ${table} ${where}`, parameters);
  return found!['rows'] as number;
}
