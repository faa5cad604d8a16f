import type { Aggregate, PersonRow, Reader } from '../../../../pipeline/component/index.js';
import { MINUTE, type Range } from './periods.js';

/** A minute is measured once it is over, and what it needs has come. */
export const SETTLED = 2 * MINUTE;
/** Who is less sure is not counted, as `watch-zones` does by default. */
const SURE = 0.5;
/** Rows that persons are told apart by, of a minute at most. */
const MOST_ROWS = 10_000;

/**
 * What minutes that are not measured yet, or begin before the range, add to it: from the stored frames. So the running
 * minute counts at once; once it is measured, its measures take the place of these figures.
 */
export async function unmeasured(
  reader: Reader,
  environment: string,
  range: Range,
): Promise<readonly Aggregate[]> {
  const newest = (await reader.range(environment))?.end;
  if (newest === undefined || newest < range.start) return [];
  const first = Math.min(range.end, Math.ceil(range.start / MINUTE) * MINUTE);
  const running = await runningMinutes(reader, environment, {
    start: Math.max(first, Math.floor(newest / MINUTE) * MINUTE - SETTLED),
    end: Math.min(range.end, newest + 1),
  });
  const pieces = first > range.start ? [{ start: range.start, end: first }, ...running] : running;
  return (await Promise.all(pieces.map((piece) => figuresOf(reader, environment, piece)))).flat();
}

async function runningMinutes(reader: Reader, environment: string, { start, end }: Range): Promise<Range[]> {
  if (end <= start) return [];
  const frames = { environment, start, end, names: ['frames'], bucket: MINUTE };
  const measured = new Set((await reader.aggregates(frames)).map((row) => row.start));
  const minutes = Array.from({ length: Math.ceil((end - start) / MINUTE) }, (_, index) => ({
    start: start + index * MINUTE,
    end: Math.min(end, start + (index + 1) * MINUTE),
  }));
  return minutes.filter((minute) => !measured.has(minute.start));
}

/** A row of each measure, as if `watch-zones` had measured the piece. */
async function figuresOf(reader: Reader, environment: string, { start, end }: Range): Promise<Aggregate[]> {
  const asked = { environment, start, end, minConfidence: SURE };
  const [[summary], rows] = await Promise.all([
    reader.summaries({ ...asked, bucket: end - start, offset: start % (end - start) }),
    reader.persons({ ...asked, limit: MOST_ROWS }),
  ]);
  if (!summary) return [];
  const row = (name: string, value: number, subject: string | null = null): Aggregate => ({
    ...{ name, subject, start },
    ...{ count: 1, sum: value, min: value, max: value },
  });
  const { frames, persons, confidence, most } = summary;
  return [
    row('frames', frames),
    row('detections', persons),
    row('occupancy_peak', most),
    ...(persons > 0 ? [row('detection_confidence', confidence / persons)] : []),
    ...[...numbersOf(rows)].map((id) => row('person_seconds', 0, String(id))),
  ];
}

const numbersOf = (rows: readonly PersonRow[]): ReadonlySet<number> =>
  new Set(rows.flatMap(({ person }) => person.track?.id ?? []));
