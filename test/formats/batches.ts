import type { RawBatch } from '../../pipeline/component/index.js';
import { RawBuilder } from '../../pipeline/formats/index.js';

export interface TestRecord {
  readonly bytes: Uint8Array;
  /** Microseconds. */
  readonly time?: number;
  readonly sender?: string;
}

/** Records as batches of `size`; without times they arrive 10 ms apart. */
export function batchesOf(records: readonly TestRecord[], size = records.length): RawBatch[] {
  const builder = new RawBuilder(Math.max(size, 1), 'live');
  const batches: RawBatch[] = [];
  for (const [i, { bytes, time, sender }] of records.entries()) {
    builder.add(time ?? 1e15 + i * 10_000, bytes, 0, bytes.length, sender ?? '127.0.0.1:4000');
    if (builder.full) batches.push(builder.take());
  }
  if (builder.count > 0) batches.push(builder.take());
  return batches;
}

export const batchOf = (...records: readonly TestRecord[]): RawBatch => batchesOf(records)[0]!;
