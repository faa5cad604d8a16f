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
  /** When it failed last, microseconds since 1970. */
  readonly at: number;
  /** Of its first failure. */
  readonly epoch: number;
  /** How often its node has refused it. */
  readonly attempts: number;
  /** A person wants it to be given to its node again; it is, at the latest by the next start. */
  readonly replayAsked: boolean;
}

/** One that has failed once. */
export type NewLetter = Omit<DeadLetter, 'id' | 'attempts' | 'replayAsked'>;

/** As it is kept: what a new one does not say has its default. */
type Kept = NewLetter & Partial<Pick<DeadLetter, 'attempts' | 'replayAsked'>>;

export interface LetterQuery {
  readonly node?: string;
  readonly limit?: number;
  readonly offset?: number;
}

/** How many are kept; the oldest go first. */
export interface LetterLimits {
  readonly count: number;
  readonly bytes: number;
}

const LIMITS: LetterLimits = { count: 100_000, bytes: 256 * 2 ** 20 };

/** A letter that takes more is kept without its record: a window of a large array can take megabytes. */
const LIMIT_BYTES = 65_536;

/** Dead letters of a topology. Bounded: what is pushed out is told. */
export class DeadLetters {
  readonly #table: Table;
  readonly #limits: LetterLimits;
  readonly #sizes = new Map<number, number>();
  #bytes = 0;
  #next = 1;
  /** The newest write: those before it are committed with it or earlier. */
  #written: Promise<unknown> = Promise.resolve();

  constructor(store: StateStore, limits: LetterLimits = LIMITS) {
    this.#table = store.table('dead-letters');
    this.#limits = limits;
    for (const { key, value } of this.#table.getRange({})) {
      this.#note(key as number, value.length);
      this.#next = (key as number) + 1;
    }
  }

  get size(): number {
    return this.#sizes.size;
  }

  /** Gives how many old ones were pushed out. */
  add(letter: NewLetter): number {
    const value = bounded(letter);
    const id = this.#next++;
    this.#note(id, value.length);
    this.#write(this.#table.put(id, value));
    let pushedOut = 0;
    for (const oldest of this.#sizes.keys()) {
      if (this.#sizes.size <= this.#limits.count && this.#bytes <= this.#limits.bytes) break;
      this.#forget(oldest);
      pushedOut++;
    }
    return pushedOut;
  }

  /** Resolves when all changes so far are committed. Rejects where the disk refuses. */
  async settled(): Promise<void> {
    await this.#written;
  }

  /** How many a query without `limit` and `offset` finds. */
  count({ node }: Pick<LetterQuery, 'node'> = {}): number {
    return node === undefined ? this.size : this.list({ node }).length;
  }

  /** Oldest first. */
  list({ node, limit = Infinity, offset = 0 }: LetterQuery = {}): readonly DeadLetter[] {
    const found: DeadLetter[] = [];
    let skipped = 0;
    for (const { key, value } of this.#table.getRange({})) {
      if (found.length >= limit) break;
      // One that was forgotten a moment ago may not be gone from the disk.
      if (!this.#sizes.has(key as number)) continue;
      if (node === undefined && skipped < offset) {
        skipped++;
        continue;
      }
      const letter = read(key as number, value);
      if (node !== undefined && letter.node !== node) continue;
      if (skipped < offset) skipped++;
      else found.push(letter);
    }
    return found;
  }

  get(id: number): DeadLetter | undefined {
    const value = this.#sizes.has(id) ? this.#table.get(id) : undefined;
    return value && read(id, value);
  }

  /** Marks letters to be given to their nodes again. */
  askReplay(ids: readonly number[]): void {
    for (const id of ids) this.#change(id, { replayAsked: true });
  }

  /** Those that were asked for and not yet taken, oldest first. */
  asked(): readonly DeadLetter[] {
    return this.list().filter(({ replayAsked }) => replayAsked);
  }

  /** Its node has refused it again. */
  failedAgain(id: number, failure: Pick<DeadLetter, 'code' | 'reason' | 'at'>): void {
    const attempts = (this.get(id)?.attempts ?? 0) + 1;
    this.#change(id, { ...failure, attempts, replayAsked: false });
  }

  /** It cannot be replayed. */
  refuseReplay(id: number): void {
    this.#change(id, { replayAsked: false });
  }

  /** Forgets letters; within a transaction, with it. */
  remove(ids: readonly number[]): void {
    for (const id of ids) if (this.#sizes.has(id)) this.#forget(id);
  }

  /** Forgets those that failed before a time, microseconds since 1970. */
  forgetBefore(time: number): void {
    const old: number[] = [];
    for (const { key, value } of this.#table.getRange({}))
      if (read(key as number, value).at < time) old.push(key as number);
    this.remove(old);
  }

  /** Forgets those of later epochs: their input is read again. */
  async rewind(epoch: number): Promise<void> {
    const later = this.list().filter((letter) => letter.epoch > epoch);
    this.remove(later.map(({ id }) => id));
    await this.settled();
  }

  #change(id: number, change: Partial<Omit<DeadLetter, 'id'>>): void {
    const letter = this.get(id);
    if (!letter) return;
    const value = bounded({ ...letter, ...change });
    this.#note(id, value.length);
    this.#write(this.#table.put(id, value));
  }

  #note(id: number, bytes: number): void {
    this.#bytes += bytes - (this.#sizes.get(id) ?? 0);
    this.#sizes.set(id, bytes);
  }

  #forget(id: number): void {
    this.#bytes -= this.#sizes.get(id) ?? 0;
    this.#sizes.delete(id);
    this.#write(this.#table.remove(id));
  }

  /** Nobody has to wait: what the disk refuses is told by `settled`, and the next checkpoint fails by it too. */
  #write(written: Promise<unknown>): void {
    this.#written = written;
    written.catch(() => undefined);
  }
}

function read(id: number, value: Uint8Array): DeadLetter {
  const kept = decode(Uint8Array.from(value)) as Kept;
  return { attempts: 1, replayAsked: false, ...kept, id };
}

function bounded(letter: Kept): Buffer {
  const value = encode(letter);
  if (value.length <= LIMIT_BYTES) return value;
  const { record } = letter;
  const port = typeof record === 'object' && record !== null && 'port' in record ? record.port : undefined;
  const reason = letter.reason.slice(0, 4096);
  return encode({ ...letter, reason, record: { ...(port ? { port } : {}), not_kept_bytes: value.length } });
}
