import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Database, RangeOptions, RootDatabase } from 'lmdb';
import { tightenOwnFolder } from '../base/folders.js';
import { checkMdb } from './damage.js';
import { checkHeader, hasChecksums, HEADER, headerOf, sealOf } from './header.js';
import { lockFolder } from './lock.js';
import { openMdb, readThrough, type Key, type Table } from './mdb.js';
import { DiskSpace } from './disk-space.js';
import { Seal } from './seal.js';
import { Values } from './values.js';
import { WriteThreads } from './write-threads.js';
import { codedError } from '../base/error-text.js';

export { decode, encode } from './codec.js';
export type { Key, Table } from './mdb.js';

/** In a state folder. */
export const STATE_FILE = 'state.mdb';
/** Folder of backups within a state folder. */
export const BACKUPS = 'backups';

/**
 * All that a topology stores on disk, in one embedded store (lmdb) of its state folder: journal,
 * checkpoints, outboxes, sent alerts, dead letters. One process at a time.
 */
export class StateStore {
  readonly root: RootDatabase<Buffer, string>;
  readonly #folder: string;
  readonly #unlock: () => void;
  readonly #space: DiskSpace;
  readonly #threads = new WriteThreads();
  #seal: Seal | null;
  #hasChecksums = true;
  readonly #values: Values;
  #closed = false;
  readonly #lastWrites: (() => void)[] = [];
  /** Resolves when no copy is in progress. */
  #copying: Promise<unknown> = Promise.resolve();
  /** Space for the whole was requested already. */
  #inTransaction = false;

  /**
   * An existing store is opened as it was written, encrypted or not; {@link openState} converts it.
   * @param key encrypts the values of a new store; null: no encryption
   * @param formerKey decrypts an encrypted store if there is no `key`
   * @param unlock of the folder, if it is locked and its file was checked already ({@link openState})
   * @throws Error `state.locked`, `state.newer`, `state.older`, `state.foreign`, `state.corrupt`,
   * `state.encryption`, `state.write`
   */
  constructor(
    folder: string,
    topology: string,
    key: Uint8Array | null = null,
    formerKey: Uint8Array | null = null,
    unlock?: () => void,
  ) {
    const secret = key ?? formerKey;
    this.#seal = secret && new Seal(secret);
    this.#folder = folder;
    this.#unlock = unlock ?? lockFolder(folder);
    this.#space = new DiskSpace(folder);
    const file = join(folder, STATE_FILE);
    try {
      if (existsSync(file)) {
        tightenOwnFolder(folder);
        if (!unlock) checkMdb(file);
      } else this.#space.require(0);
      this.root = openMdb(file);
    } catch (error) {
      this.#unlock();
      throw error;
    }
    try {
      this.#readHeader(file, topology, key !== null);
      this.#values = new Values(file, this.#seal, this.#hasChecksums);
    } catch (error) {
      void this.close();
      throw error;
    }
  }

  /** Whether its values are encrypted. */
  get isSealed(): boolean {
    return this.#seal !== null;
  }

  /** Whether its values have checksums; stores of early versions do not. */
  get hasChecksums(): boolean {
    return this.#hasChecksums;
  }

  #readHeader(file: string, topology: string, seals: boolean): void {
    const found = this.root.get(HEADER);
    if (!found) {
      if (!seals) this.#seal = null;
      this.root.putSync(HEADER, headerOf(topology, this.#seal));
      return;
    }
    const header = checkHeader(file, found, topology);
    this.#hasChecksums = hasChecksums(header.version);
    this.#seal = sealOf(file, header, this.#seal);
  }

  /** Names of its tables. */
  get tables(): readonly string[] {
    this.#requireOpen();
    return [...this.root.getKeys({})].filter((name) => name !== HEADER);
  }

  /** A table whose values are bytes. Keys are numbers, text, or lists of them, in their natural order. */
  table(name: string): Database<Buffer, Key> {
    this.#requireOpen();
    // Creating it is a write.
    if (!this.tables.includes(name)) this.#space.require(0);
    const table = this.root.openDB<Buffer, Key>(name, { encoding: 'binary' });
    readsWhile(table, () => {
      this.#requireOpen();
    });
    const write = table.put.bind(table) as (...given: unknown[]) => Promise<boolean>;
    const put = (key: Key, value: Buffer, ...more: unknown[]) =>
      this.#threads.of(write(key, this.#values.toFile(name, key, value), ...more));
    const remove = table.remove.bind(table) as (...given: unknown[]) => Promise<boolean>;
    readThrough(table, (key, value) => this.#values.fromFile(name, key, value));
    return Object.assign(table, {
      put: (key: Key, value: Buffer, ...more: unknown[]) =>
        this.#looked(
          this.#closed ? tooLate() : this.#withSpace(value.length, () => put(key, value, ...more)),
        ),
      remove: (...given: unknown[]) =>
        this.#looked(this.#closed ? tooLate() : this.#threads.of(remove(...given))),
    });
  }

  /** All writes made in `action` are committed together; resolves when they are safe on the disk. */
  async transaction(action: () => void): Promise<void> {
    this.#requireOpen();
    await this.#looked(
      this.#withSpace(0, () =>
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

  /** A node that hung may write after the store is closed, which would make lmdb end the process. @throws Error */
  #requireOpen(): void {
    if (this.#closed) throw new Error(CLOSED);
  }

  #looked<T>(write: Promise<T>): Promise<T> {
    return lookedAt(this.#folder, write);
  }

  /** Writes immediately, or not at all. */
  async #withSpace<T>(bytes: number, write: () => Promise<T>): Promise<T> {
    if (!this.#inTransaction) this.#space.require(bytes);
    return write();
  }

  /** Writes a consistent copy of all committed data to a new file, while the store stays in use. */
  async copyTo(file: string): Promise<void> {
    this.#requireOpen();
    this.#startWrites();
    // `close` waits for it, even if it has to wait for the threads first.
    const copied = this.#threads.ended().then(() => this.root.backup(file, true));
    this.#copying = Promise.allSettled([this.#copying, copied]);
    await copied;
  }

  /** Calls `start` before the store is copied or closed, so that writes that wait for others begin. */
  beforeEnd(start: () => void): void {
    this.#lastWrites.push(start);
  }

  #startWrites(): void {
    for (const start of this.#lastWrites) start();
  }

  /** Waits for writes and copies in progress. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#startWrites();
    this.#closed = true;
    await this.#copying;
    await this.#threads.close(this.root);
    this.#unlock();
  }
}

const CLOSED = 'the state store is closed';
const tooLate = (): Promise<never> => Promise.reject(new Error(CLOSED));

/** Reads first check that the store is still open: its memory is unmapped when it closes. */
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
 * Explains a failed write to the store of a folder. A write that is part of a transaction, or that no caller waits
 * for, may fail unnoticed: the caller of the transaction gets the error. lmdb reports the cause through a separate
 * promise, which must be handled too.
 */
export function lookedAt<T>(folder: string, write: Promise<T>): Promise<T> {
  const looked = write.catch((error: unknown) => {
    if (error instanceof Error && 'commitError' in error && error.commitError instanceof Promise)
      error.commitError.catch(() => undefined);
    if (error instanceof Error && 'code' in error && error.code === 'state.write') throw error;
    throw codedError(
      'state.write',
      `the state store in ${folder} cannot be written: is its disk full, or the size of files limited (\`ulimit -f\`)?`,
      error,
    );
  });
  looked.catch(() => undefined);
  return looked;
}
