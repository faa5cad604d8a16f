import { Commits } from './commits.js';
import { decode, encode, type StateStore, type Table } from './store.js';

/** Records `from` to `to` of a node were shed, or were not. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly shed: boolean;
}

/**
 * Which records a node has shed since the last checkpoint. That depends on load, so a recovery cannot compute
 * it again: it follows this log, and decides for itself after its end.
 */
export class ShedLog {
  readonly #table: Table;
  readonly #commits: Commits;
  /** Decisions of the last run, oldest first. */
  readonly #logged: Stretch[];
  /** The newest record that is decided. */
  #through: number;
  #stretch: Stretch | undefined;

  /**
   * @param after the node continues after this record; null: it starts without state, and earlier decisions
   * are void
   * @param fail called if the disk rejects a write
   */
  constructor(store: StateStore, node: string, after: number | null, fail: (error: Error) => void) {
    this.#table = store.table(`shed:${node}`);
    this.#commits = new Commits(store, 'the log of what was shed', fail);
    if (after === null) {
      for (const key of this.#table.getKeys({})) this.#commits.add(() => this.#table.remove(key), 0);
    }
    this.#logged = after === null ? [] : [...this.#table.getRange({})].map(stretchOf);
    this.#through = Math.max(after ?? 0, this.#logged.at(-1)?.to ?? 0);
  }

  /** An earlier run's decision about a record; called in the order of their numbers. Undefined: none yet. */
  earlier(number: number): 'shed' | 'processed' | undefined {
    while (this.#logged.length > 0 && this.#logged[0]!.to < number) this.#logged.shift();
    const first = this.#logged[0];
    if (!first || first.from > number) return undefined;
    return first.shed ? 'shed' : 'processed';
  }

  /** Called for each record in order, before any of its results is sent. */
  decided(number: number, shed: boolean): void {
    if (number <= this.#through) return;
    this.#through = number;
    const last = this.#stretch;
    this.#stretch = last?.shed === shed ? { ...last, to: number } : { from: number, to: number, shed };
    const { from, to } = this.#stretch;
    const value = encode([to, shed]);
    this.#commits.add(() => this.#table.put(from, value), value.length);
  }

  /** A checkpoint covers all decisions so far; returns the function to call within its transaction. */
  barrier(number: number): () => void {
    this.#stretch = undefined;
    return () => {
      for (const key of this.#table.getKeys({ end: number + 1 })) void this.#table.remove(key);
    };
  }

  /** Resolves when all decisions are on disk. */
  durable(): Promise<void> | undefined {
    return this.#commits.durable();
  }
}

function stretchOf({ key, value }: { key: unknown; value: Uint8Array }): Stretch {
  const [to, shed] = decode(Uint8Array.from(value)) as [number, boolean];
  return { from: key as number, to, shed };
}
