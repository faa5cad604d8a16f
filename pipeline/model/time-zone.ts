import { WEEKDAYS, type Weekday } from './environment.js';

/** Clocks of time zones, by Node's IANA names and rules. */

/** What a wall clock shows. */
export interface LocalTime {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  /** 1 to 31. */
  readonly day: number;
  /** 0 to 23. */
  readonly hour: number;
  /** 0 to 59. */
  readonly minute: number;
  readonly weekday: Weekday;
}

/** A day of the calendar. Months and days out of range carry over: day 0 is the last of the previous month. */
export type CalendarDay = Pick<LocalTime, 'year' | 'month' | 'day'>;

/** Whether this process knows the time zone. */
export function isTimeZone(name: string): boolean {
  try {
    return clockOf(name).resolvedOptions().timeZone !== '';
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** @param time microseconds since 1970 @throws RangeError if the time zone is unknown */
export function localTime(timezone: string, time: number): LocalTime {
  const parts: Record<string, number> = {};
  for (const { type, value } of clockOf(timezone).formatToParts(time / 1000))
    if (type !== 'literal') parts[type] = Number(value);
  const { year, month, day, hour, minute } = parts as Record<
    'year' | 'month' | 'day' | 'hour' | 'minute',
    number
  >;
  const sunday = new Date(Date.UTC(year, month - 1, day)).getUTCDay();
  return { year, month, day, hour, minute, weekday: WEEKDAYS[(sunday + 6) % 7]! };
}

/** Offset of a time zone from UTC, microseconds: whole minutes. */
export function zoneOffset(timezone: string, time: number): number {
  const { year, month, day, hour, minute } = localTime(timezone, time);
  return Date.UTC(year, month - 1, day, hour, minute) * 1000 - Math.floor(time / MINUTE) * MINUTE;
}

/**
 * The first moment of a day, microseconds since 1970: midnight. If clocks go back over midnight, the first of
 * the two; if they go forward over it, the moment of the change.
 */
export function startOfDay(timezone: string, { year, month, day }: CalendarDay): number {
  const midnight = Date.UTC(year, month - 1, day) * 1000;
  const before = zoneOffset(timezone, midnight - DAY);
  const after = zoneOffset(timezone, midnight + DAY);
  const found = [before, after]
    .map((offset) => midnight - offset)
    .filter((time) => zoneOffset(timezone, time) === midnight - time);
  return found.length > 0 ? Math.min(...found) : midnight - before;
}

const MINUTE = 60_000_000;
const DAY = 86_400_000_000;

const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(timezone: string): Intl.DateTimeFormat {
  const known = clocks.get(timezone);
  if (known) return known;
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  clocks.set(timezone, clock);
  return clock;
}
