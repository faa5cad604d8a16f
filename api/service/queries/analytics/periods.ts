import { localTime, startOfDay, zoneOffset, type Environment } from '../../../../pipeline/model/index.js';
import { startOf, type Summary } from '../pose-query/buckets.js';

/** Calendar periods of an environment. */
export const PERIODS = ['hour', 'day', 'week', 'month'] as const;
export type Period = (typeof PERIODS)[number];

export interface Range {
  /** Microseconds; the end is excluded. */
  readonly start: number;
  readonly end: number;
}

export const MINUTE = 60_000_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/**
 * The local hour, day, week (from Monday) or month that contains `now`, up to `now`, and the local date of
 * its start.
 */
export function periodUntil(
  now: number,
  period: Period,
  { timezone }: Environment,
): Range & { readonly date: string } {
  const start = startOfPeriod(period, timezone, now);
  const { year, month, day } = localTime(timezone, start);
  const date = `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)}`;
  return { start, end: Math.max(start + 1, Math.floor(now)), date };
}

/** Start of the local hour, day, week or month that contains a moment. */
export function startOfPeriod(period: Period, timezone: string, time: number): number {
  if (period !== 'month') return startOf(SUMMARY_OF[period], timezone, time);
  const { year, month } = localTime(timezone, time);
  return startOfDay(timezone, { year, month, day: 1 });
}

const SUMMARY_OF = {
  hour: 'hourly_summary',
  day: 'daily_summary',
  week: 'weekly_summary',
} as const satisfies Record<Exclude<Period, 'month'>, Summary>;

/** The hour of a local clock: `14:00-15:00`. */
export function hourName(timezone: string, time: number): string {
  const { hour } = localTime(timezone, time);
  return `${twoDigits(hour)}:00-${twoDigits((hour + 1) % 24)}:00`;
}

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/**
 * Buckets that add up to the local hours, days and weeks of a range: hours, or quarters of them if the time
 * zone's offset is not in whole hours.
 */
export function localBuckets(
  { start, end }: Range,
  { timezone }: Environment,
): { bucket: number; offset: number } {
  const rest = (time: number) => ((zoneOffset(timezone, time) % HOUR) + HOUR) % HOUR;
  const first = rest(start);
  for (let time = start; time < end + DAY; time += DAY)
    if (rest(time) !== first) return { bucket: HOUR / 4, offset: 0 };
  return { bucket: HOUR, offset: HOUR - first };
}
