import type { RawBatch } from '../../component/index.js';
import { RawBuilder } from '../../formats/index.js';

/** A record as received. */
export interface RawRecord {
  readonly bytes: Uint8Array;
  /** Microseconds. Default: 10 ms after the record before. */
  readonly time?: number;
  readonly sender?: string;
}

const FIRST = 1_700_000_000_000_000;
const APART = 10_000;

/** Records as one batch. */
export function rawOf(records: readonly RawRecord[]): RawBatch {
  const builder = new RawBuilder(Math.max(records.length, 1), 'live');
  for (const [index, { bytes, time = FIRST + index * APART, sender = '127.0.0.1:1' }] of records.entries())
    builder.add(time, bytes, 0, bytes.length, sender);
  return builder.take();
}
