import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { open, type Database, type RangeOptions, type RootDatabase } from 'lmdb';
import { packageVersion } from '../telemetry/paths.js';
import { KEY_FILE } from './keys.js';
import { lockFolder } from './lock.js';
import { Room } from './room.js';
import { Seal } from './seal.js';
import { checkLayout, stateError } from './version.js';
import { WriteThreads } from './write-threads.js';

/** Counts up with each change of the tables, their keys or their values that an earlier csiflow could not read. */
const LAYOUT = 1;

const HEADER = 'header';

/** What a store says of itself. */
export function headerOf(topology: string, seal: Seal | null): Buffer {
  const sealed = seal?.close(Buffer.from(topology), HEADER);
  return encode({ version: LAYOUT, topology, by: packageVersion(), ...(sealed && { sealed }) });
}

/** How a store's file is opened; `maxDbs` is the number of tables. */
export const FILE_OPTIONS = {
  encoding: 'binary',
  maxDbs: 256,
  noSubdir: true,
  // Else lmdb makes promises of its own, and a commit that a full disk refuses would end the process by one.
  eventTurnBatching: false,
  // For `WriteThreads`.
  separateFlushed: true,
} as const;

/** In a state folder. */
export const STATE_FILE = 'state.mdb';
/** Folder of backups within a state folder. */
export const BACKUPS = 'backups';

/**
 * All that a topology keeps on disk, in one embedded store (lmdb) of its state folder: journal,
 * checkpoints, outboxes, sent alerts, dead letters. One process at a time.
 */
export class StateStore {
  readonly root: RootDatabase<Buffer, string>;
  readonly #unlock: () => void;
  readonly #room: Room;
  readonly #threads = new WriteThreads();
  #seal: Seal | null;
  #closed = false;
  /** Resolves when no copy is being made. */
  #copying: Promise<unknown> = Promise.resolve();
  /** Room was asked for as a whole. */
  #inTransaction = false;

  /**
   * A store that is there is opened as it was written, encrypted or not; {@link openState} makes it as it is to be.
   * @param key what values of a new store are encrypted with; null: they are not
   * @param formerKey opens a store that is encrypted, where there is no `key`
   * @throws Error `state.locked`, `state.newer`, `state.older`, `state.foreign`, `state.corrupt`, `state.encryption`
   */
  constructor(folder: string, topology: string, key: Buffer | null = null, formerKey: Buffer | null = null) {
    const secret = key ?? formerKey;
    this.#seal = secret && new Seal(secret);
    this.#unlock = lockFolder(folder);
    this.#room = new Room(folder);
    const file = join(folder, STATE_FILE);
    try {
      if (existsSync(file)) checkFile(file);
      this.root = open<Buffer, string>({ path: file, ...FILE_OPTIONS });
    } catch (error) {
      this.#unlock();
      throw stateError(
        'state.corrupt',
        `${file} cannot be opened as a state store (${text(error)}): move it away to start anew, its content is then lost`,
        error,
      );
    }
    try {
      this.#readHeader(file, topology, key !== null);
    } catch (error) {
      void this.close();
      throw error;
    }
  }

  /** Whether its values are encrypted. */
  get isSealed(): boolean {
    return this.#seal !== null;
  }

