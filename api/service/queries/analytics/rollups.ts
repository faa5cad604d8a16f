import type { Aggregate, Reader } from '../../../../pipeline/component/index.js';
import { MINUTE, type Range } from './periods.js';

/** Time of a minute with this number of persons, as measured by watch-zones. */
export const WITH_PERSONS = [
  'seconds_with_0_persons',
  'seconds_with_1_persons',
  'seconds_with_2_persons',
  'seconds_with_3_persons',
  'seconds_with_4_plus_persons',
] as const;

/** Rows of measures, and those that pose frames give where nothing is measured yet. */
export interface RangeFigures {
  readonly measured: readonly Aggregate[];
  readonly running: readonly Aggregate[];
  /** Microseconds: what is before it, measures say, where there were pose frames. */
  readonly measuredUntil: number;
}

/** Measures of a range, summed up by name and subject. Missing ones are 0, because sums of 0 are not stored. */
export class Rollups {
  readonly #byName = new Map<string, Aggregate[]>();

  constructor(rows: readonly Aggregate[]) {
    for (const row of rows) {
      const known = this.#byName.get(row.name);
      if (known) known.push(row);
      else this.#byName.set(row.name, [row]);
    }
  }

  get isEmpty(): boolean {
    return this.#byName.size === 0;
  }

  /** Over all subjects. */
  sum(name: string): number {
    return this.#named(name).reduce((sum, row) => sum + row.sum, 0);
  }

  /** For each subject; null is the environment. */
  sums(name: string): ReadonlyMap<string | null, number> {
    const found = new Map<string | null, number>();
    for (const { subject, sum } of this.#named(name)) found.set(subject, (found.get(subject) ?? 0) + sum);
    return found;
  }

  /** For one subject; null is the environment. */
  sumOf(name: string, subject: string | null): number {
    return this.sums(name).get(subject) ?? 0;
  }

  /** Stored rows. */
  count(name: string): number {
    return this.#named(name).reduce((sum, row) => sum + row.count, 0);
  }

  /** Mean of the stored rows; 0 if there are none. */
  mean(name: string): number {
    return over(this.sum(name), this.count(name));
  }

  /** For one subject; 0 if there is none. */
  max(name: string, subject: string | null): number {
    return this.#named(name).reduce(
      (max, row) => (row.subject === subject ? Math.max(max, row.max) : max),
      0,
    );
  }

  /** Each subject's greatest value. */
  greatest(name: string): ReadonlyMap<string, number> {
    const found = new Map<string, number>();
    for (const { subject, max } of this.#named(name))
      if (subject !== null) found.set(subject, Math.max(max, found.get(subject) ?? -Infinity));
    return found;
  }

  /** Subjects with data. */
  subjects(...names: readonly string[]): ReadonlySet<string> {
    const found = names.flatMap((name) => this.#named(name).map(({ subject }) => subject));
    return new Set(found.filter((subject) => subject !== null));
  }

  /** Seconds in which pose frames gave the number of persons. */
  get observedSeconds(): number {
    return WITH_PERSONS.reduce((sum, name) => sum + this.sum(name), 0);
  }

  /** Mean number of persons over the observed seconds. Needs presence_seconds and {@link WITH_PERSONS}. */
  get occupancy(): number {
    return over(this.sum('presence_seconds'), this.observedSeconds);
  }

  #named = (name: string): readonly Aggregate[] => this.#byName.get(name) ?? [];
}

/** Measures of a whole range, in one call. */
export function measuresOf(
  reader: Reader,
  environment: string,
  { start, end }: Range,
  names: readonly string[],
): Promise<readonly Aggregate[]> {
  if (names.length === 0) return Promise.resolve([]);
  const bucket = end - start;
  return reader.aggregates({ environment, start, end, names, bucket, offset: start % bucket });
}

/** Rows by the period that contains their bucket, oldest first. */
export function byStart(rows: readonly Aggregate[], startOf: (time: number) => number): [number, Rollups][] {
  const parts = new Map<number, Aggregate[]>();
  // Calendars are slow, and many rows have the same bucket.
  const starts = new Map<number, number>();
  for (const row of rows) {
    const start = starts.get(row.start) ?? startOf(row.start);
    starts.set(row.start, start);
    const part = parts.get(start);
    if (part) part.push(row);
    else parts.set(start, [row]);
  }
  return [...parts].sort(([a], [b]) => a - b).map(([start, part]) => [start, new Rollups(part)]);
}

/**
 * The largest number of persons, and the first minute with that number; the start of the range if it is 0.
 */
export interface Peak {
  readonly persons: number;
  readonly time: number;
}

/**
 * @param figures over the range, of `occupancy_peak` and others; measured ones by buckets of `bucket` microseconds: the
 * minute is searched in one of them
 */
export async function peakOccupancy(
  reader: Reader,
  environment: string,
  range: Range,
  { measured, running, measuredUntil }: RangeFigures,
  bucket: number,
): Promise<Peak> {
  const persons = Math.max(mostIn(measured), mostIn(running));
  if (persons === 0) return { persons, time: range.start };
  const times = running.filter((row) => peakOf(row) === persons).map(({ start }) => start);
  const first = measured.find((row) => peakOf(row) === persons);
  if (first) {
    const start = Math.max(range.start, first.start);
    const end = Math.min(measuredUntil, first.start + bucket);
    const minutes = { environment, start, end, names: ['occupancy_peak'], subject: null, bucket: MINUTE };
    const rows = await reader.aggregates(minutes);
    times.push(Math.max(start, rows.find((row) => peakOf(row) === persons)?.start ?? start));
  }
  return { persons, time: Math.min(...times) };
}

/** The largest occupancy of the environment. */
const mostIn = (rows: readonly Aggregate[]): number =>
  rows.reduce((most, row) => Math.max(most, peakOf(row)), 0);

/** The environment's largest occupancy in a row; 0 for rows of other measures and of zones. */
const peakOf = ({ name, subject, max }: Aggregate): number =>
  name === 'occupancy_peak' && subject === null ? max : 0;

/** A share or a mean; 0 for nothing. */
export const over = (part: number, whole: number): number => (whole > 0 ? part / whole : 0);

export const rounded = (value: number): number => Math.round(value * 1000) / 1000;
