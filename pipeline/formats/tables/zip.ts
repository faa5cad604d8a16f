/** Zip files (PKWARE, APPNOTE.TXT), as NumPy writes them: entries that are stored or deflated. */
import { crc32, inflateRawSync } from 'node:zlib';
import { errorText } from '../../base/error-text.js';
import type { Allowance } from './allowance.js';

export interface ZipEntry {
  readonly name: string;
  /** Its content. @throws zlib's error if it is more than the allowance; Error if it is damaged or truncated */
  readonly bytes: (allowance: Allowance) => Buffer;
}

/** The entries of a zip file; without a whole directory at its end, those that follow each other from its start. */
export interface Zip {
  readonly entries: readonly ZipEntry[];
  /** What is wrong with the file, with its byte; null if nothing is. */
  readonly damage: string | null;
}

export function zipEntries(file: Buffer): Zip {
  const end = file.lastIndexOf(END_MARK);
  if (end < 0 || end + END_BYTES > file.length)
    return undirected(
      file,
      `byte ${file.length}: the zip file is truncated: the directory that ends it is not complete`,
    );
  try {
    return { entries: [...listedEntries(file, end)], damage: null };
  } catch (error) {
    return undirected(file, errorText(error));
  }
}

/** @param why there is no directory, with its byte */
function undirected(file: Buffer, why: string): Zip {
  const entries: ZipEntry[] = [];
  for (const entry of foundEntries(file)) {
    if (entries.length === MAX_ENTRIES)
      return { entries, damage: `${why}; only its first ${MAX_ENTRIES} entries are read` };
    entries.push(entry);
  }
  return { entries, damage: why };
}

/** Those in the directory. @throws Error if it is damaged */
function* listedEntries(file: Buffer, end: number): Generator<ZipEntry> {
  const { count, start } = directoryOf(file, end);
  for (let i = 0, at = start; i < count; i++) {
    checkHeader(file, at, DIRECTORY_ENTRY);
    const [nameLength, extra, comment] = [28, 30, 32].map((offset) => file.readUInt16LE(at + offset));
    const name = file.toString('utf8', at + 46, at + 46 + nameLength!);
    const [isPacked, sum] = [file.readUInt16LE(at + 10) !== 0, file.readUInt32LE(at + 16)];
    const { length, local } = placeOf(file, at);
    const bytes = (allowance: Allowance): Buffer => {
      checkHeader(file, local, LOCAL_ENTRY);
      return contentOf(file, { start: startOf(file, local), length, isPacked, sum }, allowance);
    };
    yield { name, bytes };
    at += 46 + nameLength! + extra! + comment!;
  }
}

/** Where the directory begins, and its number of entries; a 64-bit zip file has a record of its own for both. */
function directoryOf(file: Buffer, end: number): { readonly count: number; readonly start: number } {
  const locator = end - LOCATOR_64.length;
  if (locator < 0 || file.readUInt32LE(locator) !== LOCATOR_64.signature)
    return { count: file.readUInt16LE(end + 10), start: file.readUInt32LE(end + 16) };
  const record = Number(file.readBigUInt64LE(locator + 8));
  checkHeader(file, record, END_64);
  return {
    count: Number(file.readBigUInt64LE(record + 32)),
    start: Number(file.readBigUInt64LE(record + 48)),
  };
}

/** Bytes of the content of an entry in the directory, and where its own header is. */
function placeOf(file: Buffer, at: number): { readonly length: number; readonly local: number } {
  const [size, length, local] = [24, 20, 42].map((offset) => file.readUInt32LE(at + offset));
  // The values that are too large stand in this order in an extra field.
  const wide = [size!, length!, local!].map((value) => value === IN_64_BITS);
  const values = extra64(file, at + 46 + file.readUInt16LE(at + 28), file.readUInt16LE(at + 30));
  const [, ofContent, ofHeader] = wide.map((isWide) => (isWide ? values.shift() : undefined));
  return { length: ofContent ?? length!, local: ofHeader ?? local! };
}

