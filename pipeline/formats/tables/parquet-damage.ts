/** Where a Parquet file is damaged. DuckDB says what it could not read, but not at which byte. */
import { open } from 'node:fs/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { errorText } from '../../base/error-text.js';

/** The footer's length in 32 bits, and the mark. */
const END_BYTES = 8;
const MARK = 'PAR1';

/** A column's values of one group of rows, where they are in the file. */
interface Chunk {
  readonly column: string;
  readonly first: number;
  readonly bytes: number;
  /** Rows of the groups before it, and its own. */
  readonly until: number;
}

/** The error of reading a file, with the byte at which the damaged part begins. */
export async function parquetDamage(
  connection: DuckDBConnection,
  path: string,
  error: unknown,
): Promise<Error> {
  const end = await endFault(path);
  if (end !== null) return new Error(end);
  for (const chunks of await columnsOf(connection, path)) {
    const found = await damagedChunk(connection, path, chunks);
    if (!found) continue;
    const { chunk, why } = found;
    return new Error(
      `byte ${chunk.first}: the ${chunk.bytes} bytes of column ${chunk.column} from here are damaged: ${why}`,
    );
  }
  return new Error(errorText(error));
}

/** What is wrong with the end of a file, with its byte; null if it may be complete. */
async function endFault(path: string): Promise<string | null> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const at = Math.max(0, size - END_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(END_BYTES), 0, END_BYTES, at);
    if (bytesRead < END_BYTES || buffer.toString('latin1', 4) !== MARK)
      return `byte ${size}: it is truncated: it does not end with ${MARK}`;
    const footer = buffer.readUInt32LE(0);
    return footer > at ? `byte ${at}: the footer cannot have ${footer} bytes` : null;
  } finally {
    await file.close();
  }
}

/** Each column's chunks by rows, columns in the order of the file; empty if the footer is damaged. */
async function columnsOf(connection: DuckDBConnection, path: string): Promise<readonly (readonly Chunk[])[]> {
  const sql = `SELECT path_in_schema,
    CAST(coalesce(dictionary_page_offset, data_page_offset) AS DOUBLE),
    CAST(total_compressed_size AS DOUBLE),
    CAST(sum(row_group_num_rows) OVER (PARTITION BY column_id ORDER BY row_group_id) AS DOUBLE)
    FROM parquet_metadata($path) ORDER BY column_id, row_group_id`;
  const rows = await connection.runAndReadAll(sql, { path }).then(
    (read) => read.getRows(),
    () => [],
  );
  const columns = new Map<string, Chunk[]>();
  for (const [schema, first, bytes, until] of rows) {
    const [column] = String(schema).split(', ') as [string];
    const chunks = columns.get(column) ?? [];
    chunks.push({ column, first: Number(first), bytes: Number(bytes), until: Number(until) });
    columns.set(column, chunks);
  }
  return [...columns.values()];
}

/** The first chunk of a column that cannot be read, and why; null if all can. */
async function damagedChunk(
  connection: DuckDBConnection,
  path: string,
  chunks: readonly Chunk[],
): Promise<{ readonly chunk: Chunk; readonly why: string } | null> {
  const name = `"${chunks[0]!.column.replaceAll('"', '""')}"`;
  const sql = `SELECT count(${name}) FROM (SELECT ${name} FROM read_parquet($path) LIMIT $rows)`;
  /** Why the rows up to the end of a chunk cannot be read; null if they can. */
  const faultUntil = (at: number): Promise<string | null> =>
    connection.run(sql, { path, rows: chunks[at]!.until }).then(() => null, errorText);
  // One thread reads the groups of rows in their order, and none after the limit.
  await connection.run('SET threads = 1');
  let [low, high] = [0, chunks.length - 1];
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
  return { chunk: chunks[high]!, why };
}
