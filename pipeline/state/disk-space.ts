import { statfsSync } from 'node:fs';
import { codedError } from '../base/error-text.js';

/** Reserve, bytes: more than a checkpoint takes. On a small disk, an eighth of it. */
const RESERVE = 16 * 2 ** 20;
const RESERVED_SHARE = 1 / 8;
/** The free space is read again after this time, and after this many bytes. */
const ASK_EVERY_MS = 20;
const ASK_EVERY_BYTES = 2 ** 20;

/** Figures of a file system. */
export type Ask = (folder: string) => {
  readonly bavail: number;
  readonly blocks: number;
  readonly bsize: number;
};

/**
 * Free space on the disk of the state. lmdb can crash the whole process if a write finds none (seen with
 * 3.5.6: `free(): invalid pointer`), so writes stop before that.
 */
export class DiskSpace {
  readonly #folder: string;
  readonly #ask: Ask;
  #askedAt = -Infinity;
  #writtenSince = 0;
  #left = 0;
  #reserve = 0;

  constructor(folder: string, ask: Ask = statfsSync) {
    this.#folder = folder;
    this.#ask = ask;
  }

  /** Call before a write of about this many bytes. @throws Error `state.write` if the disk is nearly full */
  require(bytes: number): void {
    const now = performance.now();
    this.#writtenSince += bytes;
    if (now - this.#askedAt >= ASK_EVERY_MS || this.#writtenSince >= ASK_EVERY_BYTES) this.#look(now);
    if (this.#left >= this.#reserve) return;
    throw codedError(
      'state.write',
      `the state store cannot be written: disk full (${mebibytes(this.#left)} left at ${this.#folder}, ${mebibytes(this.#reserve)} are reserved): free some space`,
    );
  }

  #look(now: number): void {
    const { bavail, blocks, bsize } = this.#ask(this.#folder);
    this.#askedAt = now;
    this.#writtenSince = 0;
    this.#left = bavail * bsize;
    this.#reserve = Math.min(RESERVE, blocks * bsize * RESERVED_SHARE);
  }
}

const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
