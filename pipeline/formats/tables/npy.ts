import { inflateRawSync } from 'node:zlib';
import {
  columnMajor,
  numberArray,
  rowMajor,
  sizeOf,
  textArray,
  type Table,
  type TableArray,
} from './arrays.js';

/** Number of bytes, and the function that reads a number. */
type Read = readonly [bytes: number, get: (data: Buffer, at: number) => number];

/**
 * Reads a `.npy` file (NumPy's NEP 1: magic, version, header as a Python literal, then the data).
 * @throws Error that names the part that cannot be read
 */
export function readNpy(file: Buffer, name = ''): TableArray {
  if (file.toString('latin1', 1, 6) !== 'NUMPY') throw new Error('not a .npy file: the magic is missing');
  if (file.length < 12) throw new Error('it is truncated in its header');
  const isLong = file[6]! > 1;
  const start = isLong ? 12 : 10;
  const end = start + (isLong ? file.readUInt32LE(8) : file.readUInt16LE(8));
  const header = file.toString('latin1', start, end);
  const shape = shapeOf(header);
  const type = /'descr': '([<>|=]?)(\w)(\d+)'/.exec(header);
  if (!shape || !type) throw new Error(`${labelOf(header)} are neither numbers nor texts`);
  const [, order, kind, width] = type as unknown as readonly [string, string, string, string];
  const data = file.subarray(end);
  const count = sizeOf(shape);
  if (kind === 'U' || kind === 'S') return textArray(name, shape, texts(data, count, kind, Number(width)));
  const complex = kind === 'c';
  const read = readers[complex ? `f${Number(width) / 2}` : `${kind}${width}`];
  if (!read || order === '>') throw new Error(`numbers of type ${order}${kind}${width} are not supported`);
  const [bytes, get] = read;
  const parts = complex ? 2 : 1;
  if (data.length < count * bytes * parts)
    throw new Error(`it is truncated: ${data.length} bytes of ${count * bytes * parts}`);
  const column = (part: number) =>
    Float64Array.from({ length: count }, (_, i) => get(data, (i * parts + part) * bytes));
  const strides = header.includes("'fortran_order': True") ? columnMajor(shape) : rowMajor(shape);
  return numberArray(name, shape, column(0), complex ? column(1) : null, strides);
}

/** All arrays of a `.npz` file (a zip of `.npy` files). @throws Error if it is not a complete zip file */
export function readNpz(file: Buffer): Table {
  const arrays: TableArray[] = [];
  const unread: string[] = [];
  for (const { name, bytes } of zipEntries(file)) {
    const array = name.replace(/\.npy$/, '');
    try {
      arrays.push(readNpy(bytes(), array));
    } catch (error) {
      unread.push(`${array}: ${(error as Error).message}`);
    }
  }
  return { arrays, unread };
}

function* zipEntries(file: Buffer): Generator<{ readonly name: string; readonly bytes: () => Buffer }> {
  const end = file.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  if (end < 0) throw new Error('not a complete zip file: the end of the directory is missing');
  for (let i = 0, at = file.readUInt32LE(end + 16); i < file.readUInt16LE(end + 10); i++) {
    const [nameLength, extra, comment] = [28, 30, 32].map((offset) => file.readUInt16LE(at + offset));
    const name = file.toString('utf8', at + 46, at + 46 + nameLength!);
    const [isPacked, length] = [file.readUInt16LE(at + 10) !== 0, file.readUInt32LE(at + 20)];
    const local = file.readUInt32LE(at + 42);
    const bytes = (): Buffer => {
      const start = local + 30 + file.readUInt16LE(local + 26) + file.readUInt16LE(local + 28);
      const packed = file.subarray(start, start + length);
      return isPacked ? inflateRawSync(packed) : packed;
    };
    yield { name, bytes };
    at += 46 + nameLength! + extra! + comment!;
  }
}

/** `(300, 30)` in a header; undefined if it has none. */
const shapeOf = (header: string): number[] | undefined =>
  /'shape': \(([^)]*)\)/
    .exec(header)?.[1]
    ?.split(',')
    .filter((part) => part.trim() !== '')
    .map(Number);

const labelOf = (header: string): string => /'descr': ([^,]*)/.exec(header)?.[1] ?? header.trim();

const CHARACTER_BYTES = { U: 4, S: 1 };

/** Texts of fixed width, padded with zeros. */
function texts(data: Buffer, count: number, kind: 'U' | 'S', width: number): string[] {
  const bytes = width * CHARACTER_BYTES[kind];
  return Array.from({ length: count }, (_, i) => {
    const part = data.subarray(i * bytes, (i + 1) * bytes);
    const text = kind === 'S' ? part.toString('latin1') : utf32(part);
    return text.replace(/\0+$/, '');
  });
}

const utf32 = (bytes: Buffer): string =>
  Array.from({ length: bytes.length / 4 }, (_, i) => String.fromCodePoint(bytes.readUInt32LE(i * 4))).join(
    '',
  );

const readers: Readonly<Record<string, Read>> = {
  b1: [1, (data, at) => data.readUInt8(at)],
  i1: [1, (data, at) => data.readInt8(at)],
  u1: [1, (data, at) => data.readUInt8(at)],
  i2: [2, (data, at) => data.readInt16LE(at)],
  u2: [2, (data, at) => data.readUInt16LE(at)],
  i4: [4, (data, at) => data.readInt32LE(at)],
  u4: [4, (data, at) => data.readUInt32LE(at)],
  i8: [8, (data, at) => Number(data.readBigInt64LE(at))],
  u8: [8, (data, at) => Number(data.readBigUInt64LE(at))],
  f4: [4, (data, at) => data.readFloatLE(at)],
  f8: [8, (data, at) => data.readDoubleLE(at)],
};
