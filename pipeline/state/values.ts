import * as lmdb from 'lmdb';
import { stamped, unstamped } from './checksum.js';
import { damagedState } from './header.js';
import type { Key } from './mdb.js';
import type { Seal } from './seal.js';

/** How lmdb writes a key; it exports this without a type. */
const { keyValueToBuffer } = lmdb as unknown as { readonly keyValueToBuffer: (key: Key) => Buffer };

/** Values of a table as stored in the file: encrypted or not, with or without a checksum (early versions). */
export class Values {
  readonly #file: string;
  readonly #seal: Seal | null;
  readonly #hasChecksums: boolean;

  constructor(file: string, seal: Seal | null, hasChecksums: boolean) {
    this.#file = file;
    this.#seal = seal;
    this.#hasChecksums = hasChecksums;
  }

  toFile(table: string, key: Key, value: Buffer): Buffer {
    const sealed = this.#seal ? this.#seal.close(value, table) : value;
    return this.#hasChecksums ? stamped(table, keyValueToBuffer(key), sealed) : sealed;
  }

  /** @throws Error `state.corrupt` if the value was damaged since the start */
  fromFile(table: string, key: Key, bytes: Buffer): Buffer {
    const sealed = this.#hasChecksums ? unstamped(table, keyValueToBuffer(key), bytes) : bytes;
    if (!sealed) throw damagedState(this.#file, `a value of the table ${table} is damaged`);
    return this.#seal ? this.#seal.open(sealed, table) : sealed;
  }
}
