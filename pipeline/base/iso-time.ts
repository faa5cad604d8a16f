/** Microseconds since 1970 as payloads write times: ISO 8601 with milliseconds, UTC. */
export const isoTime = (microseconds: number): string => new Date(microseconds / 1000).toISOString();

/** ISO 8601 in its extended format: a date, or a date and a time with or without an offset from UTC. */
const ISO_TIME =
  /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d)(:\d\d(?:[.,]\d+)?)?(?:([Zz])|([+-]\d\d)(?::?(\d\d))?)?)?$/;

/** The other way round; a date is its midnight, and what has no offset is UTC. NaN for what is no time. */
export function fromIsoTime(text: string): number {
  const [, date, minutes = '00:00', seconds = ':00', , hours = '+00', rest = '00'] =
    ISO_TIME.exec(text) ?? [];
  if (date === undefined || !isDate(date)) return NaN;
  return Date.parse(`${date}T${minutes}${seconds.replace(',', '.')}${hours}:${rest}`) * 1000;
}

/** Date.parse takes the 30th of February for the 2nd of March. */
const isDate = (text: string): boolean => {
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
};
