import { errorText } from '../../base/error-text.js';
import { FormatError } from '../contract/format.js';
import { Allowance } from './allowance.js';
import type { Table } from './arrays.js';
import { lookAtCsv } from './csv.js';
import { OFFSETS, SIGNATURE } from './hdf5-superblock.js';

/** A kind of file that holds arrays. */
export interface TableKind {
  /** kebab-case: `npz`. */
  readonly name: string;
  readonly summary: string;
  /** True if a file that starts with `head` is of this kind; `isWhole`: nothing follows. */
  readonly recognise: (head: Uint8Array, isWhole: boolean) => boolean;
  /** Its library can only read files: `read` gets the path instead of the bytes. */
  readonly needsFile?: boolean;
  /** It consists of lines of text. */
  readonly inLines?: boolean;
  /** @param texts names of columns that are texts, also if they look like numbers */
  readonly read: (
    bytes: Buffer,
    path: string,
    allowance: Allowance,
    texts: readonly string[],
  ) => Promise<Table>;
}

const beginsWith =
  (...texts: readonly string[]) =>
  (head: Uint8Array): boolean =>
    texts.some((text) => Buffer.from(head.subarray(0, text.length)).toString('latin1') === text);

/** By the signature, or by the text before it: a truncated MATLAB file may have no more. */
const isHdf5 = (head: Uint8Array): boolean =>
  beginsWith('MATLAB 7.3 MAT-file')(head) || OFFSETS.some((at) => beginsWith(SIGNATURE)(head.subarray(at)));

export const TABLE_KINDS: readonly TableKind[] = [
  {
    name: 'hdf5',
    summary: 'HDF5 file, and MATLAB file of version 7.3.',
    recognise: isHdf5,
    needsFile: true,
    read: async (_bytes, path, allowance) => (await import('./hdf5.js')).readHdf5(path, allowance),
  },
  {
    name: 'mat5',
    summary: 'MATLAB file of versions 5 to 7.',
    recognise: beginsWith('MATLAB 5.0 MAT-file'),
    read: async (bytes, _path, allowance) => (await import('./mat5.js')).readMat5(bytes, allowance),
  },
  {
    name: 'npy',
    summary: 'Array of NumPy.',
    recognise: beginsWith('\x93NUMPY'),
    read: async (bytes, _path, allowance) => {
      const array = (await import('./npy.js')).readNpy(bytes, 'values', allowance);
      return { arrays: [array], unread: [], damaged: array.cut ? [array.cut.text] : [] };
    },
  },
  {
    name: 'npz',
    summary: 'Arrays of NumPy in a zip archive.',
    recognise: beginsWith('PK\x03\x04'),
    read: async (bytes, _path, allowance) => (await import('./npz.js')).readNpz(bytes, allowance),
  },
  {
    name: 'parquet',
    summary: 'Columns of Parquet.',
    recognise: beginsWith('PAR1'),
    needsFile: true,
    read: async (_bytes, path, allowance) => (await import('./parquet.js')).readParquet(path, allowance),
  },
  {
    name: 'csv',
    summary: 'Rows of at least eight numbers as text, with a line of names or without.',
    recognise: (head, isWhole) => lookAtCsv(Buffer.from(head).toString('utf8'), isWhole) !== null,
    inLines: true,
    read: async (bytes, _path, allowance, texts) =>
      (await import('./csv.js')).readCsv(bytes.toString('utf8'), allowance, texts),
  },
];

/** The kind of table of a file with these first bytes; if `name` is not `auto`, that kind. */
export const tableKindOf = (name: string, head: Uint8Array, isWhole: boolean): TableKind | undefined =>
  TABLE_KINDS.find((kind) => (name === 'auto' ? kind.recognise(head, isWhole) : kind.name === name));

/**
 * @param texts names of columns that are texts, also if they look like numbers
 * @throws FormatError `table.damaged` with the part of the file that cannot be read
 */
export async function readTable(
  kind: TableKind,
  bytes: Buffer,
  path: string,
  texts: readonly string[],
): Promise<Table> {
  try {
    return await kind.read(bytes, path, new Allowance(), texts);
  } catch (error) {
    const reason = errorText(error);
    throw new FormatError('table.damaged', path, `${kind.summary.replace(/\.$/, '')}: ${reason}`);
  }
}
