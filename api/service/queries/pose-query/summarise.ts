import type { Aggregate, PoseSummary, Reader } from '../../../../pipeline/component/index.js';
import type { Environment } from '../../../../pipeline/model/index.js';
import { grainOf, startOf, type Summary } from './buckets.js';

/** Activities with shares: measures of detect-activity, in seconds per person and minute. */
export const ACTIVITIES = ['walking', 'standing', 'sitting', 'lying'] as const;
export type Activity = (typeof ACTIVITIES)[number];

/** The request; times are microseconds. */
export interface PoseQuestion {
  readonly start: number;
  readonly end: number;
  readonly summary: Summary;
  readonly minPersons: number;
  readonly maxPersons: number | null;
  readonly minConfidence: number;
  /** Only results in which at least one of them took place; null: all. */
  readonly activities: readonly Activity[] | null;
}

export interface PoseResult {
  /** Start of the local minute, hour, day or week, microseconds. */
  readonly start: number;
  /** Most persons at the same time. */
  readonly persons: number;
  /** Mean over all persons of all pose frames; 0 if there are none. */
  readonly confidence: number;
  /** Shares of the persons' time, 0 to 1; absent activities are omitted. */
  readonly activities: Partial<Record<Activity, number>>;
}

export interface PoseAnswer {
  readonly results: readonly PoseResult[];
  /** Rows that the database aggregated: pose frames, persons, and minutes of activities. */
  readonly rows: number;
}

/**
 * Queries the database for sums by minutes or quarters of an hour, and combines them to local hours, days and
 * weeks.
 */
export async function summarise(
  question: PoseQuestion,
  { id, timezone }: Environment,
  reader: Reader,
): Promise<PoseAnswer> {
  const { start, end, summary, minPersons, maxPersons, minConfidence, activities } = question;
  const range = { environment: id, start, end, bucket: grainOf(summary) };
  const [summaries, times] = await Promise.all([
    reader.summaries({
      ...range,
      minConfidence,
      minPersons,
      ...(maxPersons !== null && { maxPersons }),
    }),
    reader.aggregates({ ...range, names: ACTIVITIES.map(nameOf) }),
  ]);
  const results = new Map<number, Sums>();
  for (const part of summaries) add(sumsAt(results, startOf(summary, timezone, part.start)), part);
  for (const { name, start: from, sum } of times) {
    // A period without a matching pose frame has no result.
    const found = results.get(startOf(summary, timezone, from));
    const activity = ACTIVITIES.find((one) => nameOf(one) === name)!;
    if (found) found.seconds[activity] += sum;
  }
  return {
    results: [...results]
      .filter(([, { seconds }]) => activities?.some((activity) => seconds[activity] > 0) ?? true)
      .map(([from, sums]) => resultOf(from, sums)),
    rows: sumOf(summaries, ({ rows }) => rows) + sumOf(times, ({ count }) => count),
  };
}

const nameOf = (activity: Activity): string => `${activity}_seconds`;

interface Sums {
  persons: number;
  confidence: number;
  most: number;
  readonly seconds: Record<Activity, number>;
}

function sumsAt(results: Map<number, Sums>, start: number): Sums {
  const known = results.get(start);
  if (known) return known;
  const seconds = { walking: 0, standing: 0, sitting: 0, lying: 0 };
  const made: Sums = { persons: 0, confidence: 0, most: 0, seconds };
  results.set(start, made);
  return made;
}

function add(sums: Sums, { persons, confidence, most }: PoseSummary): void {
  sums.persons += persons;
  sums.confidence += confidence;
  sums.most = Math.max(sums.most, most);
}

function resultOf(start: number, { persons, confidence, most, seconds }: Sums): PoseResult {
  const total = sumOf(ACTIVITIES, (activity) => seconds[activity]);
  const done = ACTIVITIES.filter((activity) => seconds[activity] > 0);
  return {
    start,
    persons: most,
    confidence: persons === 0 ? 0 : thousandths(confidence / persons),
    activities: Object.fromEntries(
      done.map((activity) => [activity, thousandths(seconds[activity] / total)]),
    ),
  };
}

const sumOf = <T extends PoseSummary | Aggregate | Activity>(
  all: readonly T[],
  value: (one: T) => number,
): number => all.reduce((sum, one) => sum + value(one), 0);

const thousandths = (value: number): number => Math.round(value * 1000) / 1000;
