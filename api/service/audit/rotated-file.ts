import { createReadStream, statSync } from 'node:fs';
import { appendFile, chown, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { makeFolder } from '../../../pipeline/base/folders.js';

export interface RotationLimits {
  /** Size limit of one file, bytes: the line that exceeds it starts the next one. */
  readonly bytes: number;
  /** Number of retained files, including the current one; the oldest is deleted first. */
  readonly files: number;
}

/**
 * Lines in a file that only its owner can read. `audit.jsonl` is the current one, `audit.1.jsonl` the
 * previous one, and so on. Writes and reads take turns, so a reader sees each line once.
 */
export class RotatedFile {
  readonly #path: string;
  readonly #limits: RotationLimits;
  #turn: Promise<unknown> = Promise.resolve();

  /** @param path ends in `.jsonl` */
  constructor(path: string, limits: RotationLimits) {
    this.#path = path;
    this.#limits = limits;
    makeFolder(dirname(path));
  }

  /** Resolves once the line is in the file. @throws the system's error if it cannot be written */
  append(line: string): Promise<void> {
    return this.#inTurn(async () => {
      // Checked each time, because commands write beside a running csiflow.
      if (sizeOf(this.#path) >= this.#limits.bytes) await this.#rotate();
      const isNew = sizeOf(this.#path) === 0;
      await appendFile(this.#path, `${line}\n`, { mode: 0o600 });
      if (isNew) await leaveToOwner(this.#path);
    });
  }

  /** Shows all lines, oldest first. */
  read(look: (line: string) => void): Promise<void> {
    return this.#inTurn(async () => {
      for (let age = this.#limits.files - 1; age >= 0; age--) {
        const file = this.#file(age);
        if (sizeOf(file) === 0) continue;
        for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity }))
          look(line);
      }
    });
  }

  /** Waits for earlier operations. */
  async settled(): Promise<void> {
    await this.#turn;
  }

  async #rotate(): Promise<void> {
    await rm(this.#file(this.#limits.files - 1), { force: true });
    for (let age = this.#limits.files - 2; age >= 0; age--) {
      if (sizeOf(this.#file(age)) > 0) await rename(this.#file(age), this.#file(age + 1));
    }
  }

  #file(age: number): string {
    return age === 0 ? this.#path : this.#path.replace(/\.jsonl$/, `.${age}.jsonl`);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }
}

/** If root starts it from the command line, the account that runs csiflow could otherwise no longer write to it. */
async function leaveToOwner(file: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(file));
  await chown(file, uid, gid);
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
