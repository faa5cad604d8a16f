import type { Cursor, TimeRange } from '../../pipeline/component/index.js';
import { LAST_TIME } from '../shared/line-protocol/points.js';
import { encodeTag } from '../shared/line-protocol/tags.js';

/** Values of a statement's parameters, by name: text never becomes part of a statement. */
export type Parameters = Readonly<Record<string, string>>;

/** A WHERE clause under construction. Numbers are part of its text, texts are parameters. */
export class Conditions {
  readonly #parts: string[] = [];
  readonly #parameters: Record<string, string> = {};

  /** The rows of an environment in a range, start included, end excluded. */
  static of({ environment, start = 0, end = Infinity }: TimeRange): Conditions {
    const conditions = new Conditions().tag('environment', environment).from(start);
    return end === Infinity ? conditions : conditions.add(`"time" < ${instant(end)}`);
  }

  add(part: string): this {
    this.#parts.push(part);
    return this;
  }

  /** @param time microseconds, included */
  from(time: number): this {
    return this.add(`"time" >= ${instant(time)}`);
  }

  /** @param ranges microseconds, starts included, ends excluded; at least one */
  within(ranges: readonly (readonly [start: number, end: number])[]): this {
    const each = ranges.map(([start, end]) => `("time" >= ${instant(start)} AND "time" < ${instant(end)})`);
    return this.add(`(${each.join(' OR ')})`);
  }

  /** The rows after a cursor in the order of time and pose frame number. */
  after(cursor: Cursor | undefined): this {
    if (cursor === undefined) return this;
    const [time, frameId] = [BigInt(cursor.time), BigInt(cursor.frameId)];
    return this.from(cursor.time).add(`("us" > ${time} OR "frame_id" > ${frameId})`);
  }

  tag(name: string, text: string): this {
    return this.add(`"${name}" = ${this.#bound(name, encodeTag(text))}`);
  }

  /** Rows whose tag is another text. */
  not(name: string, text: string): this {
    return this.add(`"${name}" <> ${this.#bound(name, encodeTag(text))}`);
  }

  /** A tag with one of several texts; with any, if none are given. */
  oneOf(name: string, texts: readonly string[] | undefined): this {
    if (texts === undefined) return this;
    if (texts.length === 0) return this.add('false');
    const each = [...new Set(texts)].map((text) => `"${name}" = ${this.#bound(name, encodeTag(text))}`);
    return this.add(`(${each.join(' OR ')})`);
  }

  integer(field: string, value: number | undefined): this {
    return value === undefined ? this : this.add(`"${field}" = ${BigInt(value)}`);
  }

  atLeast(field: string, value: number | undefined): this {
    if (value === undefined) return this;
    if (!Number.isFinite(value)) throw new RangeError(`the least ${field} is ${value}`);
    return this.add(`"${field}" >= ${value}`);
  }

  get where(): string {
    return `WHERE ${this.#parts.join(' AND ')}`;
  }

  get parameters(): Parameters {
    return this.#parameters;
  }

  #bound(column: string, text: string): string {
    const name = `${column}${Object.keys(this.#parameters).length}`;
    this.#parameters[name] = text;
    return `$${name}`;
  }
}

/** A bound as RFC 3339. Stored times are whole microseconds, so a bound between two of them is rounded up. */
function instant(time: number): string {
  if (Number.isNaN(time)) throw new RangeError('a bound of a time range is not a number');
  const whole = Math.min(Math.max(Math.ceil(time), 0), LAST_TIME);
  const seconds = new Date(Math.floor(whole / 1_000_000) * 1_000).toISOString().slice(0, 19);
  return `'${seconds}.${String(whole % 1_000_000).padStart(6, '0')}Z'`;
}
