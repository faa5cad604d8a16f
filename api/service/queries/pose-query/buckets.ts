import { localTime, startOfDay, WEEKDAYS, zoneOffset } from '../../../../pipeline/model/index.js';

/** Period of a result. */
export const SUMMARIES = ['minute_summary', 'hourly_summary', 'daily_summary', 'weekly_summary'] as const;
export type Summary = (typeof SUMMARIES)[number];

const MINUTE = 60_000_000;
const HOUR = 60 * MINUTE;
/** All current time zones have offsets that are multiples of it, so their hours and days consist of it. */
const QUARTER = 15 * MINUTE;

/** Buckets of the database query, microseconds. */
export const grainOf = (summary: Summary): number => (summary === 'minute_summary' ? MINUTE : QUARTER);

/**
 * Start of the local minute, hour, day or week (from Monday) that contains a moment, microseconds. The hour
 * in which clocks are set back occurs twice; days can have 23 or 25 hours.
 */
export function startOf(summary: Summary, timezone: string, time: number): number {
  if (summary === 'minute_summary') return Math.floor(time / MINUTE) * MINUTE;
  if (summary === 'hourly_summary') {
    const offset = zoneOffset(timezone, time);
    return Math.floor((time + offset) / HOUR) * HOUR - offset;
  }
  const { year, month, day, weekday } = localTime(timezone, time);
  const back = summary === 'weekly_summary' ? WEEKDAYS.indexOf(weekday) : 0;
  return startOfDay(timezone, { year, month, day: day - back });
}
