import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { errorText } from '../base/error-text.js';

/** Decompressed bytes at a time, at most. */
const CHUNK_BYTES = 262_144;
/** Compressed bytes at a time of a damaged file: zlib gives nothing of those in which it finds the damage. */
const PIECE_BYTES = 1024;

/**
 * The decompressed bytes of a gzip file; of a damaged or truncated one, those before the damage, to within 1 KiB of
 * the file. @throws zlib's error after them, see {@link isGzipDamage}; the system's, if the file cannot be read
 */
export async function* unpackedFile(path: string): AsyncGenerator<Buffer, void> {
  let given = 0;
  try {
    // Errors reach the reader through the stream that it iterates over.
    const unpacked = pipeline(
      createReadStream(path),
      createGunzip({ chunkSize: CHUNK_BYTES }),
      () => undefined,
    );
    for await (const chunk of unpacked as AsyncIterable<Buffer>) {
      given += chunk.length;
      yield chunk;
    }
  } catch (error) {
    if (isGzipDamage(error)) yield* beforeDamage(path, given);
    throw error;
  }
}

/** True for zlib's errors about the data. */
export const isGzipDamage = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');

/** True if the data could be decompressed, but are not those that were compressed: any byte may be wrong. */
export const isWrongChecksum = (error: unknown): boolean =>
  isGzipDamage(error) && /incorrect (data|length) check/.test(errorText(error));

/** What can be decompressed of a damaged file from a decompressed byte on: a failed stream drops what it holds. */
async function* beforeDamage(path: string, from: number): AsyncGenerator<Buffer, void> {
  const gunzip = createGunzip();
  let parts: Buffer[] = [];
  gunzip.on('data', (part: Buffer) => parts.push(part));
  const failed = new Promise<boolean>((resolve) => {
    gunzip.once('error', () => {
      resolve(false);
    });
  });
  const taken = (piece: Buffer) =>
    new Promise<boolean>((resolve) => {
      gunzip.write(piece, (error) => {
        resolve(!error);
      });
    });
  let skip = from;
  try {
    for await (const piece of createReadStream(path, { highWaterMark: PIECE_BYTES })) {
      if (!(await Promise.race([taken(piece as Buffer), failed]))) return;
      // The last part of a piece is passed on after the piece was taken.
      await setImmediate();
      for (const part of parts) {
        const start = Math.min(skip, part.length);
        skip -= start;
        if (start < part.length) yield part.subarray(start);
      }
      parts = [];
    }
  } finally {
    gunzip.destroy();
  }
}
