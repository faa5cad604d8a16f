/** Where a Parquet file is damaged. DuckDB says what it could not read, but not at which byte. */
import { open } from 'node:fs/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { errorText } from '../../base/error-text.js';

/** The footer's length in 32 bits, and the mark. */
const END_BYTES = 8;
const MARK = 'PAR1';
/** The mark of files whose footer is encrypted. */
const ENCRYPTED = 'PARE';

/** The values of one leaf of the schema in one group of rows, where they are in the file. */
interface Chunk {
  /** Its names from the top column on, joined by dots. */
  readonly column: string;
  readonly first: number;
  readonly bytes: number;
}

/** The rows from the file's start to the end of a group. */
interface Group {
  readonly until: number;
  /** Chunks by `column_id`. */
  readonly chunks: ReadonlyMap<number, Omit<Chunk, 'column'>>;
}

/** What can be read alone: a column, a field of a structure, or a list or map with all that is in it. */
interface Readable {
  readonly sql: string;
  /** Its leaves, by `column_id`. */
  readonly leaves: ReadonlyMap<number, string>;
}

/** The error of reading a file; if the file is damaged, with the byte at which the damaged part begins. */
export async function parquetDamage(
  connection: DuckDBConnection,
  path: string,
  error: unknown,
): Promise<Error> {
  const end = await endFault(path);
  if (end !== null) return new Error(end);
  if (!isDamage(errorText(error))) return new Error(errorText(error));
  const [groups, readables] = await Promise.all([groupsOf(connection, path), readablesOf(connection, path)])
    // A damaged footer: DuckDB's error is all there is.
    .catch(() => [[], []] as const);
  for (const { sql, leaves } of groups.length === 0 ? [] : readables) {
    const found = await damagedGroup(connection, path, sql, groups);
    if (!found) continue;
    const chunks = [...leaves].flatMap(([id, column]) => {
      const chunk = found.group.chunks.get(id);
      return chunk ? [{ column, ...chunk }] : [];
    });
    if (chunks.length > 0) return new Error(`${chunksText(chunks)} are damaged: ${found.why}`);
  }
  return new Error(errorText(error));
}

/** True if DuckDB found bytes that cannot be; false for what it lacks: memory, a codec, a key, a name. */
const isDamage = (why: string): boolean =>
  /^(Invalid Error|Invalid Input Error|IO Error: Could not read enough bytes)\b/.test(why) &&
  !/Unsupported (compression|encoding|page)|not supported|not implemented|encrypt/i.test(why);

const chunksText = (chunks: readonly Chunk[]): string =>
  chunks
    .map(({ column, first, bytes }) => `byte ${first}: the ${bytes} bytes of column ${column} from here`)
    .join(', or ');

/** What is wrong with the end of a file, with its byte; null if it may be complete. */
async function endFault(path: string): Promise<string | null> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const at = Math.max(0, size - END_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(END_BYTES), 0, END_BYTES, at);
    const mark = buffer.toString('latin1', 4, bytesRead);
    if (mark === ENCRYPTED) return 'it is encrypted: decrypt it first';
    if (bytesRead < END_BYTES || mark !== MARK)
      return `byte ${size}: it is truncated: it does not end with ${MARK}`;
    const footer = buffer.readUInt32LE(0);
    return footer > at ? `byte ${at}: the footer cannot have ${footer} bytes` : null;
  } finally {
    await file.close();
  }
}

/** The groups of rows in their order. */
async function groupsOf(connection: DuckDBConnection, path: string): Promise<readonly Group[]> {
  const sql = `SELECT CAST(row_group_id AS INTEGER), CAST(row_group_num_rows AS DOUBLE), CAST(column_id AS INTEGER),
    CAST(coalesce(dictionary_page_offset, data_page_offset) AS DOUBLE), CAST(total_compressed_size AS DOUBLE)
    FROM parquet_metadata($path) ORDER BY row_group_id, column_id`;
  const rows = (await connection.runAndReadAll(sql, { path })).getRows() as number[][];
  const groups: { id: number; until: number; chunks: Map<number, Omit<Chunk, 'column'>> }[] = [];
  for (const [id, count, column, first, bytes] of rows as [number, number, number, number, number][]) {
    const last = groups.at(-1);
    const group = last?.id === id ? last : { id, until: (last?.until ?? 0) + count, chunks: new Map() };
    if (group !== last) groups.push(group);
    group.chunks.set(column, { first, bytes });
  }
  return groups;
}

/** An element of the schema, in the file's order: parents before their children. */
type Element = readonly [name: string, children: number | null, isStructure: boolean];

/** All columns, structures by their fields. The reader's columns are `c0`, `c1`, ... */
async function readablesOf(connection: DuckDBConnection, path: string): Promise<readonly Readable[]> {
  const sql = `SELECT name, CAST(num_children AS INTEGER),
    converted_type IS NULL AND logical_type IS NULL AND repetition_type IS DISTINCT FROM 'REPEATED'
    FROM parquet_schema($path)`;
  const elements = (await connection.runAndReadAll(sql, { path })).getRows() as unknown as readonly Element[];
  const readables: Readable[] = [];
  let [at, leaf] = [1, 0];
  /** Takes the next element with all below it. */
  const take = (sql: string, above: string, into: Map<number, string> | null): void => {
    const [name, children, isStructure] = elements[at++]!;
    const column = above + name;
    const isGroup = children !== null && children > 0;
    const leaves = into ?? (isGroup && isStructure ? null : new Map<number, string>());
    if (isGroup)
      for (let i = 0; i < children; i++) {
        const field = elements[at]![0].replaceAll("'", "''");
        take(`struct_extract(${sql}, '${field}')`, `${column}.`, leaves);
      }
    else leaves!.set(leaf++, column);
    if (leaves && !into) readables.push({ sql, leaves });
  };
  for (let i = 0; at < elements.length; i++) take(`c${i}`, '', null);
  return readables;
}

/** The first group of rows in which a column cannot be read, and why; null if it can in all. */
async function damagedGroup(
  connection: DuckDBConnection,
  path: string,
  column: string,
  groups: readonly Group[],
): Promise<{ readonly group: Group; readonly why: string } | null> {
  const names = Array.from({ length: Number(/\d+/.exec(column)![0]) + 1 }, (_, i) => `c${i}`).join(', ');
  // Fields are read alone only without LIMIT, and groups behind the last row are not read. A count reads no values.
  const sql = `SELECT bit_xor(hash(${column})) FROM read_parquet($path, file_row_number = true) AS t(${names})
    WHERE file_row_number < $rows`;
  /** Why the rows up to the end of a group cannot be read; null if they can, or if they are not damaged. */
  const faultUntil = async (at: number): Promise<string | null> => {
    const why = await connection.run(sql, { path, rows: groups[at]!.until }).then(() => null, errorText);
    return why !== null && isDamage(why) ? why : null;
  };
  let [low, high] = [0, groups.length - 1];
  let why = await faultUntil(high);
  if (why === null) return null;
  while (low < high) {
    const middle = (low + high) >> 1;
    const fault = await faultUntil(middle);
    if (fault === null) low = middle + 1;
    else {
      why = fault;
      high = middle;
    }
  }
  return { group: groups[high]!, why };
}
