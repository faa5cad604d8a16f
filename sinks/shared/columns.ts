import {
  ARRAY,
  arrayValue,
  BIGINT,
  BOOLEAN,
  DOUBLE,
  DuckDBDataChunk,
  TIMESTAMP,
  timestampValue,
  UINTEGER,
  VARCHAR,
  type DuckDBAppender,
  type DuckDBType,
  type DuckDBValue,
} from '@duckdb/node-api';

/** Values of one keypoint: x, y, z and error, metres. */
export const KEYPOINT_SIZE = 4;
/** Values of a person's 17 keypoints, row-major [keypoint, (x, y, z, error)]. */
export const KEYPOINTS_LENGTH = 17 * KEYPOINT_SIZE;

/** What a row's field holds before it is encoded. */
type Cell = number | string | boolean | null | readonly number[];

/** How a field is stored, checked and rounded. */
interface Encoding {
  readonly type: DuckDBType;
  /** @throws RangeError where the store could not give the value back as it is. */
  encode(value: Cell): DuckDBValue;
}

export interface Column<R> {
  readonly name: string;
  readonly encoding: Encoding;
  readonly get: (row: R, epoch: number) => Cell;
}

/** A table: from its columns come the DDL, the checks, and the rows of the appender. */
export interface Table<R> {
  readonly name: string;
  readonly columns: readonly Column<R>[];
}

/** The fields of one row in the order of the columns, ready for the appender. */
export type EncodedRow = readonly DuckDBValue[];

/** The values of a record, checked and encoded. @throws RangeError naming the column, the value and the rule. */
export function encodeRow<R>(table: Table<R>, row: R, epoch: number): EncodedRow {
  return table.columns.map((column) => {
    const value = column.get(row, epoch);
    if (value === null) return null;
    try {
      return column.encoding.encode(value);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new RangeError(`${table.name}.${column.name} ${why}`, { cause: error });
    }
  });
}

/** `CREATE TABLE` of a table. Names come from the code alone, never from outside. */
export const createTable = (table: Table<never>): string =>
  `CREATE TABLE ${table.name} (${table.columns.map(({ name, encoding }) => `"${name}" ${encoding.type.toString()}`).join(', ')})`;

/** Rows of a chunk: DuckDB's vector size. */
const CHUNK_ROWS = 2048;

/** Hands rows to an appender, chunk by chunk; they are the transaction's once `appender.flushSync` was called. */
export function appendRows(appender: DuckDBAppender, table: Table<never>, rows: readonly EncodedRow[]): void {
  const types = table.columns.map(({ encoding }) => encoding.type);
  for (let start = 0; start < rows.length; start += CHUNK_ROWS) {
    const part = rows.slice(start, start + CHUNK_ROWS);
    const chunk = DuckDBDataChunk.create(types, part.length);
    types.forEach((_, column) => {
      chunk.setColumnValues(
        column,
        part.map((row) => row[column]!),
      );
    });
    appender.appendDataChunk(chunk);
  }
}

// -------------------------------------------------------------- encodings

const number = (value: Cell): number => {
  if (typeof value !== 'number') throw new RangeError(`must be a number, not ${typeof value}`);
  if (!Number.isFinite(value)) throw new RangeError(`is ${value}: only finite numbers can be stored`);
  return value;
};

const integer = (value: Cell): number => {
  const found = number(value);
  if (!Number.isSafeInteger(found)) throw new RangeError(`is ${found}, which is not a whole number`);
  return found;
};

/** Rounded to `digits` decimals; minus zero becomes zero, so that equal results are equal bytes. */
const rounded = (value: number, digits: number): number => {
  const scale = 10 ** digits;
  return Math.round(value * scale) / scale + 0;
};

const rounding = (digits: number): Encoding => ({
  type: DOUBLE,
  encode: (value) => rounded(number(value), digits),
});

/** As it is, minus zero included. */
export const exact: Encoding = { type: DOUBLE, encode: number };

/** Lengths and speeds to a millimetre (a second). */
export const metres: Encoding = rounding(3);

/** Shares, confidences and angles to four decimals; durations in milliseconds too. */
export const fraction: Encoding = rounding(4);

export const flag: Encoding = {
  type: BOOLEAN,
  encode: (value) => {
    if (typeof value !== 'boolean') throw new RangeError(`must be true or false, not ${typeof value}`);
    return value;
  },
};

/** Whole numbers from 0 to 2^32 - 1. */
export const count: Encoding = {
  type: UINTEGER,
  encode: (value) => {
    const found = integer(value);
    if (found < 0 || found > 0xffff_ffff) throw new RangeError(`is ${found}; it must be 0 to 4294967295`);
    return found + 0;
  },
};

/** Whole numbers up to 2^53. */
export const whole: Encoding = { type: BIGINT, encode: (value) => BigInt(integer(value)) };

/** Microseconds since 1970, rounded to whole ones, as a TIMESTAMP in UTC. */
export const instant: Encoding = {
  type: TIMESTAMP,
  encode: (value) => timestampValue(BigInt(integer(Math.round(number(value))))),
};

/** Half of a UTF-16 pair has no UTF-8 form: the store would give back another character. */
const LONE_SURROGATE = /\p{Surrogate}/u;

export const text: Encoding = {
  type: VARCHAR,
  encode: (value) => {
    if (typeof value !== 'string') throw new RangeError(`must be text, not ${typeof value}`);
    if (LONE_SURROGATE.test(value)) throw new RangeError('holds half of a surrogate pair: not valid Unicode');
    return value;
  },
};

/** {@link KEYPOINTS_LENGTH} lengths to a millimetre. */
export const keypointArray: Encoding = {
  type: ARRAY(DOUBLE, KEYPOINTS_LENGTH),
  encode: (value) => {
    if (!Array.isArray(value) || value.length !== KEYPOINTS_LENGTH)
      throw new RangeError('must hold 17 keypoints in COCO order');
    return arrayValue(value.map((item: number) => rounded(number(item), 3)));
  },
};
