import type { Aggregate, Reader } from '../../../../pipeline/component/index.js';
import type { Environment } from '../../../../pipeline/model/index.js';
import { poseFrameFigures } from './pose-frame-figures.js';
import { MINUTE, type Range } from './periods.js';
import type { RangeFigures } from './rollups.js';

/** A minute is measured once it is over and its input has arrived. */
export const SETTLED = 2 * MINUTE;
/** Page size of pose frames of a minute. */
const MAX_POSE_FRAMES = 6_000;

/**
 * Measures of a range, with figures from stored pose frames for minutes that are not measured yet, or that begin before
 * the range. The current minute therefore counts immediately; once it is measured, its measures replace these figures.
 * A minute whose measures are stored meanwhile counts once.
 * @param until event time reached so far, microseconds
 * @param measures reads the measures of the part of the range that is measured
 */
export async function figuresOver(
  reader: Reader,
  environment: Environment,
  range: Range,
  until: number,
  measures: (measured: Range) => Promise<readonly Aggregate[]>,
): Promise<RangeFigures> {
  const newest = (await reader.range(environment.id, until))?.end ?? -Infinity;
  const first = Math.min(range.end, Math.ceil(range.start / MINUTE) * MINUTE);
  const end = Math.min(range.end, newest + 1);
  const recent = Math.max(first, Math.floor(newest / MINUTE) * MINUTE - SETTLED);
  const running = end > recent ? await runningMinutes(reader, environment, { start: recent, end }) : [];
  const measuredUntil = running[0]?.start ?? range.end;
  const leading = first > range.start && newest >= range.start ? [{ start: range.start, end: first }] : [];
  const [measured, ...pieces] = await Promise.all([
    measuredUntil > first ? measures({ start: range.start, end: measuredUntil }) : [],
    ...[...leading, ...running].map((piece) => figuresOf(reader, environment, piece)),
  ]);
  return { measured, running: pieces.flat(), measuredUntil };
}

/** The minutes after the last measured one. Measures come in order, but minutes without pose frames have none. */
async function runningMinutes(
  reader: Reader,
  environment: Environment,
  { start, end }: Range,
): Promise<Range[]> {
  const query = { environment: environment.id, start, end, names: ['frames'], bucket: MINUTE };
  const measured = new Set((await reader.aggregates(query)).map((row) => row.start));
  const minutes = Array.from({ length: Math.ceil((end - start) / MINUTE) }, (_, index) => ({
    start: start + index * MINUTE,
    end: Math.min(end, start + (index + 1) * MINUTE),
  }));
  return minutes.slice(minutes.findLastIndex((minute) => measured.has(minute.start)) + 1);
}

async function figuresOf(
  reader: Reader,
  environment: Environment,
  piece: Range,
): Promise<readonly Aggregate[]> {
  const poseFrames = await reader.poses({ environment: environment.id, ...piece, limit: MAX_POSE_FRAMES });
  return poseFrameFigures(environment, piece, poseFrames);
}
