import type { Dataset, File, Group } from 'h5wasm/node';
import type { Allowance } from './allowance.js';
import { numberArray, sizeOf, textArray, type Table, type TableArray } from './arrays.js';
import { CELLS, followerOf, isMatlab, matlabValue } from './hdf5-matlab.js';
import { isComplex, numbersOf, type Library } from './hdf5-numbers.js';
import { tableOf } from './mat-arrays.js';
import type { MatValue } from './mat-value.js';

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
    const variables = new Map<string, MatValue>();
    const arrays: TableArray[] = [];
    const unread: string[] = [];
    const reading = { library, allowance, follow: followerOf(file, library, allowance) };
    for (const { name, found } of entries(file, '', library)) {
      if (isMatlab(found, library)) {
        variables.set(name, matlabValue(found, reading));
        continue;
      }
      const array = arrayOf(name, found, allowance);
      if (typeof array === 'string') unread.push(`${name}: ${array}`);
      else arrays.push(array);
    }
    const matlab = tableOf(variables, allowance, '/');
    return { ...matlab, arrays: [...matlab.arrays, ...arrays], unread: [...matlab.unread, ...unread] };
  } finally {
    file.close();
  }
}

/**
 * The innermost line of the library's error: `truncated file: eof = 100, ...`. Damage can also end WebAssembly
 * itself, by a call of abort() or by a trap such as `memory access out of bounds`, depending on what its memory held.
 */
export function reasonOf({ name, message }: Error): string {
  if (name === 'RuntimeError') return `it is damaged: the HDF5 library gave up (${message})`;
  const reasons = [...message.matchAll(/#\d+: .* in \w+\(\): (.*)/g)];
  return reasons.at(-1)?.[1] ?? message;
}

/** Groups nest; a file that links a group into itself would cause an endless loop. */
const MAX_LEVELS = 16;

/** Arrays in the order of the file; a structure of MATLAB counts as one. */
function* entries(
  group: Group,
  prefix: string,
  library: Library,
  level = 0,
): Generator<{ readonly name: string; readonly found: Dataset | Group }> {
  for (const key of group.keys()) {
    // MATLAB's internal groups: contents of cells, and of objects.
    if (key === CELLS || key === '#subsystem#') continue;
    const found = group.get(key);
    const name = `${prefix}${key}`;
    if (found instanceof library.Dataset || isMatlab(found, library)) yield { name, found };
    else if (found instanceof library.Group && level < MAX_LEVELS)
      yield* entries(found, `${name}/`, library, level + 1);
  }
}

/** Or the reason why it is skipped. */
function arrayOf(name: string, dataset: Dataset, allowance: Allowance): TableArray | string {
  const shape = dataset.shape ?? [];
  allowance.takeNumbers(sizeOf(shape) * (isComplex(dataset) ? 2 : 1));
  const numbers = numbersOf(dataset);
  if (typeof numbers !== 'string') return numberArray(name, shape, numbers.re, numbers.im);
  const { value } = dataset;
  const isText = Array.isArray(value) && value.every((each) => typeof each === 'string');
  return isText ? textArray(name, shape, value) : numbers;
}
