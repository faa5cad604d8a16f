import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeHeader, encodeRecords } from '../../pipeline/formats/containers/capture.js';
import { batchOf } from '../formats/batches.js';
import type { Heard } from './brokers.js';

/** Rotated twice. */
const FILES = 3;
/** Pieces end anywhere in a record. */
const PIECE_BYTES = 1777;
const PIECE_MS = 15;

/**
 * Writes datagrams to a capture in pieces, as a program that measures; a full file is renamed to `PATH.1`, `PATH.2`, and
 * a new one begun in its place.
 * @param known resolves when a checkpoint has a position in the first file; before that nobody could find it again
 */
export async function writeGrowing(
  path: string,
  heard: readonly Heard[],
  known: Promise<unknown>,
): Promise<void> {
  const header = encodeHeader({ format: 'adr018', origin: 'replay' });
  for (let file = 0; file < FILES; file++) {
    if (file > 0) {
      await known;
      renameSync(path, `${path}.${file}`);
    }
    const [from, to] = [file, file + 1].map((part) => Math.round((part * heard.length) / FILES));
    const bytes = encodeRecords(batchOf(...heard.slice(from, to)));
    writeFileSync(path, header);
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      appendFileSync(path, bytes.subarray(at, at + PIECE_BYTES));
      await sleep(PIECE_MS);
    }
  }
}
