import { inflateSync } from 'node:zlib';
import { errorText } from '../../base/error-text.js';
import { Allowance, AllowanceExceeded, isOverlong } from './allowance.js';
import { sizeOf, type Table } from './arrays.js';
import { tableOf } from './mat-arrays.js';
import type { MatValue } from './mat-value.js';
import { viewOf } from '../../base/view-of.js';

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
const MX = { cell: 1, struct: 2, char: 4, leastNumeric: 6, mostNumeric: 15, opaque: 17 };
/** Classes that are not read; those from 16 on differ in their parts. */
const OTHERS = new Map([
  [3, 'an object'],
  [5, 'a sparse array'],
  [16, 'a function handle'],
  [MX.opaque, 'an object of a class (a table or a string array, for example)'],
]);

/** All arrays of a MATLAB file of level 5 (`-v6`, `-v7`): see {@link tableOf}. */
export function readMat5(file: Uint8Array, allowance = new Allowance()): Table {
  const { variables, damaged } = readMat(file, allowance);
  return { ...tableOf(variables, allowance), damaged };
}

/** The variables of a file by name, and those that are damaged, in words: `byte 136: ...`. */
interface MatFile {
  readonly variables: ReadonlyMap<string, MatValue>;
  readonly damaged: readonly string[];
}

/**
 * Reads MATLAB level 5 MAT-files (MathWorks, "MAT-File Format", R2023b): numeric, complex, struct, cell and
 * char arrays, compressed or not, little-endian. Returns variables by name, with numbers in MATLAB's order:
 * first index fastest. A damaged variable is left out, with the byte at which it begins.
 * @throws Error if none can be read
 */
export function readMat(file: Uint8Array, allowance = new Allowance()): MatFile {
  const variables = new Map<string, MatValue>();
  const damaged: string[] = [];
  if (file[126] === 0x4d) throw new Error('it was written by a big-endian machine, which is not supported');
  let at = HEADER_BYTES;
  try {
    for (const element of elements(file.subarray(HEADER_BYTES))) {
      const fault = addVariable(element, variables, allowance);
      if (fault !== null) damaged.push(`byte ${at}: ${fault}`);
      at = HEADER_BYTES + element.end;
      if (damaged.length === MAX_DAMAGED && at < file.length) {
        damaged.push(`byte ${at}: the rest, behind ${MAX_DAMAGED} damaged variables`);
        break;
      }
    }
  } catch (error) {
    if (error instanceof AllowanceExceeded) throw error;
    // Its length is damaged, or the file ends within it: nothing can be found behind it.
    damaged.push(`byte ${at}: ${errorText(error)}`);
  }
  if (variables.size === 0 && damaged.length > 0) throw new Error(damaged[0]);
  return { variables, damaged };
}

const HEADER_BYTES = 128;
/** Damaged variables after which a file is not read on: where its lengths are wrong, any bytes are one. */
const MAX_DAMAGED = 16;

/** Returns why it is damaged; null if it is not. @throws AllowanceExceeded */
function addVariable(element: Element, into: Map<string, MatValue>, allowance: Allowance): string | null {
  try {
    const { name, value } = variableOf(element, allowance);
    // MATLAB adds the contents of its objects as a variable without a name.
    if (name !== '') into.set(name, value);
    return null;
  } catch (error) {
    if (error instanceof AllowanceExceeded) throw error;
    return errorText(error);
  }
}

function variableOf(element: Element, allowance: Allowance): Matrix {
  const body = element.type === MI.compressed ? inflated(element.data, allowance) : null;
  const matrix = body ? elements(body).next().value : element;
  if (matrix?.type !== MI.matrix) throw new Error(`expected a matrix, found type ${matrix?.type ?? 'none'}`);
  return readMatrix(matrix.data, allowance);
}

function inflated(data: Uint8Array, allowance: Allowance): Buffer {
  try {
    return inflateSync(data, allowance.zlibOptions);
  } catch (error) {
    throw isOverlong(error) ? allowance.exceeded() : error;
  }
}

interface Element {
  readonly type: number;
  readonly data: Uint8Array;
  /** Where the next one begins. */
  readonly end: number;
}

function* elements(bytes: Uint8Array): Generator<Element, undefined> {
  const view = viewOf(bytes);
  for (let at = 0; at + 8 <= bytes.length;) {
    const small = view.getUint16(at + 2, true);
    if (small > 0) {
      yield { type: view.getUint16(at, true), data: bytes.subarray(at + 4, at + 4 + small), end: at + 8 };
      at += 8;
    } else {
      const type = view.getUint32(at, true);
      const length = view.getUint32(at + 4, true);
      if (at + 8 + length > bytes.length)
        throw new Error(`it is truncated: ${bytes.length - at - 8} bytes of an element of ${length}`);
      const end = at + 8 + (type === MI.compressed ? length : Math.ceil(length / 8) * 8);
      yield { type, data: bytes.subarray(at + 8, at + 8 + length), end };
      at = end;
    }
  }
  return undefined;
}

