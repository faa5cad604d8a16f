import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, extname, join, resolve } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { TableSelection } from '../../pipeline/component/index.js';
import { InputError } from '../../pipeline/base/input-error.js';
import { secretOf } from '../../pipeline/state/index.js';
import { namingDamage } from '../shared/damage.js';
import { dayFile, daysSql, ofDay, timeColumn } from '../shared/days.js';
import { openDatabase, storeKey, withConnection } from '../shared/database.js';
import { parquetOptions, parquetRows } from '../shared/parquet-copy.js';
import { quoted } from '../shared/quoted.js';
import { comparableRows, TABLE_NAMES, type FileTable } from '../shared/tables.js';
import { instantOf } from './parameters.js';
import { boundValues } from './pool.js';
import { makeFolder } from '../../pipeline/base/folders.js';

type Format = TableSelection['format'];

/** Tables and views of a store. */
export const EXPORTED: readonly FileTable[] = [...TABLE_NAMES, 'tracks', 'keypoints'];

export interface ExportRequest extends TableSelection {
  readonly from: string;
  readonly to: string;
  /** For an encrypted store: the content of its key file. */
  readonly secret?: string | undefined;
  /** `to` is then a folder, with a file for each day (UTC) that has rows. */
  readonly byDay?: boolean | undefined;
  /** Called after each file. */
  readonly onFile?: ((done: number, of: number) => void) | undefined;
}

const TEXT_OPTIONS = { csv: 'FORMAT csv, HEADER', ndjson: 'FORMAT json' } as const;

const ENDINGS: Readonly<Record<string, Format>> = {
  '.parquet': 'parquet',
  '.csv': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
};

/** The format for a file extension. */
export const formatOf = (path: string): Format | undefined => ENDINGS[extname(path).toLowerCase()];

/**
 * Writes rows of a store that no other process has open, oldest first, and returns their number. Each file is
 * complete or absent.
 * @throws Error if the store does not exist, or another process owns it.
 */
export async function exportTable(request: ExportRequest): Promise<number> {
  const from = resolve(request.from);
  const to = resolve(request.to);
  if (!existsSync(from)) throw new InputError(`the store ${from} does not exist`);
  if (to === from) throw new InputError('the export would overwrite the store that it reads');
  const database = await openDatabase(from, {
    memoryLimitBytes: 512 * 2 ** 20,
    walLimitBytes: 16 * 2 ** 20,
    externalAccess: true,
    readOnly: true,
    key: request.secret ? storeKey(secretOf(request.secret)) : null,
  });
  try {
    return await namingDamage(from, () =>
      withConnection(database.instance, async (connection) => {
        if (!request.byDay) return writeFile(connection, request, to);
        const found = await connection.runAndReadAll(daysSql(request));
        const days = found.getRows().map(([day]) => String(day));
        let rows = 0;
        for (const [done, day] of days.entries()) {
          rows += await writeFile(connection, ofDay(request, day), join(to, dayFile(day, request)));
          request.onFile?.(done + 1, days.length);
        }
        return rows;
      }),
    );
  } finally {
    await database.close();
  }
}

async function writeFile(
  connection: DuckDBConnection,
  selection: TableSelection,
  to: string,
): Promise<number> {
  makeFolder(dirname(to));
  const part = `${to}.part`;
  try {
    const { sql, parameters } = copyStatement(selection, part);
    const result = await connection.run(sql, boundValues(parameters));
    await rename(part, to);
    return Number((await result.getRows())[0]?.[0]);
  } finally {
    await rm(part, { force: true });
  }
}

/** Writes the result of a SELECT to a file. @throws Error if the table does not exist */
export function copyStatement(selection: TableSelection, file: string) {
  const { format } = selection;
  const table = EXPORTED.find((name) => name === selection.table);
  if (!table) throw new Error(`there is no table ${selection.table}`);
  const { sql, parameters } = rowsOf({ ...selection, table });
  const rows = format === 'parquet' ? parquetRows(table, sql) : sql;
  const options = format === 'parquet' ? parquetOptions(table) : TEXT_OPTIONS[format];
  return { sql: `COPY (${rows}) TO ${quoted(file)} (${options})`, parameters };
}

function rowsOf({ table, start, end }: TableSelection & { readonly table: FileTable }) {
  const time = timeColumn(table);
  const where = [
    'true',
    ...(start === undefined ? [] : [`${time} >= $start`]),
    ...(end === undefined ? [] : [`${time} < $end`]),
  ];
  const stored = TABLE_NAMES.find((name) => name === table);
  return {
    sql: stored
      ? comparableRows(stored, where.join(' AND '))
      : `SELECT * FROM ${table} WHERE ${where.join(' AND ')} ORDER BY ${table === 'tracks' ? 'first_seen, environment, track_id' : 'ALL'}`,
    parameters: {
      ...(start === undefined ? {} : { start: instantOf(start) }),
      ...(end === undefined ? {} : { end: instantOf(end) }),
    },
  };
}
