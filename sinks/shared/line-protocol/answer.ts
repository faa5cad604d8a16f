import { format } from 'node:util';

/** The beginning of an answer, on a single line. */
export function excerpt(answer: unknown): string {
  const text = typeof answer === 'string' ? answer : format('%j', answer);
  return `\`${text.replaceAll(/\s+/g, ' ').slice(0, 200)}\``;
}

/** The message within the client's `A 400 Bad Request error occurred: {"error":"..."}`. */
export function reasonOf(text: string): string {
  const body = /error occurred: (.*)$/s.exec(text)?.[1] ?? text;
  const said = /"(?:error|message)":\s*("(?:[^"\\]|\\.)*")/.exec(body)?.[1];
  return said === undefined ? body.trim() : String(JSON.parse(said)).trim();
}

/** Milliseconds of a `Retry-After` header, given in seconds, or as a date by the server's own clock. */
export function retryAfter(header: string | undefined, now: string | undefined): number | null {
  if (header === undefined) return null;
  const seconds = Number(header);
  const wait = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(header) - Date.parse(now ?? '');
  return Number.isNaN(wait) ? null : Math.max(0, wait);
}
