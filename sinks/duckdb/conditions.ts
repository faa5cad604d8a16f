import type { Cursor, TimeRange } from '../../pipeline/component/index.js';
import { instantOf, type Parameter, type Parameters } from './parameters.js';

/** A WHERE clause under construction: fixed text with named parameters. */
export class Conditions {
  readonly #parts: string[] = [];
  readonly #parameters: Record<string, Parameter> = {};

  /** The rows of an environment in a range, start included, end excluded. */
  static of({ environment, start, end }: TimeRange): Conditions {
    return new Conditions()
      .add('environment = $environment', { environment })
      .addTime('"time" >= $start', 'start', start)
      .addTime('"time" < $end', 'end', end);
  }

  add(part: string, parameters: Parameters = {}): this {
    this.#parts.push(part);
    Object.assign(this.#parameters, parameters);
    return this;
  }

  /** Adds `part` if `value` is given. */
  addIf<V>(value: V | undefined, part: string, parameters: (value: V) => Parameters): this {
    return value === undefined ? this : this.add(part, parameters(value));
  }

  /** An infinite bound excludes nothing (`"time" >= -Infinity`) or everything. */
  addTime(part: string, name: string, time: number | undefined): this {
    return time === undefined ? this : this.add(part, { [name]: bound(time) });
  }

  /** The rows after a cursor in the order of time and pose frame number; the first part lets zone maps skip the rest. */
  addAfter(after: Cursor | undefined): this {
    if (after === undefined) return this;
    return this.add('"time" >= $afterTime AND ("time" > $afterTime OR frame_id > $afterFrame)', {
      afterTime: instantOf(after.time),
      afterFrame: BigInt(after.frameId),
    });
  }

  /** One of several words, parameters `name0` and so on: their number is part of the text, their content is not. */
  addOneOf(column: 'type' | 'severity' | 'name', words: readonly string[] | undefined): this {
    if (words === undefined) return this;
    if (words.length === 0) return this.add('false');
    const names = words.map((_, index) => `${column}${index}`);
    return this.add(
      `${column} IN (${names.map((name) => `$${name}`).join(', ')})`,
      Object.fromEntries(names.map((name, index) => [name, words[index]!])),
    );
  }

  /** The same conditions, to add others to. */
  copy(): Conditions {
    return new Conditions().add(this.#parts.join(' AND '), this.#parameters);
  }

  get where(): string {
    return `WHERE ${this.#parts.join(' AND ')}`;
  }

  get parameters(): Parameters {
    return this.#parameters;
  }
}

/** 2^53 - 1 microseconds: the year 2255. */
const FURTHEST = Number.MAX_SAFE_INTEGER;

/** A bound of a half-open range. Stored times are whole, so a bound between two of them is that of the next. */
function bound(time: number): Parameter {
  if (Number.isNaN(time)) throw new RangeError('a bound of a time range is not a number');
  return instantOf(Math.min(Math.max(Math.ceil(time), -FURTHEST), FURTHEST));
}