/** Cells and structures nest. */
const MAX_LEVELS = 16;

/** Memory that a matrix takes up besides its numbers; files of cells have many. */
const MATRIX_BYTES = 400;

interface Matrix {
  readonly name: string;
  readonly value: MatValue;
}

function readMatrix(bytes: Uint8Array, allowance: Allowance, level = 0): Matrix {
  allowance.take(MATRIX_BYTES);
  if (level > MAX_LEVELS) throw new Error(`cells and structures are nested more than ${MAX_LEVELS} deep`);
  const parts = [...elements(bytes)];
  // Empty, as cells may be.
  if (parts.length === 0)
    return { name: '', value: { kind: 'numeric', size: [0, 0], re: new Float64Array(0), im: null } };
  const flags = numbers(parts[0]!, allowance)[0] ?? 0;
  const type = flags & 0xff;
  const what = OTHERS.get(type);
  // The parts of an object of a class begin with its name.
  if (what !== undefined)
    return { name: nameOf(parts[type === MX.opaque ? 1 : 2]), value: { kind: 'other', what } };
  // An empty cell array ends with its name; everything else has contents.
  if (parts.length < (type === MX.cell ? 3 : 4))
    throw new Error(`a variable of ${parts.length} parts is truncated`);
  const size = [...numbers(parts[1]!, allowance)];
  const contents = parts.slice(3);
  const read = type === MX.cell ? cells : type === MX.struct ? structs : values;
  return { name: nameOf(parts[2]), value: read({ flags, size, contents, allowance, level }) };
}

const nameOf = (part: Element | undefined): string => Buffer.from(part?.data ?? []).toString('latin1');

/** A variable behind its name. */
interface Contents {
  readonly flags: number;
  readonly size: readonly number[];
  readonly contents: readonly Element[];
  readonly allowance: Allowance;
  readonly level: number;
}

const inner = (parts: readonly Element[], { allowance, level }: Contents): MatValue[] =>
  parts.map((part) => readMatrix(part.data, allowance, level + 1).value);

function cells(variable: Contents): MatValue {
  const { size, contents } = variable;
  checkCount(size, contents.length, 'cells');
  return { kind: 'cell', size, cells: inner(contents, variable) };
}

function structs(variable: Contents): MatValue {
  const { size, contents, allowance } = variable;
  const [length, names, ...parts] = contents;
  const width = numbers(length!, allowance)[0] ?? 0;
  const text = nameOf(names);
  if (!(width >= 1)) throw new Error('the names of the fields of a structure are missing');
  const fields = Array.from({ length: Math.floor(text.length / width) }, (_, i) =>
    text.slice(i * width, (i + 1) * width).replace(/\0.*$/s, ''),
  );
  checkCount([...size, fields.length], parts.length, 'fields');
  const found = inner(parts, variable);
  const count = fields.length === 0 ? 0 : found.length / fields.length;
  return {
    kind: 'struct',
    size,
    elements: Array.from({ length: count }, (_, i) =>
      Object.fromEntries(fields.map((field, j) => [field, found[i * fields.length + j]!])),
    ),
  };
}

function values({ flags, size, contents, allowance }: Contents): MatValue {
  const type = flags & 0xff;
  if (type !== MX.char && (type < MX.leastNumeric || type > MX.mostNumeric))
    throw new Error(`array class ${type} is unknown`);
  if (type === MX.char) return { kind: 'char', text: textOf(contents[0]!, allowance) };
  const re = numbers(contents[0]!, allowance);
  checkCount(size, re.length, 'numbers');
  if ((flags & COMPLEX) === 0) return { kind: 'numeric', size, re, im: null };
  const im = contents[1] ? numbers(contents[1], allowance) : new Float64Array(0);
  checkCount(size, im.length, 'imaginary parts');
  return { kind: 'numeric', size, re, im };
}

const COMPLEX = 0x800;

function checkCount(size: readonly number[], found: number, what: string): void {
  if (sizeOf(size) !== found)
    throw new Error(`it is damaged: an array of ${size.join(' x ')} has ${found} ${what}`);
}

function textOf(element: Element, allowance: Allowance): string {
  if (element.type === MI.utf8) return Buffer.from(element.data).toString('utf8');
  return Buffer.from(Uint16Array.from(numbers(element, allowance)).buffer).toString('utf16le');
}

function numbers({ type, data }: Element, allowance: Allowance): Float64Array {
  const view = viewOf(data);
  const read = readers.get(type);
  if (!read) throw new Error(`MAT data type ${type} is not a number`);
  const length = Math.floor(data.length / read.bytes);
  allowance.takeNumbers(length);
  return Float64Array.from({ length }, (_, i) => read.get(view, i * read.bytes));
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
