import type { Dataset, File, Group } from 'h5wasm/node';
import type { Allowance } from './allowance.js';
import { columnMajor, numberArray, sizeOf, textArray, type Table, type TableArray } from './arrays.js';

/** What `readHdf5` returns, read in this thread. @throws Error if the file cannot be read */
export async function readArraysOfHdf5(path: string, allowance: Allowance): Promise<Table> {
  const { default: library } = await import('h5wasm/node');
  // Otherwise the library prints the error and continues.
  (await library.ready).activate_throwing_error_handler();
  try {
    return readArrays(library, path, allowance);
  } catch (error) {
    throw new Error(reasonOf(error as Error), { cause: error });
  }
}

function readArrays(library: Library, path: string, allowance: Allowance): Table {
  const file: File = new library.File(path, 'r');
  try {
    const arrays: TableArray[] = [];
    const unread: string[] = [];
    for (const { name, dataset } of datasets(file, '', library)) {
      const array = arrayOf(name, dataset, allowance);
      if (typeof array === 'string') unread.push(`${name}: ${array}`);
      else arrays.push(array);
    }
    return { arrays, unread };
  } finally {
    file.close();
  }
}

type Library = Pick<typeof import('h5wasm/node').default, 'File' | 'Dataset' | 'Group'>;

/** The innermost line of the library's error: `truncated file: eof = 100, ...` */
function reasonOf({ message }: Error): string {
  const reasons = [...message.matchAll(/#\d+: .* in \w+\(\): (.*)/g)];
  if (message.startsWith('Aborted')) return `it is damaged: the HDF5 library gave up (${message})`;
  return reasons.at(-1)?.[1] ?? message;
}

/** Groups nest; a file that links a group into itself would cause an endless loop. */
const MAX_LEVELS = 16;

function* datasets(
  group: Group,
  prefix: string,
  library: Library,
  level = 0,
): Generator<{ readonly name: string; readonly dataset: Dataset }> {
  for (const key of group.keys()) {
    // MATLAB's internal group: contents of cells.
    if (key === '#refs#' || key === '#subsystem#') continue;
    const found = group.get(key);
    const name = `${prefix}${key}`;
    if (found instanceof library.Dataset) yield { name, dataset: found };
    else if (found instanceof library.Group && level < MAX_LEVELS)
      yield* datasets(found, `${name}/`, library, level + 1);
  }
}

/** Or the reason why it is skipped. */
function arrayOf(name: string, dataset: Dataset, allowance: Allowance): TableArray | string {
  const shape = dataset.shape ?? [];
  allowance.takeNumbers(sizeOf(shape) * (isComplex(dataset) ? 2 : 1));
  const isMatlab = 'MATLAB_class' in dataset.attrs;
  if (isMatlab && dataset.attrs['MATLAB_class']?.value === 'cell') return CELLS;
  // MATLAB writes its columns as HDF5's rows: the same numbers with reversed axes.
  const [axes, strides] = isMatlab
    ? [[...shape].reverse(), columnMajor([...shape].reverse())]
    : [shape, undefined];
  if (isComplex(dataset)) return numberArray(name, axes, ...complexParts(dataset, shape), strides);
  const { value } = dataset;
  if (Array.isArray(value) && value.every((each) => typeof each === 'string'))
    return textArray(name, shape, value);
  if (typeof value === 'number') return numberArray(name, axes, Float64Array.of(value));
  if (!ArrayBuffer.isView(value)) return 'neither numbers nor texts';
  const re = Float64Array.from(value as unknown as ArrayLike<number>, Number);
  return re.length === sizeOf(axes)
    ? numberArray(name, axes, re, null, strides)
    : 'an array within each element';
}

const CELLS = 'cells of MATLAB 7.3 (save the variable with `-v7` instead)';

/** Pairs that are read at once: the library makes an array of each. */
const PAIRS_AT_ONCE = 65_536;

/** Real and imaginary parts. */
function complexParts(dataset: Dataset, shape: readonly number[]): [Float64Array, Float64Array] {
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
  return [re, im];
}

/** Two numbers per element: h5py calls them r and i, MATLAB real and imag. */
function isComplex({ dtype }: Dataset): boolean {
  if (!Array.isArray(dtype) || dtype.length !== 2) return false;
  const names = (dtype as readonly (readonly [string, unknown])[]).map(([field]) => field).join();
  return names === 'r,i' || names === 'real,imag';
}
