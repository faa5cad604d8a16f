import { Commits } from './commits.js';
import { decode, encode, type StateStore, type Table } from './store.js';

/** Records `from` to `to` of a node were shed, or were not. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly shed: boolean;
}

/**
 * Which records a node has shed since the last checkpoint. Load decides that, so a recovery could not find it out
 * again: it follows this log, and decides anew from where the log ends.
 */
export class ShedLog {
  readonly #table: Table;
  readonly #commits: Commits;
  /** Of the last run, oldest first. */
  readonly #logged: Stretch[];
  /** The newest record that is decided. */
  #through: number;
  #stretch: Stretch | undefined;

  /**
   * @param after the node goes on behind this record; null: it begins anew, and what an earlier one decided is void
   * @param fail called where the disk refuses a write
   */
  constructor(store: StateStore, node: string, after: number | null, fail: (error: Error) => void) {
    this.#table = store.table(`shed:${node}`);
    this.#commits = new Commits('the log of what was shed', fail);
    if (after === null) {
      for (const key of this.#table.getKeys({})) this.#commits.track(this.#table.remove(key));
    }
    this.#logged = after === null ? [] : [...this.#table.getRange({})].map(stretchOf);
    this.#through = Math.max(after ?? 0, this.#logged.at(-1)?.to ?? 0);
  }

  /** What an earlier run decided of a record; asked in the order of their numbers. Undefined: nothing yet. */
  earlier(number: number): 'shed' | 'processed' | undefined {
    while (this.#logged.length > 0 && this.#logged[0]!.to < number) this.#logged.shift();
    const first = this.#logged[0];
    if (!first || first.from > number) return undefined;
    return first.shed ? 'shed' : 'processed';
  }

  /** Called for each record in order, before anything that comes of it is sent on. */
  decided(number: number, shed: boolean): void {
    if (number <= this.#through) return;
    this.#through = number;
    const last = this.#stretch;
    this.#stretch = last?.shed === shed ? { ...last, to: number } : { from: number, to: number, shed };
    const { from, to } = this.#stretch;
    this.#commits.track(this.#table.put(from, encode([to, shed])));
  }

  /** A checkpoint covers what was decided so far; gives what is to be done with its transaction. */
  barrier(number: number): () => void {
    this.#stretch = undefined;
    return () => {
      for (const key of this.#table.getKeys({ end: number + 1 })) void this.#table.remove(key);
    };
  }

  /** Resolves when all that was decided is on the disk. */
  durable(): Promise<void> | undefined {
    return this.#commits.durable(this.#commits.written);
  }
}

function stretchOf({ key, value }: { key: unknown; value: Uint8Array }): Stretch {
  const [to, shed] = decode(Uint8Array.from(value)) as [number, boolean];
  return { from: key as number, to, shed };
}
