import { localTime, WEEKDAYS, type Environment } from '../../pipeline/model/index.js';

/** How many persons may be in a guarded zone at `time` (microseconds): Infinity if the zone is not guarded. */
export function allowedAt({ authorised, timezone }: Environment, time: number): number {
  if (!authorised) return Infinity;
  const { hours, persons = Infinity } = authorised;
  if (!hours) return persons;
  const { weekday, hour, minute } = localTime(timezone, time);
  const today = WEEKDAYS.indexOf(weekday);
  const yesterday = WEEKDAYS[(today + 6) % 7]!;
  const now = 60 * hour + minute;
  const open = hours.some(({ days, from, to }) => {
    const [start, end] = [minutesOf(from), minutesOf(to)];
    if (start < end) return days.includes(weekday) && start <= now && now < end;
    return (days.includes(weekday) && now >= start) || (days.includes(yesterday) && now < end);
  });
  return open ? persons : 0;
}

/** Minute of the day: `08:30` is 510. */
const minutesOf = (text: string): number => 60 * Number(text.slice(0, 2)) + Number(text.slice(3));
