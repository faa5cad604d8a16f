import type { FileHandle } from 'node:fs/promises';
import { captureRecords } from '../formats/containers/capture.js';
import { MAX_RECORD_BYTES, RawBuilder } from '../formats/index.js';

/** Closer than this, reading on is as fast as searching. */
const NEAR_BYTES = 65_536;

/** A position in a capture: where a record begins, and the time of the previous one, if known. */
export interface Near {
  /** Bytes. */
  readonly offset: number;
  /** Microseconds since 1970. */
  readonly newest: number | null;
}

/**
 * Finds a record by its time without an index, because the times of a capture never decrease. Halves the
 * range until the first record of `time` is nearly found: all records before the returned offset are earlier.
 * @param start where the first record begins, bytes
 * @param time microseconds since 1970
 */
export async function offsetNear(file: FileHandle, start: number, size: number, time: number): Promise<Near> {
  let [low, high] = [start, size];
  let newest: number | null = null;
  while (high - low > NEAR_BYTES) {
    const middle = Math.floor((low + high) / 2);
    const found = await nextRecord(file, middle, high);
    if (found && found.time < time) [low, newest] = [found.end, found.time];
    else high = middle;
  }
  return { offset: low, newest };
}

/** The first whole record after `from`; null if none ends before `to`. */
async function nextRecord(
  file: FileHandle,
  from: number,
  to: number,
): Promise<{ readonly time: number; readonly end: number } | null> {
  for (let length = NEAR_BYTES; ; length *= 4) {
    const bytes = new Uint8Array(Math.min(length, to - from));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, from);
    const builder = new RawBuilder(1, 'replay');
    const cutter = captureRecords();
    // As after damage: the bytes begin somewhere within a record.
    cutter.restore({ lost: from });
    const taken = cutter.cut(bytes.subarray(0, bytesRead), builder, from, true);
    if (builder.count > 0) return { time: builder.newest, end: from + taken };
    if (bytes.length === to - from || length > 2 * MAX_RECORD_BYTES) return null;
  }
}
