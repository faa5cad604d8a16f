import { bucketsOf, type PoseSummary, type SummaryQuery } from '../../pipeline/component/index.js';
import { summariesOf, type CountedPoseFrames } from '../shared/summaries.js';
import { Conditions } from './conditions.js';
import type { Row } from '../shared/rows.js';
import type { Snapshot } from './pool.js';

/**
 * Start of a row's bucket. Integer division rounds towards zero, so one bucket is added to keep the times of
 * the first bucket above zero. Bigints are passed as HUGEINT, whose division is ten times slower: hence the
 * casts.
 */
export const BUCKET =
  '((epoch_us("time") - $first::BIGINT + $length::BIGINT) // $length::BIGINT - 1) * $length::BIGINT + $first::BIGINT';

/** More persons than a pose frame can have. */
const MAX_PERSONS = 0xffff_ffff;

/** Pose frames aggregated by bucket. */
export async function poseSummaries(snapshot: Snapshot, query: SummaryQuery): Promise<PoseSummary[]> {
  const { minConfidence = 0, minPersons = 0, maxPersons } = query;
  const whole = minConfidence <= 0 && minPersons === 0 && maxPersons === undefined;
  return whole ? ofAllPoseFrames(snapshot, query) : ofWantedPoseFrames(snapshot, query);
}

/** Without filters, the pose frames' own count of persons suffices: grouping millions of persons takes seconds. */
async function ofAllPoseFrames(snapshot: Snapshot, query: SummaryQuery): Promise<PoseSummary[]> {
  const { where, parameters } = conditionsOf(query);
  const buckets = await snapshot.query(
    `SELECT ${BUCKET} AS start, count(*) AS frames, sum(person_count) AS persons, max(person_count) AS most
     FROM poses ${where} GROUP BY start ORDER BY start`,
    parameters,
  );
  const persons = await snapshot.query(
    `SELECT ${BUCKET} AS start, sum(confidence) AS confidence FROM persons ${where} GROUP BY start`,
    parameters,
  );
  const confidences = new Map(persons.map((row) => [row['start'] as number, row['confidence'] as number]));
  return buckets.map((row) => {
    const start = row['start'] as number;
    const [count, people] = [row['frames'] as number, row['persons'] as number];
    return {
      start,
      frames: count,
      persons: people,
      confidence: confidences.get(start) ?? 0,
      most: row['most'] as number,
      rows: count + people,
    };
  });
}

async function ofWantedPoseFrames(snapshot: Snapshot, query: SummaryQuery): Promise<PoseSummary[]> {
  const { minConfidence, minPersons = 0, maxPersons = MAX_PERSONS } = query;
  const all = conditionsOf(query);
  const persons = conditionsOf(query, minConfidence);
  const counted = await snapshot.query(
    `WITH frames AS (SELECT "time", count(*) AS n, sum(confidence) AS confidence FROM persons
       ${persons.where} GROUP BY "time")
     SELECT ${BUCKET} AS start, count(*) AS peopled, sum(n) AS rows, count(*) FILTER (wanted) AS frames,
       sum(n) FILTER (wanted) AS persons, sum(confidence) FILTER (wanted) AS confidence,
       max(n) FILTER (wanted) AS most
     FROM (SELECT *, n >= $fewest AND n <= $most AS wanted FROM frames) GROUP BY start`,
    { ...persons.parameters, fewest: BigInt(minPersons), most: BigInt(maxPersons) },
  );
  const frames =
    minPersons > 0
      ? []
      : await snapshot.query(
          `SELECT ${BUCKET} AS start, count(*) AS frames FROM poses ${all.where} GROUP BY start`,
          all.parameters,
        );
  return summariesOf(
    counted.map(countedOf),
    frames.map((row) => ({ start: row['start'] as number, frames: row['frames'] as number })),
  );
}

function conditionsOf({ environment, start, end, ...buckets }: SummaryQuery, minConfidence?: number) {
  const { length, first } = bucketsOf(buckets);
  const { where, parameters } = Conditions.of({ environment, start, end }).addIf(
    minConfidence,
    'confidence >= $minConfidence',
    (least) => ({ minConfidence: least }),
  );
  return { where, parameters: { ...parameters, length: BigInt(length), first: BigInt(first) } };
}

const countedOf = (row: Row): CountedPoseFrames => ({
  start: row['start'] as number,
  peopled: row['peopled'] as number,
  rows: row['rows'] as number,
  frames: row['frames'] as number,
  persons: (row['persons'] as number | null) ?? 0,
  confidence: (row['confidence'] as number | null) ?? 0,
  most: (row['most'] as number | null) ?? 0,
});
