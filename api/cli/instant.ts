import { CommandError, EXIT } from '../../pipeline/base/exit.js';

/** A time from an option, microseconds since 1970. */
export function instant(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = Date.parse(text);
  if (Number.isNaN(time))
    throw new CommandError(
      `${option} \`${text}\` must be an ISO 8601 time, such as 2026-03-01T00:00:00Z`,
      EXIT.invalid,
    );
  return time * 1000;
}
