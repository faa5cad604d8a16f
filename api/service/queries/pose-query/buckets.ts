import { localTime, startOfDay, WEEKDAYS, zoneOffset } from '../../../../pipeline/model/index.js';

/** How long a time a result sums up. */
export const SUMMARIES = ['minute_summary', 'hourly_summary', 'daily_summary', 'weekly_summary'] as const;
export type Summary = (typeof SUMMARIES)[number];

const MINUTE = 60_000_000;
const HOUR = 60 * MINUTE;
/** Offsets of all of today's time zones are multiples of it, so hours and days of all of them are made of it. */
const QUARTER = 15 * MINUTE;

/** Buckets that the database sums up by, microseconds. */
export const grainOf = (summary: Summary): number => (summary === 'minute_summary' ? MINUTE : QUARTER);

/**
 * Start of the local minute, hour, day or week (from Monday on) that a moment lies in, microseconds. An hour that clocks
 * are put back over comes twice; days may have 23 or 25 hours.
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
