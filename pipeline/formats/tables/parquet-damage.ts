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

/** The first row, and that behind the last one. */
interface Rows {
  readonly from: number;
  readonly until: number;
}

/** A group of rows. */
interface Group extends Rows {
  /** Chunks by `column_id`. */
  readonly chunks: ReadonlyMap<number, Omit<Chunk, 'column'>>;
}

/** A group of rows that is damaged, or neighbours that are whole. */
export interface JudgedGroup extends Rows {
  /** What is damaged in it, with its byte, in words; null if nothing is. */
  readonly fault: string | null;
}

/** What can be read alone: a column, a field of a structure, or a list or map with all that is in it. */
interface Readable {
  readonly sql: string;
  /** Its leaves, by `column_id`. */
  readonly leaves: ReadonlyMap<number, string>;
}

/**
 * The groups of rows of a file that could not be read, in their order.
 * @param error of reading it
 * @throws Error with the byte at which the damage begins, if none can be read alone; `error` if it is not about damage
 */
export async function judgedGroups(
  connection: DuckDBConnection,
  path: string,
  error: unknown,
): Promise<readonly JudgedGroup[]> {
  const end = await endFault(path);
  if (end !== null) throw new Error(end);
  const why = errorText(error);
  if (!isDamage(why)) throw new Error(why);
  const [groups, readables] = await Promise.all([groupsOf(connection, path), readablesOf(connection, path)])
    // A damaged footer: DuckDB's error is all there is.
    .catch(() => [[], []] as const);
  // Each query reads the footer, which lists all groups.
  await connection.run('SET parquet_metadata_cache = true');
  const judged = await judgedAmong(groups, new Judge(connection, path, readables));
  const first = judged.find(({ fault }) => fault !== null);
  if (!first) throw new Error(why);
  if (judged.every(({ fault }) => fault !== null)) throw new Error(first.fault!);
  return judged;
}

/**
 * Halves the groups until those that cannot be read are alone: a few damaged ones among thousands need few queries.
 * Neighbours that are whole are judged as one.
 */
async function judgedAmong(groups: readonly Group[], judge: Judge): Promise<readonly JudgedGroup[]> {
  const [first, last] = [groups[0], groups.at(-1)];
  if (!first || !last) return [];
  const { from } = first;
  const { until } = last;
  const why = await judge.faultOf({ from, until }, 'COLUMNS(*)');
  if (why === null) return [{ from, until, fault: null }];
  if (groups.length === 1) return [{ from, until, fault: await judge.faultIn(first, why) }];
  const half = Math.ceil(groups.length / 2);
  const before = await judgedAmong(groups.slice(0, half), judge);
  return [...before, ...(await judgedAmong(groups.slice(half), judge))];
}

/** Reads parts of a damaged file. */
class Judge {
  readonly #connection: DuckDBConnection;
  readonly #path: string;
  readonly #readables: readonly Readable[];

  constructor(connection: DuckDBConnection, path: string, readables: readonly Readable[]) {
    this.#connection = connection;
    this.#path = path;
    this.#readables = readables;
  }

  /** Why values of these rows cannot be read; null if they can, or if they are not damaged. */
  async faultOf({ from, until }: Rows, values: string, names = ''): Promise<string | null> {
    // A count reads no values. DuckDB reads only the groups that hold these rows.
    const sql = `SELECT bit_xor(hash(${values})) FROM read_parquet($path, file_row_number = true) AS t${names}
      WHERE file_row_number >= $from AND file_row_number < $until`;
    const parameters = { path: this.#path, from, until };
    const why = await this.#connection.run(sql, parameters).then(() => null, errorText);
    return why !== null && isDamage(why) ? why : null;
  }

  /** What is damaged in a group. @param ofAll why all of its values together cannot be read */
  async faultIn(group: Group, ofAll: string): Promise<string> {
    for (const { sql, leaves } of this.#readables) {
      const why = await this.faultOf(group, sql, columnNames(sql));
      const found = [...leaves].flatMap(([id, column]) => {
        const chunk = group.chunks.get(id);
        return chunk ? [{ column, ...chunk }] : [];
      });
      if (why !== null && found.length > 0) return `${chunksText(found)} are damaged: ${why}`;
    }
    return `rows ${group.from} to ${group.until - 1}: ${ofAll}`;
  }
}

/** Names for the columns up to the one in an expression: `(c0, c1)`. */
const columnNames = (sql: string): string =>
  `(${Array.from({ length: Number(/\d+/.exec(sql)![0]) + 1 }, (_, i) => `c${i}`).join(', ')})`;

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
  const groups: (Group & { id: number; chunks: Map<number, Omit<Chunk, 'column'>> })[] = [];
  for (const [id, count, column, first, bytes] of rows as [number, number, number, number, number][]) {
    const last = groups.at(-1);
    const from = last?.until ?? 0;
    const group = last?.id === id ? last : { id, from, until: from + count, chunks: new Map() };
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
