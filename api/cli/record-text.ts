/** A record as one line of text; values without a short form appear as JSON. */
export function recordText(record: Readonly<Record<string, unknown>>): string {
  const { port, time, environment, ...rest } = record;
  return `${String(time)} ${String(environment)} ${String(port)}: ${fields(rest)}`;
}

/** Fields of a frame without a short form: `--format json` shows them. */
const LONG = ['phases', 'indices'];

const fields = (record: Readonly<Record<string, unknown>>): string =>
  Object.entries(record)
    .filter(([name, value]) => value !== null && value !== undefined && !LONG.includes(name))
    .map(([name, value]) => `${name} ${short(name, value)}`)
    .join(', ');

function short(name: string, value: unknown): string {
  if (name === 'persons' && Array.isArray(value)) return people(value as readonly Person[]);
  if (name === 'amplitudes')
    return sparkline((value as readonly (readonly (readonly number[])[])[])[0]?.[0] ?? []);
  if (typeof value === 'number') return String(Math.round(value * 1000) / 1000);
  // Names may come from a sender: their control characters must not reach the terminal.
  if (typeof value === 'string') return /^[\w.:/@ -]+$/.test(value) ? value : JSON.stringify(value);
  return JSON.stringify(value);
}

interface Person {
  readonly posture: string;
  readonly confidence: number;
  readonly position: { readonly x: number; readonly y: number };
  readonly track: { readonly id: number } | null;
}

const people = (persons: readonly Person[]): string =>
  persons.length === 0
    ? 'nobody'
    : persons
        .map(
          ({ track, posture, position, confidence }) =>
            `${track ? `#${track.id} ` : ''}${posture} at (${position.x}, ${position.y}) m, ${Math.round(100 * confidence)} %`,
        )
        .join('; ');

const BARS = '▁▂▃▄▅▆▇█';

/** Amplitudes over the subcarriers of the first antenna pair, relative to the largest. */
function sparkline(values: readonly number[]): string {
  const most = Math.max(...values, Number.MIN_VALUE);
  return values
    .map((value) => BARS[Math.min(BARS.length - 1, Math.floor((BARS.length * value) / most))])
    .join('');
}
