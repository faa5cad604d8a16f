import { inflateSync } from 'node:zlib';
import { columnMajor, numberArray, textArray, type Table, type TableArray } from './arrays.js';

/** Content of a variable. */
export type MatValue =
  | {
      readonly kind: 'numeric';
      readonly size: readonly number[];
      readonly re: Float64Array;
      readonly im: Float64Array | null;
    }
  | { readonly kind: 'char'; readonly text: string }
  | { readonly kind: 'cell'; readonly size: readonly number[]; readonly cells: readonly MatValue[] }
  | {
      readonly kind: 'struct';
      readonly size: readonly number[];
      readonly elements: readonly Readonly<Record<string, MatValue>>[];
    };

const MI = {
  int8: 1,
  uint8: 2,
  int16: 3,
  uint16: 4,
  int32: 5,
  uint32: 6,
  single: 7,
  double: 9,
  int64: 12,
  uint64: 13,
  matrix: 14,
  compressed: 15,
  utf8: 16,
  utf16: 17,
};
const MX = { cell: 1, struct: 2, char: 4 };

/** All arrays of a MATLAB file of level 5 (`-v6`, `-v7`); those in structures are named `structure.field`. */
export function readMat5(file: Uint8Array): Table {
  const arrays: TableArray[] = [];
  const unread: string[] = [];
  for (const [name, value] of readMat(file)) flatten(name, value, arrays, unread);
  return { arrays, unread };
}

function flatten(name: string, value: MatValue, arrays: TableArray[], unread: string[]): void {
  if (value.kind === 'numeric')
    arrays.push(numberArray(name, value.size, value.re, value.im, columnMajor(value.size)));
  else if (value.kind === 'char') arrays.push(textArray(name, [1], [value.text]));
  else if (value.kind === 'struct' && value.elements.length === 1)
    for (const [field, inner] of Object.entries(value.elements[0]!))
      flatten(`${name}.${field}`, inner, arrays, unread);
  else unread.push(`${name}: ${value.kind === 'cell' ? 'a cell array' : 'an array of structures'}`);
}

/**
 * Reads MATLAB level 5 MAT-files (MathWorks, "MAT-File Format", R2023b): numeric, complex, struct, cell and
 * char arrays, compressed or not, little-endian. Returns variables by name, with numbers in MATLAB's order:
 * first index fastest.
 * @throws Error if the file is damaged
 */
export function readMat(file: Uint8Array): Map<string, MatValue> {
  const variables = new Map<string, MatValue>();
  if (file[126] === 0x4d) throw new Error('it was written by a big-endian machine, which is not supported');
  for (const element of elements(file.subarray(128))) {
    const body = element.type === MI.compressed ? inflateSync(element.data) : null;
    const matrix = body ? elements(body).next().value : element;
    if (matrix?.type !== MI.matrix)
      throw new Error(`expected a matrix, found type ${matrix?.type ?? 'none'}`);
    const { name, value } = readMatrix(matrix.data);
    variables.set(name, value);
  }
  return variables;
}

interface Element {
  readonly type: number;
  readonly data: Uint8Array;
}

function* elements(bytes: Uint8Array): Generator<Element, undefined> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + 8 <= bytes.length;) {
    const small = view.getUint16(at + 2, true);
    if (small > 0) {
      yield { type: view.getUint16(at, true), data: bytes.subarray(at + 4, at + 4 + small) };
      at += 8;
    } else {
      const type = view.getUint32(at, true);
      const length = view.getUint32(at + 4, true);
      if (at + 8 + length > bytes.length)
        throw new Error(`it is truncated: ${bytes.length - at - 8} bytes of an element of ${length}`);
      yield { type, data: bytes.subarray(at + 8, at + 8 + length) };
      at += 8 + (type === MI.compressed ? length : Math.ceil(length / 8) * 8);
    }
  }
  return undefined;
}

function readMatrix(bytes: Uint8Array): { name: string; value: MatValue } {
  const parts = [...elements(bytes)];
  // Empty, as cells may be.
  if (parts.length === 0)
    return { name: '', value: { kind: 'numeric', size: [0, 0], re: new Float64Array(0), im: null } };
  if (parts.length < 4) throw new Error(`a variable of ${parts.length} parts is truncated`);
  const flags = numbers(parts[0]!)[0]!;
  const size = [...numbers(parts[1]!)];
  const name = Buffer.from(parts[2]!.data).toString('latin1');
  const count = size.reduce((a, b) => a * b, 1);
  const kind = flags & 0xff;
  if (kind === MX.cell) {
    return {
      name,
      value: { kind: 'cell', size, cells: parts.slice(3).map((part) => readMatrix(part.data).value) },
    };
  }
  if (kind === MX.struct) {
    const width = numbers(parts[3]!)[0]!;
    const names = Buffer.from(parts[4]!.data).toString('latin1');
    const fields = Array.from({ length: names.length / width }, (_, i) =>
      names.slice(i * width, (i + 1) * width).replace(/\0.*$/s, ''),
    );
    const values = parts.slice(5).map((part) => readMatrix(part.data).value);
    const structs = Array.from({ length: count }, (_, i) =>
      Object.fromEntries(fields.map((field, j) => [field, values[i * fields.length + j]!])),
    );
    return { name, value: { kind: 'struct', size, elements: structs } };
  }
  const re = numbers(parts[3]!);
  if (kind === MX.char) return { name, value: { kind: 'char', text: String.fromCharCode(...re) } };
  const complex = (flags & 0x800) !== 0;
  return { name, value: { kind: 'numeric', size, re, im: complex ? numbers(parts[4]!) : null } };
}

function numbers({ type, data }: Element): Float64Array {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const read = readers.get(type);
  if (!read) throw new Error(`MAT data type ${type} is not a number`);
  return Float64Array.from({ length: data.length / read.bytes }, (_, i) => read.get(view, i * read.bytes));
}

const readers = new Map<number, { bytes: number; get: (view: DataView, at: number) => number }>([
  [MI.int8, { bytes: 1, get: (v, at) => v.getInt8(at) }],
  [MI.uint8, { bytes: 1, get: (v, at) => v.getUint8(at) }],
  [MI.utf8, { bytes: 1, get: (v, at) => v.getUint8(at) }],
  [MI.int16, { bytes: 2, get: (v, at) => v.getInt16(at, true) }],
  [MI.uint16, { bytes: 2, get: (v, at) => v.getUint16(at, true) }],
  [MI.utf16, { bytes: 2, get: (v, at) => v.getUint16(at, true) }],
  [MI.int32, { bytes: 4, get: (v, at) => v.getInt32(at, true) }],
  [MI.uint32, { bytes: 4, get: (v, at) => v.getUint32(at, true) }],
  [MI.single, { bytes: 4, get: (v, at) => v.getFloat32(at, true) }],
  [MI.double, { bytes: 8, get: (v, at) => v.getFloat64(at, true) }],
  [MI.int64, { bytes: 8, get: (v, at) => Number(v.getBigInt64(at, true)) }],
  [MI.uint64, { bytes: 8, get: (v, at) => Number(v.getBigUint64(at, true)) }],
]);
