import { open, readdir, readFile, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../pipeline/telemetry/folders.js';
import type { Addressed } from './writer.js';

/** Messages that wait for their checkpoint, or for the brokers: a file for each epoch, a line for each message. */
export class Spool {
  readonly #folder: string;
  readonly #epochs = new Set<number>();
  #current: { readonly epoch: number; readonly file: FileHandle } | null = null;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async open(): Promise<void> {
    makeFolder(this.#folder);
    for (const name of await readdir(this.#folder)) {
      const epoch = Number(/^(\d+)\.ndjson$/.exec(name)?.[1] ?? NaN);
      if (!Number.isNaN(epoch)) this.#epochs.add(epoch);
    }
  }

  /** Epochs that have messages, oldest first. */
  get epochs(): readonly number[] {
    return [...this.#epochs].sort((a, b) => a - b);
  }

  /** All of them, or none: what a full disk took of them is taken back. */
  async append(epoch: number, messages: readonly Addressed[]): Promise<void> {
    if (this.#current?.epoch !== epoch) {
      await this.#close();
      this.#epochs.add(epoch);
      this.#current = { epoch, file: await open(this.#path(epoch), 'a') };
    }
    const { file } = this.#current;
    const { size } = await file.stat();
    try {
      await file.appendFile(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
    } catch (error) {
      await file.truncate(size);
      throw error;
    }
  }

  /** After it all that was appended survives a crash. */
  async flush(): Promise<void> {
    await this.#current?.file.sync();
  }

  async read(epoch: number): Promise<readonly Addressed[]> {
    const lines = (await readFile(this.#path(epoch), 'utf8')).split('\n');
    return lines.slice(0, -1).map((line) => JSON.parse(line) as Addressed);
  }

  async remove(epoch: number): Promise<void> {
    if (this.#current?.epoch === epoch) await this.#close();
    await rm(this.#path(epoch), { force: true });
    this.#epochs.delete(epoch);
  }

  async close(): Promise<void> {
    await this.flush();
    await this.#close();
  }

  async #close(): Promise<void> {
    const file = this.#current?.file;
    this.#current = null;
    await file?.close();
  }

  #path(epoch: number): string {
    return join(this.#folder, `${epoch}.ndjson`);
  }
}
