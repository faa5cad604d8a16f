import { decode, encode, type StateStore, type Table } from './store.js';

/** A record that a node could not take, kept with its reason. */
export interface DeadLetter {
  readonly id: number;
  readonly node: string;
  /** `decode`, `process` or `write`. */
  readonly stage: string;
  readonly code: string;
  readonly reason: string;
  readonly record: unknown;
  /** Microseconds since 1970. */
  readonly at: number;
  readonly epoch: number;
}

/** Kept at most; the oldest go first. */
const LIMIT = 10_000;

/** A letter that takes more is kept without its record: a window of a large array can take megabytes. */
const LIMIT_BYTES = 65_536;

/** Dead letters of a topology. Bounded: what is pushed out is counted. */
export class DeadLetters {
  readonly #table: Table;
  #next = 1;
  #first = 1;
  /** The newest write: those before it are committed with it or earlier. */
  #written: Promise<unknown> = Promise.resolve();

  constructor(store: StateStore) {
    this.#table = store.table('dead-letters');
    for (const key of this.#table.getKeys({ limit: 1 })) this.#first = key as number;
    for (const key of this.#table.getKeys({ reverse: true, limit: 1 })) this.#next = (key as number) + 1;
    this.#first = Math.min(this.#first, this.#next);
  }

  get size(): number {
    return this.#table.getKeysCount();
  }

  add(letter: Omit<DeadLetter, 'id'>): void {
    this.#written = this.#table.put(this.#next++, bounded(letter));
    while (this.#next - this.#first > LIMIT) void this.#table.remove(this.#first++);
  }

  /** Resolves when all letters so far can be listed. */
  async settled(): Promise<void> {
    await this.#written;
  }

  /** Oldest first. */
  list(options: { readonly node?: string; readonly limit?: number } = {}): readonly DeadLetter[] {
    const found: DeadLetter[] = [];
    for (const { key, value } of this.#table.getRange({})) {
      const letter = decode(Uint8Array.from(value)) as Omit<DeadLetter, 'id'>;
      if (options.node === undefined || letter.node === options.node)
        found.push({ id: key as number, ...letter });
      if (found.length >= (options.limit ?? Infinity)) break;
    }
    return found;
  }

  async remove(id: number): Promise<void> {
    await this.#table.remove(id);
  }

  /** Forgets those of later epochs: their input is read again. */
  async rewind(epoch: number): Promise<void> {
    const later: number[] = [];
    for (const { key, value } of this.#table.getRange({})) {
      const letter = decode(Uint8Array.from(value)) as DeadLetter;
      if (letter.epoch > epoch) later.push(key as number);
    }
    await Promise.all(later.map((id) => this.#table.remove(id)));
  }
}

function bounded(letter: Omit<DeadLetter, 'id'>): Buffer {
  const value = encode(letter);
  if (value.length <= LIMIT_BYTES) return value;
  const { record } = letter;
  const port = typeof record === 'object' && record !== null && 'port' in record ? record.port : undefined;
  const reason = letter.reason.slice(0, 4096);
  return encode({ ...letter, reason, record: { ...(port ? { port } : {}), not_kept_bytes: value.length } });
}
