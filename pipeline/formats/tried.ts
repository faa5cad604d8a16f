import { FILE_FORMATS, formatNamed } from './index.js';
import { FormatError, type FileFormat } from './contract/format.js';
import { RawBuilder } from './contract/raw-builder.js';

/** A kind of file that was tried on a file's first bytes, and the number of records found. */
export interface Tried {
  readonly kind: FileFormat;
  readonly records: number;
}

/** Files of other programs, by their first bytes, and how to import their data into csiflow. */
const FOREIGN: readonly { readonly begin: string; readonly is: string }[] = [
  { begin: '\x89MCAP0\r\n', is: 'an MCAP recording' },
  { begin: 'SQLite format 3\0', is: 'an SQLite database' },
];

/** Description of a file that csiflow cannot read; undefined if its first bytes do not identify it. */
export function foreignFile(head: Uint8Array): string | undefined {
  const start = Buffer.from(head.subarray(0, 32)).toString('latin1');
  return FOREIGN.find(({ begin }) => start.startsWith(begin))?.is;
}

/** Enough to determine the content of a file. */
const MAX_RECORDS = 4096;

/** Tries every kind on the first bytes of an unrecognised file; the one with the most records comes first. */
export const tryKinds = (head: Uint8Array): readonly Tried[] =>
  FILE_FORMATS.map((kind) => ({ kind, records: recordsIn(kind, head) })).sort(
    (a, b) => b.records - a.records,
  );

function recordsIn(kind: FileFormat, head: Uint8Array): number {
  try {
    const { format, start, cutter } = kind.open(head);
    const builder = new RawBuilder(MAX_RECORDS, 'replay');
    cutter.cut(head.subarray(start), builder, start, true);
    const { count, bytes, offsets } = builder.take();
    const { recognise } = formatNamed(format);
    return Array.from({ length: count }, (_, i) => bytes.slice(offsets[i], offsets[i + 1])).filter(recognise)
      .length;
  } catch (error) {
    // The caller already knows that the file is not of this kind.
    if (error instanceof FormatError) return 0;
    throw error;
  }
}
