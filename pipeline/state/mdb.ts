import { open, type Database, type RangeOptions, type RootDatabase } from 'lmdb';
import { damagedState } from './header.js';
import { errorText } from '../base/error-text.js';

export type Key = number | string | (number | string)[];
export type Table = Database<Buffer, Key>;

/** `maxDbs` is the number of tables. */
const OPTIONS = {
  encoding: 'binary',
  maxDbs: 512,
  noSubdir: true,
  // Else lmdb makes promises of its own, and a commit that a full disk refuses would end the process by one.
  eventTurnBatching: false,
  // For `WriteThreads`.
  separateFlushed: true,
} as const;

/** Opens a file of lmdb, or makes one. @throws Error `state.corrupt` where lmdb does not take it */
export function openMdb(file: string, { readOnly = false } = {}): RootDatabase<Buffer, string> {
  try {
    return open<Buffer, string>({ path: file, ...OPTIONS, ...(readOnly && { readOnly }) });
  } catch (error) {
    throw damagedState(file, `it cannot be opened (${errorText(error)})`, error);
  }
}

/** Reads go through `open` from now on. */
export function readThrough(table: Table, open: (key: Key, value: Buffer) => Buffer): void {
  const get = table.get.bind(table);
  const getRange = table.getRange.bind(table);
  Object.assign(table, {
    get: (key: Key) => {
      const value = get(key);
      return value && open(key, value);
    },
    // `getKeys` asks it for keys alone.
    getRange: (range: RangeOptions & { readonly values?: boolean }) => {
      const found = getRange(range);
      return range.values === false
        ? found
        : found.map(({ key, value }) => ({ key, value: open(key, value) }));
    },
  });
}
