import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, extname, resolve } from 'node:path';
import type { TableSelection } from '../../pipeline/component/index.js';
import { secretOf } from '../../pipeline/state/index.js';
import { namingDamage } from '../shared/damage.js';
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
  /** Of an encrypted store: the content of its key file. */
  readonly secret?: string | undefined;
}

const TEXT_OPTIONS = { csv: 'FORMAT csv, HEADER', ndjson: 'FORMAT json' } as const;

const ENDINGS: Readonly<Record<string, Format>> = {
  '.parquet': 'parquet',
  '.csv': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
};

/** The format that a file's ending stands for. */
export const formatOf = (path: string): Format | undefined => ENDINGS[extname(path).toLowerCase()];

/**
 * Writes rows of a store that no other process has open, oldest first, and returns their number. The file is
 * complete or absent.
 * @throws Error if the store does not exist, or another process owns it.
 */
export async function exportTable(request: ExportRequest): Promise<number> {
  const from = resolve(request.from);
  const to = resolve(request.to);
  if (!existsSync(from)) throw new Error(`the store ${from} does not exist`);
  if (to === from) throw new Error('the export would overwrite the store that it reads');
  makeFolder(dirname(to));
  const part = `${to}.part`;
  const database = await openDatabase(from, {
    memoryLimitBytes: 512 * 2 ** 20,
    walLimitBytes: 16 * 2 ** 20,
    externalAccess: true,
    readOnly: true,
    key: request.secret ? storeKey(secretOf(request.secret)) : null,
  });
  try {
    const rows = await namingDamage(from, () =>
      withConnection(database.instance, async (connection) => {
        const { sql, parameters } = copyStatement(request, part);
        const result = await connection.run(sql, boundValues(parameters));
        return Number((await result.getRows())[0]?.[0]);
      }),
    );
    await rename(part, to);
    return rows;
  } finally {
    await rm(part, { force: true });
    await database.close();
  }
}

/** Writes what is selected to a file, as SQL. @throws Error if the table does not exist */
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
  const time = table === 'tracks' ? 'first_seen' : '"time"';
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
