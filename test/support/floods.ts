import type { TSchema } from 'typebox';
import { seededRandom } from '../../pipeline/base/random.js';

/** Limits of a route's body. */
export interface Bounds {
  readonly bytes: number;
  readonly values: number;
}

export interface Flood {
  readonly what: string;
  readonly body: string;
}

/**
 * Bodies at the limits of a route, each with an error that is expensive to find. @param random number of
 * random ones
 */
export function floods(schema: TSchema, bounds: Bounds, random: number): readonly Flood[] {
  const escaped = (part: Bounds): string =>
    like(schema, { ...part, bytes: part.bytes / 6 }, 'x').replaceAll('x', '\\u00e9');
  return [
    {
      what: 'as many fields as it may have',
      body: fitted(bounds, ({ values, bytes }) => fields(values, bytes)),
    },
    { what: 'as many fields as fit', body: fields(bounds.bytes / 12, bounds.bytes) },
    { what: 'as deep as fits', body: nested(bounds.bytes / 2 - 8) },
    { what: 'lists of sixty levels', body: fitted(bounds, (part) => lists(part.bytes / 124)) },
    { what: 'long texts', body: fitted(bounds, (part) => like(schema, part, 'x')) },
    { what: 'long texts with escapes', body: fitted(bounds, escaped) },
    { what: 'many errors', body: fitted(bounds, (part) => like(schema, part, {})) },
    ...Array.from({ length: random }, (_, seed) => ({
      what: `chance ${seed}`,
      body: fitted(bounds, (part) => chance(schema, part, seed)),
    })),
  ];
}

/** The largest body within the limits: a larger one is rejected unread. */
function fitted(bounds: Bounds, make: (part: Bounds) => string): string {
  for (let share = 1; ;) {
    const body = make({ bytes: bounds.bytes * share, values: bounds.values * share });
    const over = Math.max(Buffer.byteLength(body) / bounds.bytes, valuesOf(body) / bounds.values);
    if (over <= 1) return body;
    share /= 1.05 * over;
  }
}

/** Lists and objects count too. */
const valuesOf = (body: string): number => body.split(/[,[{]/).length;

const times = (count: number, part: (index: number) => string): string =>
  Array.from({ length: Math.floor(count) }, (_, index) => part(index)).join(',');

/** This many fields, with names as long as the size allows. */
function fields(count: number, bytes: number): string {
  const length = Math.max(bytes / count - 6, 6);
  return `{${times(count, (index) => `"${String(index).padStart(length, 'z')}":1`)}}`;
}

const nested = (levels: number): string => `{"z":${'['.repeat(levels)}${']'.repeat(levels)}}`;

const lists = (count: number): string =>
  `{"z":[${times(count, () => `${'['.repeat(60)}1${']'.repeat(60)}`)}]}`;

interface Shape {
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly items?: TSchema;
  readonly anyOf?: readonly TSchema[];
  readonly type?: string;
}

/**
 * A body that follows the schema, with lists and texts as long as its part allows; everything else in it is
 * `odd`.
 */
function like(schema: TSchema, { bytes, values }: Bounds, odd: unknown): string {
  const { properties, items, anyOf, type } = schema as Shape;
  if (anyOf) return like(anyOf.at(-1)!, { bytes, values }, odd);
  if (properties) {
    const names = Object.keys(properties);
    const part = { bytes: bytes / names.length - 24, values: values / names.length };
    return `{${names.map((name) => `"${name}":${like(properties[name]!, part, odd)}`).join(',')}}`;
  }
  if (items) {
    const least = like(items, { bytes: 1, values: 1 }, odd);
    const count = Math.max(1, Math.min(bytes / (least.length + 1), values / least.split(',').length));
    return `[${times(count, () => least)}]`;
  }
  return JSON.stringify(type === 'string' && typeof odd === 'string' ? odd.repeat(Math.max(1, bytes)) : odd);
}

/** A body of any shape, with names of the schema among others; deterministic for a seed. */
function chance(schema: TSchema, { bytes, values }: Bounds, seed: number): string {
  const random = seededRandom(seed, 'floods');
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  // A body with this name is rejected as a whole, so only some have it.
  const refused = seed % 2 === 0 ? [] : ['__proto__'];
  const names = [...Object.keys((schema as Shape).properties ?? {}), 'z', 'constructor', ...refused];
  let [room, left] = [bytes, values];
  const named = (value: string): string => `"${random() < 0.5 ? pick(names) : left}":${value}`;
  const value = (levels: number): string => {
    left--;
    const kind = levels > 40 ? 0 : Math.floor(random() * 4);
    if (kind === 0) return pick(['1', '-0', '1e308', '1e999', 'null', 'true', '""']);
    if (kind === 1) {
      const text = pick(['x', 'é', '\\n', '\\ud800', '漢']).repeat(Math.ceil(random() ** 8 * 20_000));
      room -= Buffer.byteLength(text);
      return `"${text}"`;
    }
    const parts: string[] = [];
    const most = random() ** 3 * 400;
    while (parts.length < most && room > 0 && left > 0) {
      room -= 12;
      const part = value(levels + 1);
      parts.push(kind === 2 ? part : named(part));
    }
    return kind === 2 ? `[${parts.join(',')}]` : `{${parts.join(',')}}`;
  };
  const parts: string[] = [];
  while (room > 0 && left > 0) {
    room -= 24;
    parts.push(named(value(1)));
  }
  return `{${parts.join(',')}}`;
}
