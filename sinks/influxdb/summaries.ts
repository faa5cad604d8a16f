import { bucketsOf, type PoseSummary, type SummaryQuery } from '../../pipeline/component/index.js';
import { summariesOf, type CountedPoseFrames } from '../shared/summaries.js';
import type { Asking } from './aggregates.js';
import { POSE_FRAME } from '../shared/line-protocol/points.js';
import { Conditions } from './query.js';
import { timeOf, type Row } from '../shared/line-protocol/rows.js';
import { rowsOf } from './rows.js';

/**
 * Pose frames aggregated by the database. The points of its persons are in the microsecond of a pose frame, so
 * grouping them by microsecond counts pose frames; InfluxQL cannot group by a field.
 */
export async function poseSummaries(query: SummaryQuery, store: Asking): Promise<PoseSummary[]> {
  const { length, first } = bucketsOf(query);
  const { environment, start, end, minConfidence, minPersons = 0, maxPersons } = query;
  if (!(end > start)) return [];
  const range = Conditions.of({ environment, start, end });
  const persons = Conditions.of({ environment, start, end }).atLeast('confidence', minConfidence);
  const counts =
    `(SELECT count("frame_id") AS "n", sum("confidence") AS "sum" FROM ${store.from(['pose'])} ` +
    `${persons.where} GROUP BY time(1u) fill(none))`;
  const buckets = `GROUP BY time(${BigInt(length)}u, ${BigInt(first)}u) fill(none)`;
  const times = Conditions.times({ start, end });
  const wanted = Conditions.times({ start, end })
    .atLeast('n', Math.max(1, minPersons))
    .atMost('n', maxPersons);
  const [peopled, counted, all] = await store.query(
    [
      `SELECT count("n") AS "peopled", sum("n") AS "rows" FROM ${counts} ${times.where} ${buckets}`,
      `SELECT count("n") AS "frames", sum("n") AS "persons", sum("sum") AS "confidence", max("n") AS "most" ` +
        `FROM ${counts} ${wanted.where} ${buckets}`,
      ...(minPersons > 0
        ? []
        : [
            `SELECT count("frame_id") AS "frames" FROM ${store.from(['occupancy'])} ` +
              `${range.tag('name', POSE_FRAME).where} ${buckets}`,
          ]),
    ].join('; '),
  );
  const found = new Map(rowsOf(counted!).map((row) => [timeOf(row), row]));
  return summariesOf(
    rowsOf(peopled!).map((row) => countedOf(row, found.get(timeOf(row)))),
    rowsOf(all ?? []).map((row) => ({ start: timeOf(row), frames: row['frames'] as number })),
  );
}

const countedOf = (peopled: Row, wanted: Row | undefined): CountedPoseFrames => ({
  start: timeOf(peopled),
  peopled: peopled['peopled'] as number,
  rows: peopled['rows'] as number,
  frames: (wanted?.['frames'] as number | undefined) ?? 0,
  persons: (wanted?.['persons'] as number | undefined) ?? 0,
  confidence: (wanted?.['confidence'] as number | undefined) ?? 0,
  most: (wanted?.['most'] as number | undefined) ?? 0,
});
