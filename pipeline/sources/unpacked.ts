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
 * The decompressed bytes of a gzip file; of a damaged or truncated one, those before the byte in which zlib finds the
 * damage. @throws zlib's error after them, see {@link isGzipDamage}; the system's, if the file cannot be read
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
  const { failedAt, given } = yield* unpackedInPieces(path, from, Infinity);
  // The piece with the damage again, byte by byte.
  if (failedAt !== null) yield* unpackedInPieces(path, given, failedAt);
}

interface Reached {
  /** First byte, in the file, of the piece with the damage; null if the file is only truncated. */
  readonly failedAt: number | null;
  /** Decompressed bytes so far, those that were skipped among them. */
  readonly given: number;
}

/**
 * Decompresses a file in pieces until one fails.
 * @param from decompressed bytes to skip
 * @param single byte of the file from which on pieces are single bytes
 */
async function* unpackedInPieces(
  path: string,
  from: number,
  single: number,
): AsyncGenerator<Buffer, Reached> {
  const gunzip = new PieceGunzip();
  let [skip, given, at] = [from, from, 0];
  try {
    for await (const piece of piecesOf(path, single)) {
      const isWhole = await gunzip.write(piece);
      for (const part of gunzip.take()) {
        const start = Math.min(skip, part.length);
        skip -= start;
        given += part.length - start;
        if (start < part.length) yield part.subarray(start);
      }
      if (!isWhole) return { failedAt: at, given };
      at += piece.length;
    }
    return { failedAt: null, given };
  } finally {
    gunzip.close();
  }
}

async function* piecesOf(path: string, single: number): AsyncGenerator<Buffer, void> {
  let at = 0;
  for await (const piece of createReadStream(path, { highWaterMark: PIECE_BYTES }) as AsyncIterable<Buffer>) {
    if (at < single) yield piece;
    else for (let i = 0; i < piece.length; i++) yield piece.subarray(i, i + 1);
    at += piece.length;
  }
}

/** Decompresses a piece at a time. */
class PieceGunzip {
  readonly #gunzip = createGunzip();
  readonly #failed: Promise<boolean>;
  #parts: Buffer[] = [];

  constructor() {
    this.#gunzip.on('data', (part: Buffer) => this.#parts.push(part));
    this.#failed = new Promise((resolve) => {
      this.#gunzip.once('error', () => {
        resolve(false);
      });
    });
  }

  /** False if it is damaged. */
  async write(piece: Buffer): Promise<boolean> {
    const taken = new Promise<boolean>((resolve) => {
      this.#gunzip.write(piece, (error) => {
        resolve(!error);
      });
    });
    const isWhole = await Promise.race([taken, this.#failed]);
    // The last part of a piece is passed on after the piece was taken.
    await setImmediate();
    return isWhole;
  }

  /** What was decompressed since the last call. */
  take(): readonly Buffer[] {
    return this.#parts.splice(0);
  }

  close(): void {
    this.#gunzip.destroy();
  }
}
