import { exactIsoTime } from '../../pipeline/base/iso-time.js';
import type { Cell, Column } from '../shared/columns.js';
import { TABLES, type PendingRecords, type TableName } from '../shared/tables.js';

/** Columns that identify a row, beside `time` and `environment`: a row that is written again replaces itself. */
const KEYS: Readonly<Record<TableName, readonly string[]>> = {
  poses: ['frame_id'],
  persons: ['frame_id', 'person_index'],
  events: ['id'],
  measures: ['name', 'subject', 'source'],
};

/** In the order of their primary key. Time comes first: queries ask for ranges, hypertables are divided by it. */
export const keyOf = (table: TableName): readonly string[] => ['time', 'environment', ...KEYS[table]];

const TYPES: Readonly<Record<string, string>> = {
  VARCHAR: 'text',
  DOUBLE: 'double precision',
  BOOLEAN: 'boolean',
  BIGINT: 'bigint',
  UINTEGER: 'bigint',
  TIMESTAMP: 'timestamp with time zone',
};

interface Field {
  readonly name: string;
  /** In PostgreSQL. */
  readonly type: string;
  /** Its position among the columns of the shared table. */
  readonly at: number;
}

/** Columns of a table in PostgreSQL: all but the epoch, which sinks that rewind need. */
export const fieldsOf = (table: TableName): readonly Field[] =>
  (TABLES[table].columns as readonly Column<never>[]).flatMap(({ name, encoding }, at) =>
    name === 'epoch' ? [] : [{ name, type: typeOf(name, encoding.type), at }],
  );

function typeOf(name: string, type: string): string {
  if (name === 'metadata') return 'jsonb';
  return type.startsWith('INTEGER[') ? 'integer[]' : TYPES[type]!;
}

/** `CREATE TABLE` of a table that is missing. @param schema quoted */
export function createTable(schema: string, table: TableName): string {
  const key = keyOf(table);
  const columns = fieldsOf(table).map(
    ({ name, type }) => `${name} ${type}${key.includes(name) ? ' NOT NULL' : ''}`,
  );
  return `CREATE TABLE IF NOT EXISTS ${schema}.${table} (${columns.join(', ')}, PRIMARY KEY (${key.join(', ')}))`;
}

/** One statement for any number of rows: a parameter for each column, with the texts of its cells. */
export function insertInto(schema: string, table: TableName): string {
  const fields = fieldsOf(table);
  const names = fields.map(({ name }) => name);
  const key = keyOf(table);
  const texts = fields.map((_, index) => `$${index + 1}::text[]`);
  const typed = fields.map(({ name, type }) => `r.${name}::${type}`);
  const others = names.filter((name) => !key.includes(name));
  return [
    `INSERT INTO ${schema}.${table} (${names.join(', ')})`,
    `SELECT ${typed.join(', ')} FROM unnest(${texts.join(', ')}) AS r(${names.join(', ')})`,
    `ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${others.map((name) => `${name} = EXCLUDED.${name}`).join(', ')}`,
  ].join(' ');
}

/**
 * Texts of the cells of a table, column by column. Of rows with the same key, the last counts: PostgreSQL
 * refuses to write a row twice in one statement.
 * @throws RangeError if PostgreSQL could not store a value
 */
export function parametersOf(table: TableName, pending: PendingRecords): (string | null)[][] {
  const key = new Set(keyOf(table));
  const fields = fieldsOf(table);
  const columns = fields.map(({ name, type, at }) =>
    pending[table].columns[at]!.map((cell) => textOf(name, type, cell)),
  );
  const keyColumns = fields.flatMap(({ name }, index) => (key.has(name) ? [columns[index]!] : []));
  const last = new Map<string, number>();
  for (let row = 0; row < pending[table].rows; row++)
    last.set(JSON.stringify(keyColumns.map((column) => column[row])), row);
  const rows = [...last.values()];
  return columns.map((column) => rows.map((row) => column[row]!));
}

/** The last moment that four digits of a year can express, microseconds. */
const LAST_TIME = 253_402_300_799_999_999;

function textOf(name: string, type: string, cell: Cell): string | null {
  // A primary key has no null: a measure of the whole environment has an empty subject.
  if (cell === null) return name === 'subject' ? '' : null;
  if (type === 'timestamp with time zone') return instantText(name, cell as number);
  if (Array.isArray(cell)) return `{${cell.join(',')}}`;
  const text = Object.is(cell, -0) ? '-0' : String(cell);
  // JSON writes it as \u0000, which jsonb does not accept either; an escaped backslash before it is no such escape.
  if (text.includes('\0') || (type === 'jsonb' && /(?<!\\)(\\\\)*\\u0000/.test(text)))
    throw new RangeError(`${name} contains a null character, which PostgreSQL cannot store`);
  return text;
}

function instantText(name: string, time: number): string {
  if (!(time >= 0 && time <= LAST_TIME))
    throw new RangeError(`${name} is ${time}: it must be microseconds from 1970 to 9999`);
  return exactIsoTime(time);
}
