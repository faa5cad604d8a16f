import type { Allowance } from './allowance.js';
import {
  columnMajor,
  numberArray,
  sizeOf,
  textArray,
  type Structure,
  type Table,
  type TableArray,
} from './arrays.js';
import type { MatValue } from './mat-value.js';

/**
 * Variables of MATLAB as arrays. Those in a structure are named `structure.field`. Cells and arrays of structures
 * become one array, with an axis for the cells before the others, if all have the same size.
 * @param separator between a structure and its field
 */
export function tableOf(
  variables: ReadonlyMap<string, MatValue>,
  allowance: Allowance,
  separator: '.' | '/' = '.',
): Table {
  const arrays: TableArray[] = [];
  const unread: string[] = [];
  const structures = new Map<string, readonly Structure[]>();
  for (const [name, value] of variables) {
    flatten(name, value, { arrays, unread, allowance, separator });
    const list = structuresIn(value);
    if (list.length > 0) structures.set(name, list);
  }
  return { arrays, unread, structures };
}

interface Into {
  readonly arrays: TableArray[];
  readonly unread: string[];
  readonly allowance: Allowance;
  readonly separator: '.' | '/';
}

type Numeric = Extract<MatValue, { kind: 'numeric' }>;
type Fields = Readonly<Record<string, MatValue>>;

const isNumeric = (value: MatValue | undefined): value is Numeric => value?.kind === 'numeric';

const arrayOf = (name: string, { size, re, im }: Numeric): TableArray =>
  numberArray(name, size, re, im, columnMajor(size));

function flatten(name: string, value: MatValue, into: Into): void {
  if (value.kind === 'numeric') into.arrays.push(arrayOf(name, value));
  else if (value.kind === 'char') into.arrays.push(textArray(name, [1], [value.text]));
  else if (value.kind === 'other') into.unread.push(`${name}: ${value.what}`);
  else {
    const fields = value.kind === 'struct' ? value.elements : fieldsOf(value.cells);
    if (fields?.length === 1 && value.kind === 'struct') inStructure(name, fields, into, ([only]) => only!);
    else if (fields && fields.length > 0) inStructure(name, fields, into, listOf);
    else if (value.kind === 'cell') stack(name, value.cells, into);
    else into.unread.push(`${name}: an empty array of structures`);
  }
}

/** The structures of cells that contain one each; undefined if one contains something else. */
function fieldsOf(cells: readonly MatValue[]): readonly Fields[] | undefined {
  const fields = cells.map((cell) =>
    cell.kind === 'struct' && cell.elements.length === 1 ? cell.elements[0]! : null,
  );
  return fields.every((each) => each !== null) ? fields : undefined;
}

/** @param join the values of a field in all structures as one */
function inStructure(
  name: string,
  structures: readonly Fields[],
  into: Into,
  join: (values: readonly MatValue[]) => MatValue,
): void {
  for (const field of Object.keys(structures[0]!)) {
    const values = structures.map((each) => each[field]).filter((value) => value !== undefined);
    if (values.length === structures.length) flatten(`${name}${into.separator}${field}`, join(values), into);
    else
      into.unread.push(
        `${name}${into.separator}${field}: missing in ${structures.length - values.length} of ${structures.length} structures`,
      );
  }
}

const listOf = (cells: readonly MatValue[]): MatValue => ({ kind: 'cell', size: [cells.length], cells });

/** Arrays of the same size as one array [cell, ...their axes]. */
function stack(name: string, cells: readonly MatValue[], { arrays, unread, allowance }: Into): void {
  const why = reasonAgainst(cells);
  if (why !== null) {
    unread.push(`${name}: ${why}`);
    return;
  }
  const same = cells.filter(isNumeric);
  const { size: axes } = same[0]!;
  const size = sizeOf(axes);
  allowance.takeNumbers(2 * size * cells.length);
  const re = new Float64Array(size * cells.length);
  const im = same.some((cell) => cell.im !== null) ? new Float64Array(re.length) : null;
  same.forEach((cell, at) => {
    re.set(cell.re, at * size);
    if (cell.im) im!.set(cell.im, at * size);
  });
  arrays.push(numberArray(name, [cells.length, ...axes], re, im, [size, ...columnMajor(axes)]));
}

/** Why cells do not make one array; null if they do. */
function reasonAgainst(cells: readonly MatValue[]): string | null {
  const [first] = cells;
  if (!isNumeric(first)) return first ? 'cells of other than numbers' : 'an empty cell array';
  const sizeText = first.size.join(' x ');
  const other = cells.find((cell) => !isNumeric(cell) || cell.size.join(' x ') !== sizeText);
  if (!other) return null;
  return `cells of different kinds or sizes (${sizeText}, and ${isNumeric(other) ? other.size.join(' x ') : `a ${other.kind}`})`;
}

/** The numbers in each structure of a cell array or an array of structures; an empty map for other cells. */
function structuresIn(value: MatValue): readonly Structure[] {
  if (value.kind !== 'cell' && value.kind !== 'struct') return [];
  const elements = value.kind === 'struct' ? value.elements : value.cells.map(onlyStructure);
  if (elements.every((each) => Object.keys(each).length === 0)) return [];
  return elements.map(
    (fields) =>
      new Map(
        Object.entries(fields).flatMap(([name, inner]) =>
          isNumeric(inner) ? [[name, arrayOf(name, inner)] as const] : [],
        ),
      ),
  );
}

const onlyStructure = (cell: MatValue): Fields =>
  cell.kind === 'struct' && cell.elements.length === 1 ? cell.elements[0]! : {};
