import { inflateRawSync } from 'node:zlib';

/** An array of numpy's format: numbers of any width as Float64, text as one string each. */
export interface NumpyArray {
  readonly shape: readonly number[];
  readonly values: Float64Array | readonly string[];
}

/** Reads a `.npy` file (NEP 1: magic, version, header as a Python literal, then the data in little-endian). */
export function readNpy(file: Buffer): NumpyArray {
  if (file.toString('latin1', 1, 6) !== 'NUMPY') throw new Error('not a .npy file: the magic is missing');
  const version = file[6]!;
  const headerStart = version === 1 ? 10 : 12;
  const length = version === 1 ? file.readUInt16LE(8) : file.readUInt32LE(8);
  const header = file.toString('latin1', headerStart, headerStart + length);
  const type = /'descr': '([<>|=]?)(\w)(\d+)'/.exec(header);
  const shape = /'shape': \(([^)]*)\)/
    .exec(header)?.[1]
    ?.split(',')
    .filter((part) => part.trim() !== '')
    .map(Number);
  if (!type || !shape || header.includes("'fortran_order': True"))
    throw new Error(`not supported: ${header}`);
  const [, , kind, width] = type;
  const size = Number(width);
  const data = file.subarray(headerStart + length);
  const count = shape.reduce((product, n) => product * n, 1);
  if (kind === 'U')
    return {
      shape,
      values: Array.from({ length: count }, (_, i) => text(data.subarray(i * size * 4, (i + 1) * size * 4))),
    };
  const read = readers[`${kind!}${size}`];
  if (!read) throw new Error(`not supported: type ${kind!}${size}`);
  return { shape, values: Float64Array.from({ length: count }, (_, i) => read(data, i * size)) };
}

/** Reads all arrays of a `.npz` file (a zip of `.npy` files), by name. */
export function readNpz(file: Buffer): ReadonlyMap<string, NumpyArray> {
  const end = file.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  if (end < 0) throw new Error('not a zip file: the end of the directory is missing');
  const arrays = new Map<string, NumpyArray>();
  for (let i = 0, at = file.readUInt32LE(end + 16); i < file.readUInt16LE(end + 10); i++) {
    const [nameLength, extra, comment] = [28, 30, 32].map((offset) => file.readUInt16LE(at + offset));
    const name = file.toString('utf8', at + 46, at + 46 + nameLength!);
    const local = file.readUInt32LE(at + 42);
    const start = local + 30 + file.readUInt16LE(local + 26) + file.readUInt16LE(local + 28);
    const packed = file.subarray(start, start + file.readUInt32LE(at + 20));
    arrays.set(
      name.replace(/\.npy$/, ''),
      readNpy(file.readUInt16LE(at + 10) === 0 ? packed : inflateRawSync(packed)),
    );
    at += 46 + nameLength! + extra! + comment!;
  }
  return arrays;
}

/** UTF-32 without the zeros at its end. */
const text = (bytes: Buffer): string =>
  Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readUInt32LE(i * 4))
    .filter((code) => code > 0)
    .map((code) => String.fromCodePoint(code))
    .join('');

const readers: Readonly<Record<string, (data: Buffer, at: number) => number>> = {
  b1: (data, at) => data.readUInt8(at),
  i1: (data, at) => data.readInt8(at),
  u1: (data, at) => data.readUInt8(at),
  i2: (data, at) => data.readInt16LE(at),
  u2: (data, at) => data.readUInt16LE(at),
  i4: (data, at) => data.readInt32LE(at),
  u4: (data, at) => data.readUInt32LE(at),
  i8: (data, at) => Number(data.readBigInt64LE(at)),
  u8: (data, at) => Number(data.readBigUInt64LE(at)),
  f4: (data, at) => data.readFloatLE(at),
  f8: (data, at) => data.readDoubleLE(at),
};
