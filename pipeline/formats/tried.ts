import { FILE_FORMATS, formatNamed } from './index.js';
import { FormatError, type FileFormat } from './contract/format.js';
import { RawBuilder } from './contract/raw-builder.js';

/** A kind of file that was tried on the first bytes of one, and how many records it found there. */
export interface Tried {
  readonly kind: FileFormat;
  readonly records: number;
}

/** Files that others write, by the bytes that they begin with, and how their data come to csiflow. */
const FOREIGN: readonly { readonly begin: string; readonly is: string }[] = [
  { begin: '\x89MCAP0\r\n', is: 'an MCAP recording' },
  { begin: 'SQLite format 3\0', is: 'an SQLite database' },
];

/** What a file is that csiflow does not read, in words; undefined where its first bytes do not say. */
export function foreignFile(head: Uint8Array): string | undefined {
  const start = Buffer.from(head.subarray(0, 32)).toString('latin1');
  return FOREIGN.find(({ begin }) => start.startsWith(begin))?.is;
}

/** Enough to tell what a file holds. */
const MAX_RECORDS = 4096;

/** Tries every kind on the first bytes of a file that none recognises; the one that finds the most records first. */
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
    // That it is none of this kind is what was asked.
    if (error instanceof FormatError) return 0;
    throw error;
  }
}
