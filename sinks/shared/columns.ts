import { KEYPOINT_NAMES, type Keypoint3D } from '../../pipeline/model/index.js';
import { errorText } from '../../pipeline/base/error-text.js';

/** Values of one keypoint: x, y, z and error. */
export const KEYPOINT_SIZE = 4;
/** Values of a person's 17 keypoints, row-major [keypoint, (x, y, z, error)]. */
const KEYPOINTS_LENGTH = KEYPOINT_NAMES.length * KEYPOINT_SIZE;

/** Type of a field before it is stored. */
type Field = number | string | boolean | null | readonly Keypoint3D[];
/** Type of the same field as it is stored. */
export type Cell = number | string | boolean | null | readonly number[];

/** How a field is stored, checked and rounded. */
export interface Encoding {
  /** Its type in SQL. */
  readonly type: string;
  /** @throws RangeError if the store could not return the value exactly. */
  encode(value: Field): Cell;
}

export interface Column<R> {
  readonly name: string;
  readonly encoding: Encoding;
  /**
   * Describes the run rather than the room: it differs between two runs of the same input, so exported files
   * omit it.
   */
  readonly ofRun?: true;
  readonly get: (row: R, epoch: number) => Field;
}

/** A table: its columns define the DDL, the checks, and the rows of the appender. */
export interface Table<R> {
  readonly name: string;
  readonly columns: readonly Column<R>[];
}

/** `CREATE TABLE` of a table. Names come only from the code, never from input. */
export const createTable = (table: Table<never>): string =>
  `CREATE TABLE ${table.name} (${table.columns.map(({ name, encoding }) => `"${name}" ${encoding.type}`).join(', ')})`;

/** Rows of a table that wait to be stored: checked, encoded, and stored by column, in the order of their epochs. */
export class PendingRows<R> {
  readonly #table: Table<R>;
  readonly #columns: Cell[][];
  readonly #epochs: number[] = [];

  constructor(table: Table<R>) {
    this.#table = table;
    this.#columns = table.columns.map(() => []);
  }

  get rows(): number {
    return this.#epochs.length;
  }

  /** Values of each column of the table, one per row. */
  get columns(): readonly (readonly Cell[])[] {
    return this.#columns;
  }

  /** @throws RangeError naming the column, the value and the rule; in that case no field of the row was added */
  add(row: R, epoch: number): void {
    const { columns } = this.#table;
    let at = 0;
    try {
      for (; at < columns.length; at++) {
        const { encoding, get } = columns[at]!;
        const value = get(row, epoch);
        this.#columns[at]!.push(value === null ? null : encoding.encode(value));
      }
    } catch (error) {
      this.truncate(this.rows);
      const why = errorText(error);
      throw new RangeError(`${this.#table.name}.${columns[at]!.name} ${why}`, { cause: error });
    }
    this.#epochs.push(epoch);
  }

  /** Keeps the first `rows` rows. */
  truncate(rows: number): void {
    this.#epochs.length = rows;
    for (const values of this.#columns) if (values.length > rows) values.length = rows;
  }

  /** Drops the rows of later epochs. */
  rewind(epoch: number): void {
    const later = this.#epochs.findIndex((found) => found > epoch);
    if (later >= 0) this.truncate(later);
  }
}

// -------------------------------------------------------------- encodings

const number = (value: Field): number => {
  if (typeof value !== 'number') throw new RangeError(`must be a number, not ${typeof value}`);
  if (!Number.isFinite(value)) throw new RangeError(`is ${value}: only finite numbers can be stored`);
  return value;
};

const integer = (value: Field): number => {
  const found = number(value);
  if (!Number.isSafeInteger(found)) throw new RangeError(`is ${found}, which is not a whole number`);
  return found + 0;
};

/** To the nearest `1 / scale`; minus zero becomes zero, so that equal results are equal bytes. */
const rounding = (scale: number): Encoding => ({
  type: 'DOUBLE',
  encode: (value) => Math.round(number(value) * scale) / scale + 0,
});

/** Unchanged, minus zero included. */
export const exact: Encoding = { type: 'DOUBLE', encode: number };

/** Lengths and speeds to a millimetre (a second). */
export const metres: Encoding = rounding(1_000);

/** Shares, confidences and angles to four decimals; durations in milliseconds too. */
export const fraction: Encoding = rounding(10_000);

export const flag: Encoding = {
  type: 'BOOLEAN',
  encode: (value) => {
    if (typeof value !== 'boolean') throw new RangeError(`must be true or false, not ${typeof value}`);
    return value;
  },
};

/** Whole numbers from 0 to 2^32 - 1. */
export const count: Encoding = {
  type: 'UINTEGER',
  encode: (value) => {
    const found = integer(value);
    if (found < 0 || found > 0xffff_ffff) throw new RangeError(`is ${found}; it must be 0 to 4294967295`);
    return found;
  },
};

/** Whole numbers up to 2^53. */
export const whole: Encoding = { type: 'BIGINT', encode: integer };

/** Microseconds since 1970, rounded to whole ones, as a TIMESTAMP in UTC. */
export const instant: Encoding = {
  type: 'TIMESTAMP',
  encode: (value) => integer(Math.round(number(value))),
};

/** Half of a UTF-16 pair has no UTF-8 form: the store would return another character. */
const LONE_SURROGATE = /\p{Surrogate}/u;

export const text: Encoding = {
  type: 'VARCHAR',
  encode: (value) => {
    if (typeof value !== 'string') throw new RangeError(`must be text, not ${typeof value}`);
    if (LONE_SURROGATE.test(value))
      throw new RangeError('contains half of a surrogate pair: not valid Unicode');
    return value;
  },
};

/** {@link KEYPOINTS_LENGTH} whole millimetres: half the size of metres as DOUBLE, and better compressed in the file. */
export const keypointArray: Encoding = {
  type: `INTEGER[${KEYPOINTS_LENGTH}]`,
  encode: (value) => {
    if (value === null) return null;
    if (!isArray(value) || value.length !== KEYPOINT_NAMES.length)
      throw new RangeError('must hold 17 keypoints in COCO order');
    const values = new Array<number>(KEYPOINTS_LENGTH);
    for (let index = 0, at = 0; index < value.length; index++) {
      const { x, y, z, error } = value[index]!;
      values[at++] = millimetres(x);
      values[at++] = millimetres(y);
      values[at++] = millimetres(z);
      values[at++] = millimetres(error);
    }
    return values;
  },
};

const isArray: (value: Field) => value is readonly Keypoint3D[] = Array.isArray;

/** Metres whose millimetres fit 32 bits. */
const FURTHEST = 2_147_483;

/** One comparison for all faults: this runs 68 times per row. */
function millimetres(value: number): number {
  if (typeof value !== 'number' || !(value >= -FURTHEST && value <= FURTHEST))
    throw new RangeError(
      `hold ${String(value)}: it must be a number from -${FURTHEST} to ${FURTHEST} metres`,
    );
  return Math.round(value * 1_000) | 0;
}
