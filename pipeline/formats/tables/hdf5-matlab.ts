import type { Dataset, Group, Reference } from 'h5wasm/node';
import type { Allowance } from './allowance.js';
import { sizeOf } from './arrays.js';
import { isComplex, numbersOf, type Library } from './hdf5-numbers.js';
import type { MatValue } from './mat-value.js';

/** Cells and structures nest; a damaged file may refer to itself. */
const MAX_LEVELS = 16;

/** Memory that a variable takes up besides its numbers; files of cells have many. */
const VARIABLE_BYTES = 400;

type Entity = ReturnType<Group['get']>;

/** Reads one file. */
export interface Reading {
  readonly library: Library;
  readonly allowance: Allowance;
  /** What a reference refers to. */
  readonly follow: (reference: Reference) => Entity;
}

/**
 * Finds what references refer to. The library looks for the name of each in the whole file, so contents of cells are listed
 * once, by the address in the reference.
 */
export function followerOf(file: Group, library: Library, allowance: Allowance): Reading['follow'] {
  let cells: Map<string, Entity> | undefined;
  const list = (): Map<string, Entity> => {
    const group = file.keys().includes(CELLS) ? file.get(CELLS) : null;
    const names = group instanceof library.Group ? group.keys() : [];
    allowance.take(VARIABLE_BYTES * names.length);
    const found = names.map((name) => (group as Group).get(name));
    return new Map(
      found.flatMap((one) =>
        one instanceof library.Dataset || one instanceof library.Group
          ? [[addressIn(one.create_reference()), one] as const]
          : [],
      ),
    );
  };
  return (reference) => {
    const found = (cells ??= list()).get(addressIn(reference));
    if (!found) throw new Error(`a cell refers to something that is not in ${CELLS}`);
    return found;
  };
}

/** MATLAB's group for the contents of cells. */
export const CELLS = '#refs#';

const addressIn = ({ ref_data: bytes }: Reference): string => Buffer.from(bytes).toString('hex');

/** True for what MATLAB wrote: an array, a cell array or a structure. */
export const isMatlab = (found: Entity, library: Library): found is Dataset | Group =>
  (found instanceof library.Dataset || found instanceof library.Group) && 'MATLAB_class' in found.attrs;

/**
 * A variable of a MATLAB file of version 7.3, with numbers in MATLAB's order. Arrays have HDF5's axes reversed. A cell
 * array is an array of references to its cells, which are in the group `#refs#`; a structure is a group of its fields; and
 * the fields of an array of structures are arrays of references (as written by MATLAB R2023b, and read by mat73 and
 * hdf5storage).
 * @throws Error if it is damaged
 */
export function matlabValue(found: Entity, reading: Reading, level = 0): MatValue {
  const { library, allowance } = reading;
  allowance.take(VARIABLE_BYTES);
  if (level > MAX_LEVELS) throw new Error(`cells and structures are nested more than ${MAX_LEVELS} deep`);
  if (found instanceof library.Group) return structureIn(found, reading, level);
  if (!(found instanceof library.Dataset)) return { kind: 'other', what: 'neither numbers nor texts' };
  const { attrs } = found;
  const type = attrs['MATLAB_class']?.value;
  if ('MATLAB_empty' in attrs && Number(attrs['MATLAB_empty'].value) !== 0) return emptyOf(type, found);
  if (isReference(found)) return cellsIn(found, reading, level);
  if (type === 'function_handle') return { kind: 'other', what: 'a function handle' };
  if ('MATLAB_object_decode' in attrs) return { kind: 'other', what: OBJECT };
  const size = [...(found.shape ?? [])].reverse();
  allowance.takeNumbers(sizeOf(size) * (isComplex(found) ? 2 : 1));
  const numbers = numbersOf(found);
  if (typeof numbers === 'string') return { kind: 'other', what: numbers };
  if (type === 'char')
    return { kind: 'char', text: String.fromCharCode(...numbers.re.subarray(0, MAX_TEXT)) };
  return { kind: 'numeric', size, ...numbers };
}

const OBJECT = 'an object of a class (a table or a string array, for example)';
/** Longer texts are no names of senders. */
const MAX_TEXT = 4096;

/** MATLAB stores the size of an empty array in place of its contents. */
function emptyOf(type: unknown, { value }: Dataset): MatValue {
  if (type === 'char') return { kind: 'char', text: '' };
  const size = ArrayBuffer.isView(value) ? Array.from(value as unknown as ArrayLike<number>, Number) : [0, 0];
  if (type === 'cell') return { kind: 'cell', size, cells: [] };
  if (type === 'struct') return { kind: 'struct', size, elements: [] };
  return { kind: 'numeric', size, re: new Float64Array(0), im: null };
}

const isReference = ({ dtype }: Dataset): boolean => dtype === 'Reference';

const cellsIn = (cells: Dataset, reading: Reading, level: number): MatValue => ({
  kind: 'cell',
  size: [...(cells.shape ?? [])].reverse(),
  cells: referred(cells, reading, level),
});

/** What an array of references refers to, in MATLAB's order: that of the memory. */
function referred(cells: Dataset, reading: Reading, level: number): MatValue[] {
  reading.allowance.take(VARIABLE_BYTES * sizeOf(cells.shape ?? []));
  const references = [cells.value].flat() as readonly Reference[];
  return references.map((one) => matlabValue(reading.follow(one), reading, level + 1));
}

function structureIn(group: Group, reading: Reading, level: number): MatValue {
  if ('MATLAB_sparse' in group.attrs) return { kind: 'other', what: 'a sparse array' };
  const fields = group.keys().map((name) => [name, group.get(name)] as const);
  const { library } = reading;
  const isArray = (found: Entity): found is Dataset =>
    found instanceof library.Dataset && isReference(found) && !('MATLAB_class' in found.attrs);
  const columns = fields.map(([name, found]) =>
    isArray(found)
      ? ([name, referred(found, reading, level)] as const)
      : ([name, [matlabValue(found, reading, level + 1)]] as const),
  );
  const count = columns[0]?.[1].length ?? 0;
  const other = columns.find(([, values]) => values.length !== count);
  if (other)
    throw new Error(
      `the field ${other[0]} of ${group.path} has ${other[1].length} values, the first one ${count}`,
    );
  return {
    kind: 'struct',
    size: [count],
    elements: Array.from({ length: count }, (_, i) =>
      Object.fromEntries(columns.map(([name, values]) => [name, values[i]!])),
    ),
  };
}
