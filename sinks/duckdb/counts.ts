import type { Conditions } from './conditions.js';
import type { Parameters } from './parameters.js';

/** Counts that are cached, and queries whose landmarks are; the oldest entry is evicted first. */
const MAX_COUNTS = 256;
const MAX_QUERIES = 64;
/** Landmarks of a query; the oldest is evicted first. */
const MAX_LANDMARKS = 512;

/** So many rows of a query have an earlier time, in microseconds since 1970; `Infinity`: all rows. */
export interface Landmark {
  readonly time: number;
  readonly rows: number;
}

/**
 * Caches counts of rows: counting millions of rows takes longer than reading a page, and clients that read
 * page by page request the same count with each. Counts of the rows before a time survive commits of later
 * rows; all others last until the next commit.
 */
export class Counts {
  readonly #counts = new Map<string, number>();
  readonly #queries = new Map<string, Map<number, number>>();
  #changing = 0;
  #version = 0;

  /** The result of a query that counts, from the cache or from `count`. */
  async of(sql: string, parameters: Parameters, count: () => Promise<number>): Promise<number> {
    const key = keyOf(sql, parameters);
    const known = this.#counts.get(key);
    if (known !== undefined) return known;
    const version = this.#version;
    const found = await count();
    // It may lack what was committed meanwhile.
    if (version === this.#version) store(this.#counts, key, found, MAX_COUNTS);
    return found;
  }

  /**
   * The landmarks of a query, in the current state of the store.
   * @param conditions without an end of the range
   */
  landmarks(table: string, { where, parameters }: Conditions): Landmarks {
    const version = this.#version;
    const key = keyOf(`${table} ${where}`, parameters);
    return new Landmarks(
      () => {
        if (version !== this.#version || this.#changing > 0) return null;
        return this.#queries.get(key) ?? new Map<number, number>();
      },
      (rows) => {
        store(this.#queries, key, rows, MAX_QUERIES);
      },
    );
  }

  /**
   * Call around everything that changes rows of pose frames or persons.
   * @param change resolves to the time of the first row that has changed, in microseconds since 1970
   */
  async during(change: () => Promise<number>): Promise<void> {
    this.#changing++;
    let from = -Infinity;
    try {
      from = await change();
    } finally {
      this.#changing--;
      this.forget(from);
    }
  }

  /** Call after a commit: the rows have changed. @param from first time of a pose frame or person that has */
  forget(from = -Infinity): void {
    this.#version++;
    this.#counts.clear();
    for (const [key, rows] of this.#queries) {
      for (const time of rows.keys()) if (time > from) rows.delete(time);
      if (rows.size === 0) this.#queries.delete(key);
    }
  }
}

/** Landmarks of a query in one state of the store, for queries in a transaction that begins after they were asked for. */
export class Landmarks {
  readonly #rows: () => Map<number, number> | null;
  readonly #store: (rows: Map<number, number>) => void;

  constructor(rows: () => Map<number, number> | null, store: (rows: Map<number, number>) => void) {
    this.#rows = rows;
    this.#store = store;
  }

  /** False once the store has changed: they may not be those of a transaction that begins now. */
  get areCurrent(): boolean {
    return this.#rows() !== null;
  }

  /** Empty once the store has changed. */
  get all(): readonly Landmark[] {
    return Array.from(this.#rows() ?? [], ([time, rows]) => ({ time, rows }));
  }

  add({ time, rows }: Landmark): void {
    const known = this.#rows();
    if (!known) return;
    store(known, time, rows, MAX_LANDMARKS);
    this.#store(known);
  }
}

const keyOf = (sql: string, parameters: Parameters): string =>
  JSON.stringify([sql, parameters], (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );

function store<K, V>(map: Map<K, V>, key: K, value: V, most: number): void {
  map.set(key, value);
  if (map.size > most) map.delete(map.keys().next().value!);
}
