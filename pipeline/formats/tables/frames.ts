import { describeArray, numberArray, sizeOf, type Table, type TableArray } from './arrays.js';
import { axesOf, Grid } from './grid.js';
import { MappingError, type TableMapping } from './mapping.js';
import type { TableFrames } from './table-frames.js';

/** An array is damaged so that its frames cannot be read. */
export class TableDamage extends Error {}

/** @throws TableDamage; MappingError that names the array, its shape, and how to fix the mapping */
export function framesOf(table: Table, mapping: TableMapping): TableFrames {
  const arrays = new Arrays(table);
  const named = [mapping.imaginary, mapping.phase, mapping.time, mapping.sender, mapping.rssi];
  const values = arrays.values(mapping.values, named);
  const axes = axesOf(values, mapping);
  if (values.cut && axes[values.cut.axis] !== 'time') throw new TableDamage(values.cut.text);
  const grid = new Grid(values, axes, mapping);
  const count = grid.frames;
  const column = (field: 'time' | 'sender' | 'rssi') => {
    const name = mapping[field];
    return name === undefined ? null : arrays.column(field, name, count);
  };
  const [rssi, sender] = [column('rssi'), column('sender')];
  const partner = (field: 'imaginary' | 'phase') => {
    const name = mapping[field];
    if (name === undefined) return null;
    const array = arrays.named(field, name);
    if (array.shape.join() !== values.shape.join())
      throw new MappingError(field, `${describeArray(array)} must have the axes of ${describeArray(values)}`);
    return new Grid(array, axes, mapping);
  };
  const [imaginary, phase] = [partner('imaginary'), partner('phase')];
  const { rows } = table;
  const rowOf = rows?.length === count ? (frame: number) => rows[frame]! : (frame: number) => frame;
  const time = timesOf(mapping, column('time'), arrays, rowOf);
  return {
    count,
    layout: () => grid.layout,
    time,
    sender: (frame) => (sender ? elementText(sender, frame) : ''),
    rssi: (frame) => (rssi ? element(rssi, frame) : NaN),
    values: (frame) => grid.read(frame, imaginary, phase),
  };
}

/** Arrays by the names used in a mapping: a name, or columns of a CSV file. */
class Arrays {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  /** The array of the measurements. `others` are arrays used for something else. */
  values(name: string | undefined, others: readonly (string | undefined)[]): TableArray {
    if (name !== undefined) return this.named('values', name);
    if (this.#table.isColumns) {
      const rest = this.#table.arrays.filter((array) => !array.texts && !others.includes(array.name));
      return joined('all columns', rest);
    }
    const found = this.#table.arrays.filter(
      ({ texts, shape, name: each }) =>
        !texts && shape.filter((length) => length > 1).length >= 2 && !others.includes(each),
    );
    if (found.length === 1) return found[0]!;
    throw new MappingError(
      'values',
      `${found.length === 0 ? 'no array has two axes or more' : 'several arrays may be the measurements: name one as `values`'}. ${this.list()}`,
    );
  }

  named(field: string, name: string): TableArray {
    const { arrays, isColumns } = this.#table;
    const found = arrays.find((array) => array.name === name);
    if (found) return found;
    const columns = isColumns ? columnsNamed(arrays, name) : [];
    if (columns.length > 0) return joined(name, columns);
    throw new MappingError(field, `unknown ${isColumns ? 'column' : 'array'} \`${name}\`. ${this.list()}`);
  }

  /** One value per frame. */
  column(field: string, name: string, count: number): TableArray {
    const array = this.named(field, name);
    if (sizeOf(array.shape) === count) return array;
    throw new MappingError(field, `${describeArray(array)} must hold one value for each of ${count} frames`);
  }

  list(): string {
    const { arrays, unread, damaged = [] } = this.#table;
    const shown = arrays.slice(0, MAX_LISTED).map(describeArray);
    const more = arrays.length > MAX_LISTED ? ` and ${arrays.length - MAX_LISTED} more` : '';
    return `There are: ${shown.join('; ')}${more}${listed('not read', unread)}${listed('damaged', damaged)}`;
  }
}

const MAX_LISTED = 20;
const listed = (what: string, parts: readonly string[]): string =>
  parts.length > 0 ? `; ${what}: ${parts.slice(0, MAX_LISTED).join('; ')}` : '';

/** `csi_*` by prefix and suffix, `3..54` or `a..b` from one column to another. */
function columnsNamed(arrays: readonly TableArray[], pattern: string): readonly TableArray[] {
  const [first, last] = pattern.split('..');
  if (last !== undefined) {
    const at = (name: string) => arrays.findIndex((array) => array.name === name);
    const [from, to] = [at(first!), at(last)];
    return from < 0 || to < from ? [] : arrays.slice(from, to + 1);
  }
  const [begin, end] = pattern.split('*');
  if (end === undefined) return [];
  return arrays.filter(({ name }) => name.startsWith(begin!) && name.endsWith(end));
}

/** Adjacent columns: [rows, columns]. @throws MappingError if one contains texts */
function joined(name: string, columns: readonly TableArray[]): TableArray {
  const text = columns.find(({ texts }) => texts);
  if (text)
    throw new MappingError('values', `the column ${text.name} contains texts: remove it from \`${name}\``);
  const rows = columns[0]?.shape[0] ?? 0;
  const re = new Float64Array(rows * columns.length);
  columns.forEach((column, at) => {
    re.set(column.re, at * rows);
  });
  return numberArray(name, [rows, columns.length], re, null, [1, rows]);
}

/** Length of a vector, or of an array with only one axis longer than 1. */
const offsetOf = ({ shape, strides }: TableArray, index: number): number => {
  const axis = shape.findIndex((length) => length > 1);
  return axis < 0 ? 0 : index * strides[axis]!;
};
const element = (array: TableArray, index: number): number => array.re[offsetOf(array, index)]!;
const elementText = (array: TableArray, index: number): string =>
  array.texts ? array.texts[offsetOf(array, index)]! : String(element(array, index));

const MICROSECONDS = { s: 1e6, ms: 1e3, us: 1, ns: 1e-3 };

function timesOf(
  mapping: TableMapping,
  column: TableArray | null,
  arrays: Arrays,
  rowOf: (frame: number) => number,
): (frame: number) => number {
  const { start: said = '1970-01-01T00:00:00Z', time_unit: unit = 's' } = mapping;
  const start = Date.parse(said) * 1000;
  if (!Number.isFinite(start))
    throw new MappingError('start', `\`${said}\` must be an ISO 8601 time, such as 2026-03-01T00:00:00Z`);
  if (column) {
    if (column.texts) throw new MappingError('time', `${describeArray(column)} contains no numbers`);
    return (frame) => start + element(column, frame) * MICROSECONDS[unit];
  }
  const { rate_hz: rate } = mapping;
  if (rate === undefined)
    throw new MappingError(
      'time',
      `the times of the frames are unknown: set \`time\` to the array of times, or set \`rate_hz\`. ${arrays.list()}`,
    );
  return (frame) => start + Math.round((rowOf(frame) * 1e6) / rate);
}
