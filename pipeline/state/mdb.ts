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
  // Otherwise lmdb creates promises of its own, and a commit that a full disk rejects would end the process
  // through an unhandled one.
  eventTurnBatching: false,
  // For `WriteThreads`.
  separateFlushed: true,
} as const;

/** Opens or creates a file of lmdb. @throws Error `state.corrupt` if lmdb rejects it */
export function openMdb(file: string, { readOnly = false } = {}): RootDatabase<Buffer, string> {
  try {
    return open<Buffer, string>({ path: file, ...OPTIONS, ...(readOnly && { readOnly }) });
  } catch (error) {
    throw damagedState(file, `it cannot be opened (${errorText(error)})`, error);
  }
}

/** From now on reads go through `open`. */
export function readThrough(table: Table, open: (key: Key, value: Buffer) => Buffer): void {
  const get = table.get.bind(table);
  const getRange = table.getRange.bind(table);
  Object.assign(table, {
    get: (key: Key) => {
      const value = get(key);
      return value && open(key, value);
    },
    // `getKeys` asks for keys only.
    getRange: (range: RangeOptions & { readonly values?: boolean }) => {
      const found = getRange(range);
      return range.values === false
        ? found
        : found.map(({ key, value }) => ({ key, value: open(key, value) }));
    },
  });
}
