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

/** Counts up with each change of the tables, their keys or their values that an earlier csiflow could not read. */
const LAYOUT = 1;

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
  readonly #seal: Seal | null;
  #closed = false;
  /** Room was asked for as a whole. */
  #inTransaction = false;

  /**
   * @param secret what values are encrypted with; null: they are not
   * @throws Error `state.locked`, `state.newer`, `state.older`, `state.foreign`, `state.corrupt`, `state.encryption`
   */
  constructor(folder: string, topology: string, secret: Buffer | null = null) {
    this.#seal = secret && new Seal(secret);
    this.#unlock = lockFolder(folder);
    this.#room = new Room(folder);
    const file = join(folder, STATE_FILE);
    try {
      if (existsSync(file)) checkFile(file);
      this.root = open<Buffer, string>({
        path: file,
        encoding: 'binary',
        maxDbs: 256,
        noSubdir: true,
        // Else lmdb makes promises of its own, and a commit that a full disk refuses would end the process by one.
        eventTurnBatching: false,
      });
    } catch (error) {
      this.#unlock();
      throw stateError(
        'state.corrupt',
        `${file} cannot be opened as a state store (${text(error)}): move it away to start anew, its content is then lost`,
        error,
      );
    }
    try {
      this.#checkHeader(file, topology);
    } catch (error) {
      void this.close();
      throw error;
    }
  }

  #checkHeader(file: string, topology: string): void {
    const found = this.root.get('header');
    if (!found) {
      const sealed = this.#seal?.close(Buffer.from(topology), 'header');
      this.root.putSync(
        'header',
        encode({ version: LAYOUT, topology, by: packageVersion(), ...(sealed && { sealed }) }),
      );
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
    if (!sealed && !this.#seal) return;
    if (!sealed || !this.#seal)
      throw stateError(
        'state.encryption',
        `${file} was begun ${sealed ? 'with' : 'without'} encryption: set settings.privacy.enable_encryption to ${String(sealed !== undefined)} again, or move the state folder away to start anew (see docs/privacy.md)`,
      );
    try {
      this.#seal.open(sealed, 'header');
    } catch (error) {
      throw stateError(
        'state.encryption',
        `${file} was encrypted with another key: put the right one into ${KEY_FILE} of its folder, or into settings.privacy.key`,
        error,
      );
    }
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
      write(key, seal ? seal.close(value, name) : value, ...more);
    const remove = table.remove.bind(table) as (...given: unknown[]) => Promise<boolean>;
    if (seal) unsealed(table, (value) => seal.open(value, name));
    return Object.assign(table, {
      put: (key: Key, value: Buffer, ...more: unknown[]) =>
        lookedAt(this.#closed ? tooLate() : this.#withRoom(value.length, () => put(key, value, ...more))),
      remove: (...given: unknown[]) => lookedAt(this.#closed ? tooLate() : remove(...given)),
    });
  }

  /** All writes made in `action` are committed together; resolves when they are safe on the disk. */
  async transaction(action: () => void): Promise<void> {
    this.#requireOpen();
    await lookedAt(
      this.#withRoom(0, () =>
        this.root.batch(() => {
          this.#inTransaction = true;
          try {
            action();
          } finally {
            this.#inTransaction = false;
          }
        }),
      ),
    );
    await this.root.flushed;
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
    await this.root.flushed;
    await this.root.backup(file, true);
  }

  /**
   * Waits until lmdb's thread has let go of its lock, by taking it: a store that is closed before, and opened again
   * at once, ended the process (`pthread_mutex_lock: Assertion`). Who waits for a write was told how it went.
   */
  async #settled(): Promise<void> {
    try {
      await this.root.flushed;
      this.root.transactionSync(() => undefined);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#settled();
    await this.root.close();
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
