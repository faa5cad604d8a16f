import { replaceFile } from '../../pipeline/base/files.js';

/** Arrays in one file: the length of a head (32 bits), the head (JSON), and the arrays, each at a multiple of eight bytes. */

/** Numbers, and how many along each axis. */
export interface ShapedArray {
  readonly values: Float32Array | Int32Array | HalfArray;
  readonly shape: readonly number[];
}

/** 16-bit floats. */
export interface HalfArray {
  readonly halves: Uint16Array;
}

const ALIGNED = 8;
const aligned = (bytes: number): number => Math.ceil(bytes / ALIGNED) * ALIGNED;

/** A reader finds the whole file or none. @param about further fields of the head */
export function writeArrays(
  path: string,
  about: object,
  arrays: Readonly<Record<string, ShapedArray>>,
): void {
  let bytes = 0;
  const placed = Object.entries(arrays).map(([name, { values, shape }]) => {
    const [type, data] = numbersOf(values);
    const at = bytes;
    bytes += aligned(data.byteLength);
    return { name, type, shape, at, data };
  });
  const described = placed.map(({ name, type, shape, at }) => ({ name, type, shape, at }));
  const json = JSON.stringify({ ...about, arrays: described });
  const head = aligned(4 + json.length) - 4;
  const file = Buffer.alloc(4 + head + bytes);
  file.writeUInt32LE(head, 0);
  file.write(json.padEnd(head), 4);
  for (const { at, data } of placed)
    file.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), 4 + head + at);
  replaceFile(path, file);
}

/** As numpy names the type. */
function numbersOf(values: ShapedArray['values']): readonly [type: string, data: ArrayBufferView] {
  if ('halves' in values) return ['<f2', values.halves];
  return [values instanceof Int32Array ? '<i4' : '<f4', values];
}

const ONE = new Float32Array(1);
const BITS = new Uint32Array(ONE.buffer);
/** Bits of the smallest 32-bit float that is a normal 16-bit float, and of the first that is too large for one. */
const NORMAL = 0x38800000;
const TOO_LARGE = 0x477ff000;

/** The nearest 16-bit float's bits. @throws RangeError if there is none */
export function halfOf(value: number): number {
  ONE[0] = value;
  const sign = (BITS[0]! >>> 16) & 0x8000;
  const size = BITS[0]! & 0x7fffffff;
  if (size >= TOO_LARGE) throw new RangeError(`${value} is no 16-bit float`);
  if (size >= NORMAL) return sign | ((size - 0x38000000 + 0xfff + ((size >>> 13) & 1)) >>> 13);
  // The last bit of 0.5 is the smallest 16-bit float.
  ONE[0] = Math.abs(value) + 0.5;
  return sign | (BITS[0]! - 0x3f000000);
}

export function halvesOf(values: Float32Array): HalfArray {
  // Uint16Array.from takes ten times as long.
  const halves = new Uint16Array(values.length);
  for (let i = 0; i < values.length; i++) halves[i] = halfOf(values[i]!);
  return { halves };
}
