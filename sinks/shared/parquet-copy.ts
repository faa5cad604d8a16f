import { packageVersion } from '../../pipeline/base/paths.js';
import { COLUMN_FACTS } from './column-facts.js';
import { quoted } from './quoted.js';
import { runColumns, TABLES, type FileTable } from './tables.js';

/** Time columns of views; tables declare their own. */
const VIEW_INSTANTS = { tracks: ['since', 'first_seen', 'last_seen'], keypoints: ['time'] } as const;

/** Columns of a table that hold times. */
function instantsOf(table: FileTable): readonly string[] {
  if (table === 'tracks' || table === 'keypoints') return VIEW_INSTANTS[table];
  const columns: readonly { readonly name: string; readonly encoding: { readonly type: string } }[] =
    TABLES[table].columns;
  return columns.filter(({ encoding }) => encoding.type === 'TIMESTAMP').map(({ name }) => name);
}

/**
 * SELECT for the rows of a table or view as a copy contains them: times are instants, so that Parquet flags
 * them as UTC and no program mistakes them for local times.
 * @param sql selects the rows, ordered
 */
export function parquetRows(table: FileTable, sql: string): string {
  const [, rows, order] = /^([^]*?)( ORDER BY [^()]*)$/.exec(sql)!;
  const instants = instantsOf(table).map((name) => `timezone('UTC', "${name}") AS "${name}"`);
  return `SELECT * REPLACE (${instants.join(', ')}) FROM (${rows})${order}`;
}

/** Units of the columns that a file of this table has, by name; those of other columns are none. */
function unitsOf(table: FileTable): Readonly<Record<string, string>> {
  const ofRun: readonly string[] = table === 'tracks' || table === 'keypoints' ? [] : runColumns(table);
  return Object.fromEntries(
    Object.entries(COLUMN_FACTS[table]).flatMap(([name, { unit }]) =>
      unit === undefined || ofRun.includes(name) ? [] : [[name, unit]],
    ),
  );
}

/** Options of `COPY`: the file names its table, its writer and the units of its columns. The same rows give the same bytes. */
export const parquetOptions = (table: FileTable): string => {
  const metadata = {
    csiflow_table: table,
    csiflow_version: packageVersion(),
    csiflow_units: JSON.stringify(unitsOf(table)),
  };
  const pairs = Object.entries(metadata).map(([key, value]) => `${key}: ${quoted(value)}`);
  return `FORMAT parquet, COMPRESSION zstd, KV_METADATA {${pairs.join(', ')}}`;
};
