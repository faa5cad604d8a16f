import type { TableFrames } from './table-frames.js';

/**
 * An array of a file: numbers of any width as 64-bit floats, or texts. Elements may be in any order: see
 * `strides`.
 */
export interface TableArray {
  readonly name: string;
  readonly shape: readonly number[];
  /** Distance between the neighbours of each axis in the columns below. */
  readonly strides: readonly number[];
  /** Empty for an array of texts. */
  readonly re: Float64Array;
  /** Imaginary parts of complex numbers. */
  readonly im: Float64Array | null;
  readonly texts: readonly string[] | null;
  /** Set if the file ends within the array: the axis that is shorter for it, and what is missing, in words. */
  readonly cut?: { readonly axis: number; readonly text: string };
}

/** Fields of a structure that contain numbers, by name. */
export type Structure = ReadonlyMap<string, TableArray>;

/** Arrays of one file. */
export interface Table {
  /**
   * Set if its columns are those of csiflow, which need no mapping.
   * @throws Error if they are inconsistent
   */
  readonly frames?: () => TableFrames;
  /** Lists of structures by name, with their fields as a program wrote them. */
  readonly structures?: ReadonlyMap<string, readonly Structure[]>;
  /** Each array is a column of one table; all have the same length. */
  readonly isColumns?: boolean;
  /** If rows of the file are left out, because they are damaged: the number of each other row in the file. */
  readonly rows?: ArrayLike<number>;
  readonly arrays: readonly TableArray[];
  /** Skipped arrays, in words: `labels: objects of Python`. */
  readonly unread: readonly string[];
  /** Parts of the file that are damaged, with their location, in words: `byte 136: it is truncated`. */
  readonly damaged?: readonly string[];
}

export const arraysByName = ({ arrays }: Table): ReadonlyMap<string, TableArray> =>
  new Map(arrays.map((array) => [array.name, array]));

/** Neighbours along the last axis are adjacent: C, NumPy's default, HDF5. */
export function rowMajor(shape: readonly number[]): number[] {
  const strides = new Array<number>(shape.length).fill(1);
  for (let axis = shape.length - 2; axis >= 0; axis--) strides[axis] = strides[axis + 1]! * shape[axis + 1]!;
  return strides;
}

/** Neighbours along the first axis are adjacent: Fortran, MATLAB. */
export const columnMajor = (shape: readonly number[]): number[] => rowMajor([...shape].reverse()).reverse();

export const sizeOf = (shape: readonly number[]): number =>
  shape.reduce((product, each) => product * each, 1);

/** Numbers in the order of `strides`. */
export const numberArray = (
  name: string,
  shape: readonly number[],
  re: Float64Array,
  im: Float64Array | null = null,
  strides: readonly number[] = rowMajor(shape),
): TableArray => ({ name, shape, strides, re, im, texts: null });

export const textArray = (name: string, shape: readonly number[], texts: readonly string[]): TableArray => ({
  name,
  shape,
  strides: rowMajor(shape),
  re: new Float64Array(0),
  im: null,
  texts,
});

/** `csi (300 x 3 x 30, complex)` */
export const describeArray = ({ name, shape, im, texts }: TableArray): string =>
  `${name} (${shape.length === 0 ? 'one value' : shape.join(' x ')}, ${texts ? 'text' : im ? 'complex' : 'real'})`;
