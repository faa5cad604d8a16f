import type { TimeRange } from '../../pipeline/component/index.js';
import { LAST_TIME } from '../shared/line-protocol/points.js';
import { encodeTag } from '../shared/line-protocol/tags.js';

/** A name of a database, policy, measurement or column. */
export const identifier = (name: string): string =>
  `"${name.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;

/** A text in a statement, quoted so that it cannot end early. */
export const textLiteral = (text: string): string =>
  `'${text.replace(/['\\]/g, '\\$&').replaceAll('\n', '\\n')}'`;

/** A WHERE clause under construction. */
export class Conditions {
  readonly #parts: string[] = [];

  /** The points of an environment in a range, including its start and excluding its end. */
  static of({ environment, start, end }: TimeRange): Conditions {
    return new Conditions().tag('environment', environment).#within(start, end);
  }

  /** The rows of a subquery in a range. */
  static times({ start, end }: Pick<TimeRange, 'start' | 'end'>): Conditions {
    return new Conditions().#within(start, end);
  }

  /** @param time microseconds, included */
  from(time: number): this {
    return this.#add(`time >= ${instant(time)}`);
  }

  tag(name: string, text: string): this {
    return this.#add(`"${name}" = ${textLiteral(encodeTag(text))}`);
  }

  /** Points without this tag. */
  without(name: string): this {
    return this.#add(`"${name}" = ''`);
  }

  /** A tag with one of several texts; with any, if none are given. */
  oneOf(name: string, texts: readonly string[] | undefined): this {
    if (texts === undefined) return this;
    const each = texts.map((text) => `"${name}" = ${textLiteral(encodeTag(text))}`);
    return this.#add(`(${each.join(' OR ')})`);
  }

  not(name: string, text: string): this {
    return this.#add(`"${name}" != ${textLiteral(encodeTag(text))}`);
  }

  integer(field: string, value: number | undefined): this {
    return value === undefined ? this : this.#add(`"${field}" = ${BigInt(value)}`);
  }

  atLeast(field: string, value: number | undefined): this {
    if (value === undefined) return this;
    if (!Number.isFinite(value)) throw new RangeError(`the least ${field} is ${value}`);
    // InfluxQL has no exponents; twenty digits represent a number from 0 to 1 with sufficient precision.
    return this.#add(`"${field}" >= ${value.toFixed(20)}`);
  }

  atMost(field: string, value: number | undefined): this {
    return value === undefined ? this : this.#add(`"${field}" <= ${BigInt(value)}`);
  }

  get where(): string {
    return `WHERE ${this.#parts.join(' AND ')}`;
  }

  #within(start = 0, end = Infinity): this {
    return this.from(start).#add(`time < ${instant(end)}`);
  }

  #add(part: string): this {
    this.#parts.push(part);
    return this;
  }
}

/**
 * A bound in nanoseconds. Stored times are whole microseconds, so a bound between two of them is rounded up.
 */
function instant(time: number): string {
  if (Number.isNaN(time)) throw new RangeError('a bound of a time range is not a number');
  return `${BigInt(Math.min(Math.max(Math.ceil(time), 0), LAST_TIME)) * 1_000n}`;
}

/** InfluxQL treats a limit of 0 as no limit. */
export const limitOf = (limit: number | undefined): string =>
  limit === undefined ? '' : `LIMIT ${BigInt(Math.max(1, limit))}`;

/** InfluxDB ignores an offset without a limit before it. */
const ALL_ROWS = 2 ** 31 - 1;

export const pageOf = ({ limit, offset }: { readonly limit?: number; readonly offset?: number }): string =>
  offset ? `${limitOf(limit ?? ALL_ROWS)} OFFSET ${BigInt(offset)}` : limitOf(limit);
