import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { open, type Database, type RangeOptions, type RootDatabase } from 'lmdb';
import { stateError } from './version.js';

export type Key = number | string | (number | string)[];
export type Table = Database<Buffer, Key>;

/** `maxDbs` is the number of tables. */
const OPTIONS = {
  encoding: 'binary',
  maxDbs: 256,
  noSubdir: true,
  // Else lmdb makes promises of its own, and a commit that a full disk refuses would end the process by one.
  eventTurnBatching: false,
  // For `WriteThreads`.
  separateFlushed: true,
} as const;

/** Opens a file of lmdb, or makes one. @throws Error `state.corrupt` where it is none, or half of one */
export function openMdb(file: string, { readOnly = false } = {}): RootDatabase<Buffer, string> {
  try {
    if (existsSync(file)) checkFile(file);
    return open<Buffer, string>({ path: file, ...OPTIONS, ...(readOnly && { readOnly }) });
  } catch (error) {
    throw stateError(
      'state.corrupt',
      `${file} cannot be opened as a state store (${text(error)}): move it away to start anew, its content is then lost`,
      error,
    );
  }
}

/** Reads go through `open` from now on. */
export function unsealed(table: Table, open: (value: Buffer) => Buffer): void {
  const get = table.get.bind(table);
  const getRange = table.getRange.bind(table);
  Object.assign(table, {
    get: (key: Key) => {
      const value = get(key);
      return value && open(value);
    },
    // `getKeys` asks it for keys alone.
    getRange: (range: RangeOptions & { readonly values?: boolean }) => {
      const found = getRange(range);
      return range.values === false ? found : found.map(({ key, value }) => ({ key, value: open(value) }));
    },
  });
}

/** Looked at before the store maps the file into memory: another file there, or half of one, would end the process. */
function checkFile(file: string): void {
  const start = Buffer.alloc(META_BYTES);
  const handle = openSync(file, 'r');
  try {
    const bytes = readSync(handle, start, 0, start.length, 0);
    // The first page is a header of the store: MDB_MAGIC stands behind the page's own header.
    if (bytes < start.length || start.readUInt32LE(24) !== 0xbeefc0de) throw new Error('it is not a store');
    const pageBytes = start.readUInt32LE(48);
    const second = Buffer.alloc(META_BYTES);
    const more = readSync(handle, second, 0, second.length, pageBytes);
    // Asked last: another process may write, and what a header tells of is in the file before it.
    const { size } = fstatSync(handle);
    if (pageBytes < META_BYTES || more < second.length || size < 2 * pageBytes)
      throw new Error('it is cut off');
    const newest = transactionOf(second) > transactionOf(start) ? second : start;
    for (const root of [FREE_ROOT, MAIN_ROOT]) {
      const page = newest.readBigUInt64LE(root);
      if (page !== NO_PAGE && (page + 1n) * BigInt(pageBytes) > BigInt(size))
        throw new Error('it is cut off');
    }
  } finally {
    closeSync(handle);
  }
}

/** Places in a meta page of lmdb (mdb.c, MDB_meta): roots of its two tables, and the transaction that wrote it. */
const [FREE_ROOT, MAIN_ROOT, TRANSACTION, META_BYTES] = [88, 136, 152, 160];
const NO_PAGE = 0xffff_ffff_ffff_ffffn;
const transactionOf = (meta: Buffer): bigint => meta.readBigUInt64LE(TRANSACTION);

const text = (error: unknown) => (error instanceof Error ? error.message : String(error));
