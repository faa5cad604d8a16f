import type { PoseSummary, SummaryQuery } from '../../pipeline/component/index.js';
import type { PoseFrame } from '../../pipeline/model/index.js';

/** A reader's `summaries` in plain loops: for expectations, and for fake readers. */
export function summariesOf(frames: readonly PoseFrame[], query: SummaryQuery): PoseSummary[] {
  const { environment, start, end, bucket, offset = 0 } = query;
  const { minConfidence = 0, minPersons = 0, maxPersons = Infinity } = query;
  const buckets = new Map<number, { wanted: number[][]; rows: number }>();
  for (const { environment: room, time, persons } of frames) {
    if (room !== environment || !(time >= start && time < end)) continue;
    const from = Math.floor((time - offset) / bucket) * bucket + offset;
    const found = buckets.get(from) ?? { wanted: [], rows: 0 };
    buckets.set(from, found);
    const sure = persons.map(({ confidence }) => confidence).filter((one) => one >= minConfidence);
    found.rows += sure.length + (minPersons > 0 ? 0 : 1);
    if (sure.length >= minPersons && sure.length <= maxPersons) found.wanted.push(sure);
  }
  return [...buckets]
    .filter(([, { wanted }]) => wanted.length > 0)
    .map(([from, { wanted, rows }]) => ({
      start: from,
      frames: wanted.length,
      persons: wanted.flat().length,
      confidence: wanted.flat().reduce((sum, one) => sum + one, 0),
      most: Math.max(...wanted.map((frame) => frame.length)),
      rows,
    }))
    .sort((a, b) => a.start - b.start);
}
