import { statfsSync } from 'node:fs';
import { stateError } from './version.js';

/** Left free, bytes: more than a checkpoint takes. Of a small disk an eighth. */
const RESERVE = 16 * 2 ** 20;
const RESERVED_SHARE = 1 / 8;
/** The disk is asked again after so long, and after so many bytes. */
const ASK_EVERY_MS = 20;
const ASK_EVERY_BYTES = 2 ** 20;

/** What a file system says of itself. */
export type Ask = (folder: string) => {
  readonly bavail: number;
  readonly blocks: number;
  readonly bsize: number;
};

/**
 * Free space on the disk of the state. lmdb may end the whole process where a write finds none (seen with 3.5.6:
 * `free(): invalid pointer`), so it is not let come to that.
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

  /** Before a write of about so many bytes. @throws Error `state.write` where the disk is as good as full */
  require(bytes: number): void {
    const now = performance.now();
    this.#writtenSince += bytes;
    if (now - this.#askedAt >= ASK_EVERY_MS || this.#writtenSince >= ASK_EVERY_BYTES) this.#look(now);
    if (this.#left >= this.#reserve) return;
    throw stateError(
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
