import type { DuckDBConnection, DuckDBResultReader, DuckDBValue } from '@duckdb/node-api';
import { Allowance, AllowanceExceeded } from './allowance.js';
import { numberArray, textArray, type Table, type TableArray } from './arrays.js';
import { areFrameColumns, framesOfColumns } from './frame-columns.js';
import { judgedGroups, type JudgedGroup } from './parquet-damage.js';

/**
 * All columns of a Parquet file. A column of lists of equal length is an array [rows, length]. Times are
 * seconds since 1970. Columns of csiflow's own frames are recognised by their names.
 * @throws Error if it cannot be read
 */
export async function readParquet(path: string, allowance = new Allowance()): Promise<Table> {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const instance = await DuckDBInstance.create(':memory:');
  try {
    const connection = await instance.connect();
    const { read, ...damage } = await rowsIn(connection, path, allowance);
    const arrays: TableArray[] = [];
    const unread: string[] = [];
    read.getColumns().forEach((values, at) => {
      const name = read.columnName(at);
      const array = arrayOf(name, values);
      if (typeof array === 'string') unread.push(`${name}: ${array}`);
      else arrays.push(array);
    });
    connection.closeSync();
    const isColumns = arrays.every(({ shape }) => shape.length === 1);
    const names = read.columnNames();
    if (!areFrameColumns(names)) return { arrays, unread, isColumns, ...damage };
    const columns = read.getColumns();
    return {
      ...{ arrays, unread, isColumns, ...damage },
      frames: () => framesOfColumns((name) => columns[names.indexOf(name)]!),
    };
  } finally {
    instance.closeSync();
  }
}

interface Rows extends Pick<Table, 'damaged' | 'rows'> {
  readonly read: DuckDBResultReader;
}

/** All rows; of a damaged file, those of the groups that are whole. */
async function rowsIn(connection: DuckDBConnection, path: string, allowance: Allowance): Promise<Rows> {
  try {
    allowance.takeNumbers(await valuesIn(connection, path));
    return { read: await connection.runAndReadAll('SELECT * FROM read_parquet($path)', { path }) };
  } catch (error) {
    if (error instanceof AllowanceExceeded) throw error;
    const groups = await judgedGroups(connection, path, error);
    const whole = joined(groups.filter(({ fault }) => fault === null));
    return {
      read: await connection.runAndReadAll(rowsOf(whole), { path }),
      rows: whole.flatMap(({ from, until }) => Array.from({ length: until - from }, (_, row) => from + row)),
      damaged: groups.flatMap(({ from, until, fault }) =>
        fault === null ? [] : [`${fault}; rows ${from} to ${until - 1}`],
      ),
    };
  }
}

/** Neighbours as one. */
function joined(groups: readonly JudgedGroup[]): readonly JudgedGroup[] {
  const found: JudgedGroup[] = [];
  for (const group of groups) {
    const last = found.at(-1);
    if (last?.until === group.from) found[found.length - 1] = { ...last, until: group.until };
    else found.push(group);
  }
  return found;
}

/** The rows of these groups: each in a query of its own, as DuckDB then reads no other. */
const rowsOf = (groups: readonly JudgedGroup[]): string =>
  groups
    .map(
      ({ from, until }) =>
        `SELECT * EXCLUDE (file_row_number) FROM read_parquet($path, file_row_number = true)
          WHERE file_row_number >= ${from} AND file_row_number < ${until}`,
    )
    .join(' UNION ALL ');

/** Values of all columns, those in lists included. */
async function valuesIn(connection: DuckDBConnection, path: string): Promise<number> {
  const read = await connection.runAndReadAll(
    'SELECT CAST(coalesce(sum(num_values), 0) AS DOUBLE) FROM parquet_metadata($path)',
    { path },
  );
  return Number(read.getRows()[0]![0]);
}

/** Or the reason why it is skipped. */
function arrayOf(name: string, values: readonly DuckDBValue[]): TableArray | string {
  const rows = values.length;
  const first = values.find((value) => value !== null);
  if (typeof first === 'string') return textArray(name, [rows], values.map(String));
  if (isNested(first)) {
    const { length } = first.items;
    const lists = values.map((value) => (isNested(value) ? value.items : []));
    const odd = lists.findIndex((items) => items.length !== length);
    if (odd >= 0) return `row ${odd} holds ${lists[odd]!.length} values, but the first one has ${length}`;
    const numbers = numbersOf(lists.flat());
    return numbers ? numberArray(name, [rows, length], numbers) : 'lists of something other than numbers';
  }
  const numbers = numbersOf(values);
  return numbers ? numberArray(name, [rows], numbers) : 'neither numbers nor texts';
}

/** Lists, and arrays of fixed length. */
const isNested = (value: DuckDBValue | undefined): value is DuckDBValue & { readonly items: DuckDBValue[] } =>
  typeof value === 'object' && value !== null && 'items' in value && Array.isArray(value.items);

/** Null if one is not a number; a missing value is NaN. */
function numbersOf(values: readonly DuckDBValue[]): Float64Array | null {
  const numbers = Float64Array.from(values, numberOf);
  const isBad = values.some(
    (value, i) => value !== null && Number.isNaN(numbers[i]) && typeof value !== 'number',
  );
  return isBad ? null : numbers;
}

function numberOf(value: DuckDBValue): number {
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return Number(value);
  if (typeof value !== 'object' || value === null) return NaN;
  // Timestamps in any unit, and decimals.
  if ('micros' in value) return Number(value.micros) / 1e6;
  if ('nanos' in value) return Number(value.nanos) / 1e9;
  if ('millis' in value) return Number(value.millis) / 1e3;
  if ('seconds' in value) return Number(value.seconds);
  return 'scale' in value ? Number(value.toString()) : NaN;
}
