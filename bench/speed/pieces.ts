import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { MAX_RECORD_BYTES } from '../../pipeline/formats/index.js';

/** The same size as the source `file` reads. */
const PIECE_BYTES = 262_144;
/** Has space for an incomplete record and the next piece. */
const memory = new Uint8Array(PIECE_BYTES + MAX_RECORD_BYTES);

/**
 * Reads a recording piece by piece into the same memory; a gzipped one is read whole. `take` returns the number
 * of bytes consumed; the rest is passed again, with more data after it. `last` means that no data follows.
 */
export function readPieces(path: string, take: (bytes: Uint8Array, last: boolean) => number): void {
  const file = openSync(path, 'r');
  const read = (rest: number): number => rest + readSync(file, memory, rest, PIECE_BYTES, null);
  try {
    let length = read(0);
    if (length > 1 && memory[0] === 0x1f && memory[1] === 0x8b) {
      take(gunzipSync(readFileSync(path)), true);
      return;
    }
    let rest = 0;
    for (let last = false; !last; length = read(rest)) {
      last = length === rest;
      const taken = take(memory.subarray(0, length), last);
      memory.copyWithin(0, taken, length);
      rest = length - taken;
    }
  } finally {
    closeSync(file);
  }
}
