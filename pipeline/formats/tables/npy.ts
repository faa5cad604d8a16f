import { Allowance } from './allowance.js';
import { columnMajor, numberArray, rowMajor, sizeOf, textArray, type TableArray } from './arrays.js';

/** Number of bytes, and the function that reads a number. */
type Read = readonly [bytes: number, get: (data: Buffer, at: number) => number];

/**
 * Reads a `.npy` file (NumPy's NEP 1: magic, version, header as a Python literal, then the data). If the file ends
 * within the data of numbers, the array has less along its outermost axis, see `cut`.
 * @throws Error that names the part that cannot be read
 */
export function readNpy(file: Buffer, name = '', allowance = new Allowance()): TableArray {
  if (file.toString('latin1', 1, 6) !== 'NUMPY') throw new Error('not a .npy file: the magic is missing');
  if (file.length < 12) throw new Error(`byte ${file.length}: it is truncated in its header`);
  const isLong = file[6]! > 1;
  const start = isLong ? 12 : 10;
  const end = start + (isLong ? file.readUInt32LE(8) : file.readUInt16LE(8));
  if (end > file.length)
    throw new Error(`byte ${file.length}: it is truncated: its header ends at byte ${end}`);
  const header = file.toString('latin1', start, end);
  const stated = shapeOf(header);
  const type = /'descr': '([<>|=]?)(\w)(\d+)'/.exec(header);
  if (!stated || !type) throw new Error(`${labelOf(header)} are neither numbers nor texts`);
  const [, order, kind, digits] = type as unknown as readonly [string, string, string, string];
  const width = Number(digits);
  const data = file.subarray(end);
  if (kind === 'U' || kind === 'S') {
    const count = sizeOf(stated);
    const bytes = count * width * CHARACTER_BYTES[kind];
    if (!(count >= 0 && bytes <= data.length)) throw new Error(truncated(file, data, bytes));
    allowance.take(count * TEXT_BYTES + bytes);
    return textArray(name, stated, texts(data.subarray(0, bytes), count, kind, order));
  }
  const parts = kind === 'c' ? 2 : 1;
  const read = readers[parts === 2 ? `f${width / 2}` : `${kind}${width}`];
  if (!read) throw new Error(`numbers of type ${order}${kind}${width} are not supported`);
  const [bytes, get] = read;
  const isFortran = header.includes("'fortran_order': True");
  const axis = isFortran ? stated.length - 1 : 0;
  const { shape, isCut } = wholeRows(stated, axis, data.length / (bytes * parts));
  const text = truncated(file, data, sizeOf(stated) * bytes * parts);
  const count = sizeOf(shape);
  if (isCut && !(count > 0)) throw new Error(text);
  const numbers = littleEndian(data.subarray(0, count * bytes * parts), bytes, order);
  allowance.takeNumbers(count * parts);
  const column = (part: number) =>
    Float64Array.from({ length: count }, (_, i) => get(numbers, (i * parts + part) * bytes));
  const strides = isFortran ? columnMajor(shape) : rowMajor(shape);
  const array = numberArray(name, shape, column(0), parts === 2 ? column(1) : null, strides);
  if (!isCut) return array;
  return {
    ...array,
    cut: { axis, text: `${text}: of ${stated[axis]} along its outermost axis, ${shape[axis]} are whole` },
  };
}

const truncated = (file: Buffer, data: Buffer, bytes: number): string =>
  `byte ${file.length}: it is truncated: ${data.length} bytes of ${bytes}`;

/** The shape of what is complete of an array of which only the first `elements` are there. */
function wholeRows(
  shape: readonly number[],
  axis: number,
  elements: number,
): { readonly shape: readonly number[]; readonly isCut: boolean } {
  const count = sizeOf(shape);
  if (count >= 0 && count <= elements) return { shape, isCut: false };
  // An array without axes is one value.
  const rows = Math.floor(elements / (count / (shape[axis] ?? 1)));
  return { shape: shape.length === 0 ? [0] : shape.with(axis, rows), isCut: true };
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
/** About what a text takes up besides its characters. */
const TEXT_BYTES = 32;

/** Texts of fixed width, padded with zeros. @param data of all of them */
function texts(data: Buffer, count: number, kind: 'U' | 'S', order: string): string[] {
  const characters = kind === 'U' ? littleEndian(data, CHARACTER_BYTES.U, order) : data;
  const bytes = data.length / Math.max(1, count);
  return Array.from({ length: count }, (_, i) => {
    const part = characters.subarray(i * bytes, (i + 1) * bytes);
    const text = kind === 'S' ? part.toString('latin1') : utf32(part);
    return text.replace(/\0+$/, '');
  });
}

const utf32 = (bytes: Buffer): string =>
  Array.from({ length: bytes.length / 4 }, (_, i) => String.fromCodePoint(bytes.readUInt32LE(i * 4))).join(
    '',
  );

/** @param bytes of each number @param order `>` for data that begin with the highest byte */
function littleEndian(data: Buffer, bytes: number, order: string): Buffer {
  if (order !== '>' || bytes === 1) return data;
  const copy = Buffer.from(data);
  if (bytes === 2) return copy.swap16();
  return bytes === 4 ? copy.swap32() : copy.swap64();
}

/** IEEE 754, 16 bits: sign, 5 bits of exponent, 10 bits of fraction. */
function half(data: Buffer, at: number): number {
  const bits = data.readUInt16LE(at);
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

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
  f2: [2, half],
  f4: [4, (data, at) => data.readFloatLE(at)],
  f8: [8, (data, at) => data.readDoubleLE(at)],
};