/** The numbers of 64 bits in the extra fields of an entry. @param length of all of them, bytes */
function extra64(file: Buffer, start: number, length: number): number[] {
  const end = Math.min(start + length, file.length);
  for (let at = start; at + 4 <= end; at += 4 + file.readUInt16LE(at + 2)) {
    if (file.readUInt16LE(at) !== EXTRA_64) continue;
    const count = Math.min(file.readUInt16LE(at + 2), end - at - 4) >> 3;
    return Array.from({ length: count }, (_, i) => Number(file.readBigUInt64LE(at + 4 + 8 * i)));
  }
  return [];
}

/** Those whose own headers state their length, up to the first other one. */
function* foundEntries(file: Buffer): Generator<ZipEntry> {
  let at = 0;
  while (at + LOCAL_ENTRY.length <= file.length && file.readUInt32LE(at) === LOCAL_ENTRY.signature) {
    const start = startOf(file, at);
    const name = file.toString('utf8', at + 30, at + 30 + file.readUInt16LE(at + 26));
    const length = ownLength(file, at);
    if (start > file.length || length === null) return;
    const place = {
      ...{ start, length },
      ...{ isPacked: file.readUInt16LE(at + 8) !== 0, sum: file.readUInt32LE(at + 14) },
    };
    yield { name, bytes: (allowance) => contentOf(file, place, allowance) };
    at = start + length;
  }
}

const startOf = (file: Buffer, local: number): number =>
  local + 30 + file.readUInt16LE(local + 26) + file.readUInt16LE(local + 28);

/** Bytes of an entry by its own header; null if it does not state them (the file was written to a pipe). */
function ownLength(file: Buffer, at: number): number | null {
  if ((file.readUInt16LE(at + 6) & LENGTH_FOLLOWS) !== 0) return null;
  const length = file.readUInt32LE(at + 18);
  if (length !== IN_64_BITS) return length;
  // NumPy's: both lengths are in an extra field.
  const [, packed] = extra64(file, at + 30 + file.readUInt16LE(at + 26), file.readUInt16LE(at + 28));
  return packed ?? null;
}

interface Content {
  readonly start: number;
  readonly length: number;
  readonly isPacked: boolean;
  /** CRC-32 of the content. */
  readonly sum: number;
}

function contentOf(file: Buffer, { start, length, isPacked, sum }: Content, allowance: Allowance): Buffer {
  const held = file.subarray(start, start + length);
  const isWhole = held.length === length;
  if (!isWhole && isPacked)
    throw new Error(`byte ${file.length}: it is truncated: ${held.length} bytes of ${length}`);
  const content = isPacked ? inflateRawSync(held, allowance.zlibOptions) : held;
  if (isWhole && crc32(content) !== sum) throw new Error(`byte ${start}: its checksum is wrong`);
  return content;
}

/** A directory lists as many; one without content takes 30 bytes of the file, and some hundred here. */
const MAX_ENTRIES = 65_535;

interface ZipHeader {
  readonly signature: number;
  readonly length: number;
}
const DIRECTORY_ENTRY: ZipHeader = { signature: 0x02014b50, length: 46 };
/** The record of a 64-bit zip file that ends its directory, and where that is. */
const END_64: ZipHeader = { signature: 0x06064b50, length: 56 };
const LOCATOR_64: ZipHeader = { signature: 0x07064b50, length: 20 };
const LOCAL_ENTRY: ZipHeader = { signature: 0x04034b50, length: 30 };
/** The mark of the record that ends the directory. */
const END_MARK = Buffer.from([0x50, 0x4b, 5, 6]);
const END_BYTES = 22;
/** Flag of an entry whose length is behind it. */
const LENGTH_FOLLOWS = 8;
/** A value that is in the extra field {@link EXTRA_64}. */
const IN_64_BITS = 0xffffffff;
const EXTRA_64 = 1;

function checkHeader(file: Buffer, at: number, { signature, length }: ZipHeader): void {
  if (!(at + length <= file.length) || file.readUInt32LE(at) !== signature)
    throw new Error(`byte ${at}: the zip file is damaged: no entry begins here`);
}