  #readHeader(file: string, topology: string, seals: boolean): void {
    const found = this.root.get(HEADER);
    if (!found) {
      if (!seals) this.#seal = null;
      this.root.putSync(HEADER, headerOf(topology, this.#seal));
      return;
    }
    const header = readHeader(file, found);
    checkLayout(file, header.version, LAYOUT, header.by);
    if (header.topology !== topology) {
      throw stateError(
        'state.foreign',
        `${file} belongs to the topology ${header.topology}, not to ${topology}: give each topology a state folder of its own`,
      );
    }
    this.#checkSeal(file, header.sealed);
  }

  #checkSeal(file: string, sealed: Uint8Array | undefined): void {
    if (!sealed) {
      this.#seal = null;
      return;
    }
    if (!this.#seal)
      throw stateError(
        'state.encryption',
        `${file} is encrypted, and its key is not there: put it into ${KEY_FILE} of its folder, or into settings.privacy.key (see docs/privacy.md)`,
      );
    try {
      this.#seal.open(sealed, HEADER);
    } catch (error) {
      throw stateError(
        'state.encryption',
        `${file} was encrypted with another key: put the right one into ${KEY_FILE} of its folder, or into settings.privacy.key`,
        error,
      );
    }
  }

  /** Names of its tables. */
  get tables(): readonly string[] {
    this.#requireOpen();
    return [...this.root.getKeys({})].filter((name) => name !== HEADER);
  }

  /** A table whose values are bytes. Keys are numbers, text, or lists of them, in their natural order. */
  table(name: string): Database<Buffer, Key> {
    this.#requireOpen();
    const table = this.root.openDB<Buffer, Key>(name, { encoding: 'binary' });
    readsWhile(table, () => {
      this.#requireOpen();
    });
    const seal = this.#seal;
    const write = table.put.bind(table) as (...given: unknown[]) => Promise<boolean>;
    const put = (key: Key, value: Buffer, ...more: unknown[]) =>
      this.#threads.of(write(key, seal ? seal.close(value, name) : value, ...more));
    const remove = table.remove.bind(table) as (...given: unknown[]) => Promise<boolean>;
    if (seal) unsealed(table, (value) => seal.open(value, name));
    return Object.assign(table, {
      put: (key: Key, value: Buffer, ...more: unknown[]) =>
        lookedAt(this.#closed ? tooLate() : this.#withRoom(value.length, () => put(key, value, ...more))),
      remove: (...given: unknown[]) =>
        lookedAt(this.#closed ? tooLate() : this.#threads.of(remove(...given))),
    });
  }

  /** All writes made in `action` are committed together; resolves when they are safe on the disk. */
  async transaction(action: () => void): Promise<void> {
    this.#requireOpen();
    await lookedAt(
      this.#withRoom(0, () =>
        this.#threads.of(
          this.root.batch(() => {
            this.#inTransaction = true;
            try {
              action();
            } finally {
              this.#inTransaction = false;
            }
          }),
        ),
      ),
    );
    await this.#threads.ended();
  }

  /** A node that hung may come back after the end; lmdb would end the process over it. @throws Error */
  #requireOpen(): void {
    if (this.#closed) throw new Error(CLOSED);
  }

  /** Writes at once, or not at all. */
  async #withRoom<T>(bytes: number, write: () => Promise<T>): Promise<T> {
    if (!this.#inTransaction) this.#room.require(bytes);
    return write();
  }

  /** Writes all that is committed to a new file, as it stands at one moment, while the store goes on. */
  async copyTo(file: string): Promise<void> {
    this.#requireOpen();
    const copied = this.#threads.ended().then(async () => {
      this.#requireOpen();
      await this.root.backup(file, true);
    });
    this.#copying = Promise.allSettled([this.#copying, copied]);
    await copied;
  }

  /** Waits for what is being written and copied. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#copying;
    await this.#threads.close(this.root);
    this.#unlock();
  }
}

/** Reads go through `open` from now on. */
function unsealed(table: Table, open: (value: Buffer) => Buffer): void {
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

const CLOSED = 'the state store is closed';
const tooLate = (): Promise<never> => Promise.reject(new Error(CLOSED));

/** Reads ask first whether the store is still open: the memory that they look into is gone with it. */
function readsWhile(table: Table, requireOpen: () => void): void {
  const get = table.get.bind(table);
  const getRange = table.getRange.bind(table);
  const getKeys = table.getKeys.bind(table);
  Object.assign(table, {
    get: (key: Key) => {
      requireOpen();
      return get(key);
    },
    getRange: (range?: RangeOptions) => {
      requireOpen();
      return getRange(range);
    },
    getKeys: (range?: RangeOptions) => {
      requireOpen();
      return getKeys(range);
    },
  });
}

/**
 * Says what a failed write means. A write of a transaction, or of no interest by itself, may fail without anybody
 * waiting for it: who waits for the transaction is told. lmdb gives the cause as a promise of its own, which is
 * nobody's either.
 */
function lookedAt<T>(write: Promise<T>): Promise<T> {
  const looked = write.catch((error: unknown) => {
    if (error instanceof Error && 'commitError' in error && error.commitError instanceof Promise)
      error.commitError.catch(() => undefined);
    if (error instanceof Error && 'code' in error && error.code === 'state.write') throw error;
    throw stateError('state.write', 'the state store cannot be written: is the disk full?', error);
  });
  looked.catch(() => undefined);
  return looked;
}

export type Key = number | string | (number | string)[];
export type Table = Database<Buffer, Key>;

/** Plain data and typed arrays as bytes (structured clone). */
export const encode = (value: unknown): Buffer => serialize(value);
export const decode = (value: Uint8Array): unknown => deserialize(value);

interface Header {
  readonly version: unknown;
  readonly topology: string;
  /** csiflow's version that made the store; not in those of the first one. */
  readonly by?: string;
  /** The topology's name, encrypted; in encrypted stores. */
  readonly sealed?: Uint8Array;
}

/** @throws Error `state.corrupt` */
function readHeader(file: string, bytes: Uint8Array): Header {
  try {
    return decode(bytes) as Header;
  } catch (error) {
    throw stateError(
      'state.corrupt',
      `${file} has an unreadable header: move it away to start anew, its content is then lost`,
      error,
    );
  }
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
    const { size } = fstatSync(handle);
    if (pageBytes < META_BYTES || size < 2 * pageBytes) throw new Error('it is cut off');
    const second = Buffer.alloc(META_BYTES);
    readSync(handle, second, 0, second.length, pageBytes);
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
