/** Microseconds since 1970 in the form that payloads use: ISO 8601 with milliseconds, UTC. */
export const isoTime = (microseconds: number): string => new Date(microseconds / 1000).toISOString();

/** The same to the microsecond: six digits if milliseconds are not enough. */
export function exactIsoTime(microseconds: number): string {
  const whole = Math.round(microseconds);
  const rest = whole - Math.floor(whole / 1000) * 1000;
  const text = isoTime(whole - rest);
  return rest === 0 ? text : `${text.slice(0, -1)}${String(rest).padStart(3, '0')}Z`;
}

/** ISO 8601 in its extended format: a date, or a date and a time with or without an offset from UTC. */
const ISO_TIME =
  /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d)(?:(:\d\d)(?:[.,](\d+))?)?(?:([Zz])|([+-]\d\d)(?::?(\d\d))?)?)?$/;

/** The inverse. A date means its midnight; a time without an offset is UTC. NaN if the text is not a time. */
export function fromIsoTime(text: string): number {
  const [, date, minutes = '00:00', seconds = ':00', fraction = '0', , hours = '+00', rest = '00'] =
    ISO_TIME.exec(text) ?? [];
  if (date === undefined || !isDate(date)) return NaN;
  // Date.parse stops at milliseconds.
  const beyond = Number(fraction.slice(3, 6).padEnd(3, '0'));
  return Date.parse(`${date}T${minutes}${seconds}.${fraction}${hours}:${rest}`) * 1000 + beyond;
}

/** Date.parse reads 30 February as 2 March. */
const isDate = (text: string): boolean => {
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
};
