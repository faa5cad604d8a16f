import { readFile, stat } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { errorText } from '../../pipeline/base/error-text.js';

/** Rows of a table by the text of one column. */
export type Table = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Reads a CSV file with a header (RFC 4180), or a JSON file with a list of objects, by its extension.
 * @throws Error with the file, the line or the entry, and the problem
 */
export async function readTable(file: string, column: string): Promise<Table> {
  const text = await textOf(file);
  const rows = file.toLowerCase().endsWith('.json') ? jsonRows(file, text) : csvRows(file, text);
  const table = new Map<string, Readonly<Record<string, unknown>>>();
  for (const { where, fields } of rows) {
    const key = fields[column];
    if (typeof key !== 'string' && typeof key !== 'number')
      throw new Error(
        `${file}: ${where} \`${column}\` must be a text or a number; fields: ${Object.keys(fields).join(', ')}`,
      );
    const name = String(key);
    if (table.has(name))
      throw new Error(`${file}: ${where}: \`${column}\` has the value \`${name}\` a second time`);
    table.set(name, fields);
  }
  return table;
}

async function textOf(file: string): Promise<string> {
  const { size } = await stat(file);
  if (size > MAX_BYTES) throw new Error(`${file}: a table can have at most ${MAX_BYTES} bytes, not ${size}`);
  return readFile(file, 'utf8');
}

interface Row {
  readonly where: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

function jsonRows(file: string, text: string): readonly Row[] {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch (error) {
    throw new Error(`${file}: not valid JSON: ${errorText(error)}`, { cause: error });
  }
  if (!Array.isArray(list)) throw new Error(`${file}: must be a list of objects`);
  return list.map((fields: unknown, index) => {
    if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
      throw new Error(`${file}: entry ${index + 1} is not an object`);
    return { where: `entry ${index + 1}`, fields: fields as Readonly<Record<string, unknown>> };
  });
}

function csvRows(file: string, text: string): readonly Row[] {
  try {
    const rows = parse(text, { columns: true, info: true, skip_empty_lines: true, bom: true });
    return (rows as readonly CsvRow[]).map(({ record, info }) => ({
      where: `line ${info.lines}`,
      fields: record,
    }));
  } catch (error) {
    throw new Error(`${file}: ${errorText(error)}`, { cause: error });
  }
}

interface CsvRow {
  readonly record: Readonly<Record<string, string>>;
  readonly info: { readonly lines: number };
}
