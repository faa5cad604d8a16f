import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { errorText } from '../base/error-text.js';

/** Layout of a file of lmdb as lmdb-js writes it (mdb.c: MDB_page_header, MDB_meta, MDB_db, MDB_node, MDB_ovpage). */
export const PAGE_HEAD = 24;
const NO_PAGE = 0xffff_ffff_ffff_ffffn;
export const [BRANCH, LEAF, OVERFLOW] = [0x01, 0x02, 0x04];
const META = 0x08;
const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
/** Lengths of a page's header and of the content of a header page. */
const META_BYTES = 168;
/** Flag of a header page: its transaction may not be on the disk yet. */
const UNFLUSHED = 0x1000;

/** The record of a table. */
export interface Tree {
  readonly flags: number;
  readonly depth: number;
  readonly branches: number;
  readonly leaves: number;
  readonly overflows: number;
  readonly entries: number;
  /** Null for an empty table. */
  readonly root: number | null;
}

/** Thrown if a file is not as lmdb writes it. */
export class Damage extends Error {
  constructor(what: string) {
    super(what);
    this.name = 'Damage';
  }
}

/** The newest complete snapshot of a file: where its trees begin. */
export interface Snapshot {
  readonly pageBytes: number;
  readonly lastPage: number;
  readonly transaction: bigint;
  readonly free: Tree;
  readonly main: Tree;
}

/** Reads pages of a file without mapping it into memory, so that they can be checked first. */
export class Pages {
  readonly snapshot: Snapshot;
  readonly #descriptor: number;

  /** @throws Damage; the system's error if the file cannot be opened */
  constructor(file: string) {
    this.#descriptor = openSync(file, 'r');
    try {
      if (fstatSync(this.#descriptor).isDirectory()) throw new Damage('it is a folder');
      this.snapshot = this.#readSnapshot();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** `count` pages in a row. */
  read(page: number, count = 1): Buffer {
    const { pageBytes } = this.snapshot;
    return this.#bytes(page * pageBytes, count * pageBytes);
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #bytes(start: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    for (let read = 0; read < length;) {
      const count = this.#read(bytes, read, start + read);
      if (count === 0) throw new Damage('it is cut off');
      read += count;
    }
    return bytes;
  }

  #read(into: Buffer, at: number, start: number): number {
    try {
      return readSync(this.#descriptor, into, at, into.length - at, start);
    } catch (error) {
      // A disk error; the system does not name the file.
      throw new Damage(`it cannot be read (${errorText(error)})`);
    }
  }

  #readSnapshot(): Snapshot {
    const { size } = fstatSync(this.#descriptor);
    if (size < META_BYTES) throw new Damage(size === 0 ? 'it is empty' : 'it is cut off');
    const first = metaOf(this.#bytes(0, META_BYTES), 0);
    const { pageBytes } = first;
    if (pageBytes < 512 || pageBytes > 65_536 || (pageBytes & (pageBytes - 1)) !== 0)
      throw new Damage('its first page does not state its size');
    const second = metaOf(this.#bytes(pageBytes, META_BYTES), 1);
    if (second.pageBytes !== pageBytes) throw new Damage('its first two pages do not agree');
    checkPair(first, second);
    const flushed = contentOf(this.#bytes(pageBytes / 2, META_BYTES));
    const chosen = chosenOf(first, second, flushed);
    // Free pages at the end may never have been written, but there are few.
    if (!(chosen.lastPage <= (2 * size) / pageBytes + 65_536))
      throw new Damage(`its header tells of ${chosen.lastPage} pages`);
    return chosen;
  }
}

interface Meta extends Snapshot {
  readonly flags: number;
  readonly boot: bigint;
}

/** A header page. @throws Damage if it is not one */
function metaOf(bytes: Buffer, number: number): Meta {
  if (bytes.readUInt32LE(24) !== MAGIC) throw new Damage('it is not a store');
  if ((bytes.readUInt32LE(28) & 0xffff) !== DATA_VERSION || (bytes.readUInt16LE(18) & META) === 0)
    throw new Damage(`page ${number} is not a header`);
  return contentOf(bytes);
}

const contentOf = (bytes: Buffer): Meta => ({
  pageBytes: bytes.readUInt32LE(48),
  flags: bytes.readUInt16LE(52),
  free: treeAt(bytes, 48),
  main: treeAt(bytes, 96),
  lastPage: Number(bytes.readBigUInt64LE(144)),
  transaction: bytes.readBigUInt64LE(152),
  boot: bytes.readBigInt64LE(160),
});

/** A table's record in `bytes`. */
export function treeAt(bytes: Buffer, start: number): Tree {
  const number = (offset: number) => Number(bytes.readBigUInt64LE(start + offset));
  const root = bytes.readBigUInt64LE(start + 40);
  return {
    flags: bytes.readUInt16LE(start + 4),
    depth: bytes.readUInt16LE(start + 6),
    branches: number(8),
    leaves: number(16),
    overflows: number(24),
    entries: number(32),
    root: root === NO_PAGE ? null : Number(root),
  };
}

/**
 * Transaction n writes header page n % 2, so the numbers of both differ by one. In a copy the first describes
 * an empty store until its first write.
 */
function checkPair(first: Meta, second: Meta): void {
  const [even, odd] = [first.transaction, second.transaction];
  if (even === 0n && first.main.root === null && first.lastPage <= 1) return;
  const apart = even > odd ? even - odd : odd - even;
  if (even % 2n !== 0n || odd % 2n !== 1n || apart !== 1n)
    throw new Damage(`its header pages tell of transactions ${even} and ${odd}`);
}

/**
 * The header that lmdb uses: the newest, unless the machine crashed before its pages were on disk; then the
 * last one known to be complete.
 */
function chosenOf(first: Meta, second: Meta, flushed: Meta): Meta {
  const boot = thisBoot();
  const newest = first.transaction > second.transaction ? first : second;
  const earlier = [first, second, flushed].filter((meta) => meta !== newest && meta.transaction > 0n);
  if (
    flushed.transaction > newest.transaction ||
    (newest.boot !== boot && earlier.some((meta) => meta.boot === boot && boot !== 0n))
  )
    throw new Damage('its header pages contradict each other');
  const pick = (a: Meta, b: Meta): Meta => {
    const [newer, older] = a.transaction >= b.transaction ? [a, b] : [b, a];
    if (b.transaction === 0n) return a;
    const isSafe = (newer.boot !== 0n && newer.boot === boot) || (newer.flags & UNFLUSHED) === 0;
    return isSafe ? newer : older;
  };
  return pick(pick(first, second), flushed);
}

/** The number by which lmdb detects that the machine has restarted since; 0 if there is none. */
function thisBoot(): bigint {
  try {
    const id = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8');
    return BigInt(`0x${/^[0-9a-f]+/.exec(id)?.[0] ?? '0'}`);
  } catch {
    return 0n;
  }
}
