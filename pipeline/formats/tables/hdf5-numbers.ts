import type { Dataset } from 'h5wasm/node';
import { sizeOf } from './arrays.js';

/** What csiflow uses of the library, which is loaded with the first file. */
export type Library = Pick<typeof import('h5wasm/node').default, 'File' | 'Dataset' | 'Group'>;

export interface Numbers {
  readonly re: Float64Array;
  readonly im: Float64Array | null;
}

/** The numbers of an array, in the order of the file; or the reason why they are skipped. */
export function numbersOf(dataset: Dataset): Numbers | string {
  const shape = dataset.shape ?? [];
  if (isComplex(dataset)) return complexParts(dataset, shape);
  const { value } = dataset;
  if (typeof value === 'number') return { re: Float64Array.of(value), im: null };
  if (!ArrayBuffer.isView(value)) return 'neither numbers nor texts';
  const re = Float64Array.from(value as unknown as ArrayLike<number>, Number);
  return re.length === sizeOf(shape) ? { re, im: null } : 'an array within each element';
}

/** Pairs that are read at once: the library makes an array of each. */
const PAIRS_AT_ONCE = 65_536;

/** Real and imaginary parts. */
function complexParts(dataset: Dataset, shape: readonly number[]): Numbers {
  const count = sizeOf(shape);
  const [re, im] = [new Float64Array(count), new Float64Array(count)];
  const [rows = 1, ...rest] = shape;
  const rowsAtOnce = Math.max(1, Math.floor(PAIRS_AT_ONCE / Math.max(1, sizeOf(rest))));
  for (let row = 0, at = 0; row < rows && count > 0; row += rowsAtOnce) {
    const range: [number, number] = [row, Math.min(rows, row + rowsAtOnce)];
    const value = shape.length === 0 ? [dataset.value] : dataset.slice([range, ...rest.map((): [] => [])]);
    for (const [real, imaginary] of value as unknown as readonly (readonly [number, number])[]) {
      re[at] = real;
      im[at++] = imaginary;
    }
  }
  return { re, im };
}

/** Two numbers per element: h5py calls them r and i, MATLAB real and imag. */
export function isComplex({ dtype }: Dataset): boolean {
  if (!Array.isArray(dtype) || dtype.length !== 2) return false;
  const names = (dtype as readonly (readonly [string, unknown])[]).map(([field]) => field).join();
  return names === 'r,i' || names === 'real,imag';
}
