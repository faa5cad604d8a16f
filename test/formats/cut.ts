import type { FileFormat, Problem } from '../../pipeline/formats/index.js';
import type { RawBatch } from '../../pipeline/component/index.js';
import { RawBuilder, recogniseFile } from '../../pipeline/formats/index.js';

export interface CutRecord {
  /** Microseconds. */
  readonly time: number;
  readonly sender: string;
  readonly bytes: number[];
}

/**
 * Cuts `bytes` that arrive in pieces of `piece`, like a file reader. Undefined if no kind of file recognises
 * them.
 */
export function cutAll(
  bytes: Uint8Array,
  piece = bytes.length,
  format: FileFormat | undefined = recogniseFile(bytes),
): { records: CutRecord[]; problems: readonly Problem[] } | undefined {
  if (!format) return undefined;
  const { batches, problems } = cutBatches(bytes, piece, format);
  const records = batches.flatMap((batch) =>
    Array.from({ length: batch.count }, (_, i) => ({
      time: batch.time[i]!,
      sender: batch.senders[batch.sender[i]!]!,
      bytes: [...batch.bytes.subarray(batch.offsets[i], batch.offsets[i + 1])],
    })),
  );
  return { records, problems };
}

/** The same as batches. @param input name of the file */
export function cutBatches(
  bytes: Uint8Array,
  piece: number,
  format: FileFormat,
  input?: string,
): { batches: readonly RawBatch[]; problems: readonly Problem[] } {
  const { start, cutter, origin } = format.open(bytes);
  const builder = new RawBuilder(8, origin);
  const batches = [];
  let taken = start;
  for (let end = Math.min(start + piece, bytes.length); ; end = Math.min(end + piece, bytes.length)) {
    const last = end === bytes.length;
    for (;;) {
      taken += cutter.cut(bytes.subarray(taken, end), builder, taken, last);
      if (!builder.full) break;
      batches.push(builder.take(input));
    }
    if (last) break;
  }
  batches.push(builder.take(input));
  return { batches, problems: builder.takeProblems() };
}
