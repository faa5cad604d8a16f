import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';
import { replaceFile } from '../../../pipeline/base/files.js';

/** Milliseconds between two looks for the results of other processes. */
const LOOK_MS = 100;

/** Thrown by a helper at the end of its share of a table: the main process has the results. */
export class Elsewhere extends Error {}

/**
 * Work that several processes share by way of a folder. Each runs the same measurement; the one that makes the folder
 * of an item does it, and leaves the result there. Results must be plain data. Each waits for the others: if one ends
 * early, the caller must end them all.
 */
export class SharedWork {
  readonly #folder: string;
  readonly #helps: boolean;
  /** The table of the next call; null: its call was made. */
  #table: string | null = null;

  /** @param helps this process does its share, and never sees the results of the others */
  constructor(folder: string, helps: boolean) {
    this.#folder = folder;
    this.#helps = helps;
  }

  /** A place for files that all processes read. */
  get folder(): string {
    return this.#folder;
  }

  /** The next call is that of a table. @param table a name that no other one has */
  begin(table: string): void {
    this.#table = table;
  }

  /**
   * Results of all items, in their order. The same call must be made in all processes.
   * @throws Elsewhere in a process that only helps: it sees no more of the table
   * @throws Error at a second call for a table, which helpers would not take part in
   */
  async each<T, R>(
    items: readonly T[],
    atOnce: number,
    work: (item: T, index: number) => Promise<R>,
  ): Promise<R[]> {
    const call = this.#table;
    if (call === null) throw new Error('a table shares its work in one call: put all items into it');
    this.#table = null;
    const own = Array.from({ length: Math.min(atOnce, items.length) }, () =>
      this.#doShare(call, items, work),
    );
    await Promise.all(own);
    if (this.#helps) throw new Elsewhere();
    const results: R[] = [];
    for (const index of items.keys()) results.push(await this.#result<R>(call, index));
    return results;
  }

  async #doShare<T, R>(
    call: string,
    items: readonly T[],
    work: (item: T, index: number) => Promise<R>,
  ): Promise<void> {
    for (const [index, item] of items.entries()) {
      if (!this.#claims(call, index)) continue;
      replaceFile(this.#file(call, index), serialize(await work(item, index)));
    }
  }

  /** Whether the item is this process's: `mkdir` fails in all others. */
  #claims(call: string, index: number): boolean {
    mkdirSync(join(this.#folder, call), { recursive: true });
    try {
      mkdirSync(join(this.#folder, call, String(index)));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
  }

  async #result<R>(call: string, index: number): Promise<R> {
    const file = this.#file(call, index);
    while (!existsSync(file)) {
      await setTimeout(LOOK_MS);
    }
    return deserialize(readFileSync(file)) as R;
  }

  #file(call: string, index: number): string {
    return join(this.#folder, call, String(index), 'result.v8');
  }
}
