import type { Aggregate, Reader } from '../../../../pipeline/component/index.js';
import type { Environment } from '../../../../pipeline/model/index.js';
import { poseFrameFigures } from './pose-frame-figures.js';
import { MINUTE, type Range } from './periods.js';

/** A minute is measured once it is over and its input has arrived. */
export const SETTLED = 2 * MINUTE;
/** Page size of pose frames of a minute. */
const MAX_POSE_FRAMES = 6_000;

/**
 * Computes figures from stored pose frames for minutes that are not measured yet, or that begin before the range.
 * The current minute therefore counts immediately; once it is measured, its measures replace these figures.
 * @param until event time reached so far, microseconds
 */
export async function unmeasured(
  reader: Reader,
  environment: Environment,
  range: Range,
  until: number,
): Promise<readonly Aggregate[]> {
  const newest = (await reader.range(environment.id, until))?.end;
  if (newest === undefined || newest < range.start) return [];
  const first = Math.min(range.end, Math.ceil(range.start / MINUTE) * MINUTE);
  const running = await runningMinutes(reader, environment, {
    start: Math.max(first, Math.floor(newest / MINUTE) * MINUTE - SETTLED),
    end: Math.min(range.end, newest + 1),
  });
  const pieces = first > range.start ? [{ start: range.start, end: first }, ...running] : running;
  return (await Promise.all(pieces.map((piece) => figuresOf(reader, environment, piece)))).flat();
}

async function runningMinutes(
  reader: Reader,
  environment: Environment,
  { start, end }: Range,
): Promise<Range[]> {
  if (end <= start) return [];
  const query = { environment: environment.id, start, end, names: ['frames'], bucket: MINUTE };
  const measured = new Set((await reader.aggregates(query)).map((row) => row.start));
  const minutes = Array.from({ length: Math.ceil((end - start) / MINUTE) }, (_, index) => ({
    start: start + index * MINUTE,
    end: Math.min(end, start + (index + 1) * MINUTE),
  }));
  return minutes.filter((minute) => !measured.has(minute.start));
}

async function figuresOf(
  reader: Reader,
  environment: Environment,
  piece: Range,
): Promise<readonly Aggregate[]> {
  const poseFrames = await reader.poses({ environment: environment.id, ...piece, limit: MAX_POSE_FRAMES });
  return poseFrameFigures(environment, piece, poseFrames);
}
