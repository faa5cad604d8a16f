import { errorText } from '../../base/error-text.js';
import { Allowance, AllowanceExceeded, isOverlong } from './allowance.js';
import type { Table, TableArray } from './arrays.js';
import { readNpy } from './npy.js';
import { zipEntries } from './zip.js';

/**
 * All arrays of a `.npz` file, a zip of `.npy` files, in its order. An array that cannot be read is missing from
 * `arrays` and named in `unread`; a truncated array, and what is damaged of the zip itself, in `damaged`.
 * @throws Error with what is damaged, if no array can be read; AllowanceExceeded
 */
export function readNpz(file: Buffer, allowance = new Allowance()): Table {
  const arrays: TableArray[] = [];
  const unread: string[] = [];
  const { entries, damage } = zipEntries(file);
  const damaged = damage === null ? [] : [damage];
  for (const { name, bytes } of entries) {
    const array = name.replace(/\.npy$/, '');
    try {
      const read = readNpy(bytes(allowance), array, allowance);
      if (read.cut) damaged.push(`${array}: ${read.cut.text}`);
      else arrays.push(read);
    } catch (error) {
      // A limit of the file, not a fault of this array: others would then be read or not by their order.
      if (error instanceof AllowanceExceeded) throw error;
      if (isOverlong(error)) throw allowance.exceeded();
      unread.push(`${array}: ${errorText(error)}`);
    }
  }
  if (arrays.length === 0 && damage !== null) {
    const more = unread.length > MAX_NAMED ? [`and ${unread.length - MAX_NAMED} more`] : [];
    throw new Error([damage, ...unread.slice(0, MAX_NAMED), ...more].join('; '));
  }
  return { arrays, unread, damaged };
}

/** Arrays that an error names. */
const MAX_NAMED = 4;
