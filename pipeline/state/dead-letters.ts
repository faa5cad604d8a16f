import { decode, encode, type StateStore, type Table } from './store.js';

/** A record that a node could not take, with its reason. */
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
  /** Where the topology is scaled out: of the source, whose shard's node it is. */
  readonly partition?: number;
}

/** One that has failed once. */
export type NewLetter = Omit<DeadLetter, 'id' | 'attempts' | 'replayAsked'>;

/** As it is stored: what a new one does not say has its default. */
type StoredLetter = NewLetter & Partial<Pick<DeadLetter, 'attempts' | 'replayAsked'>>;

export interface LetterQuery {
  readonly node?: string;
  readonly limit?: number;
  readonly offset?: number;
}

/** How many are stored; the oldest go first. */
export interface LetterLimits {
  readonly count: number;
  readonly bytes: number;
}

const LIMITS: LetterLimits = { count: 100_000, bytes: 256 * 2 ** 20 };

/** A letter that takes more is stored without its record: a window of a large array can take megabytes. */
const LIMIT_BYTES = 65_536;

/** What queries ask for, so that letters need not be read for it. */
interface Card {
  readonly node: string;
  readonly at: number;
  readonly epoch: number;
  readonly asked: boolean;
  /** Of the letter. */
  readonly bytes: number;
}

const LETTERS = 'dead-letters';
const CARDS = 'dead-letter-cards';

/** In the table of cards: the number of the next letter. Cards have their letters' numbers from 1 on. */
const NEXT = 0;

/** Dead letters of a topology. Bounded: what is pushed out is told. A number is never used for a second letter. */
export class DeadLetters {
  readonly #table: Table;
  readonly #cardTable: Table;
  readonly #limits: LetterLimits;
  /** Oldest first. */
  readonly #cards = new Map<number, Card>();
  #bytes = 0;
  #next = 1;
  /** The newest write: those before it are committed with it or earlier. */
  #written: Promise<unknown> = Promise.resolve();

  constructor(store: Pick<StateStore, 'table'>, limits: LetterLimits = LIMITS) {
    this.#table = store.table(LETTERS);
    this.#cardTable = store.table(CARDS);
    this.#limits = limits;
    const next = this.#cardTable.get(NEXT);
    if (next) this.#next = decode(Uint8Array.from(next)) as number;
    for (const key of this.#table.getKeys({})) {
      const id = key as number;
      this.#note(id, this.#cardOf(id));
      this.#next = Math.max(this.#next, id + 1);
    }
  }

  /** Whether a store holds any yet, so that they can be looked at. */
  static areIn({ tables }: Pick<StateStore, 'tables'>): boolean {
    return tables.includes(LETTERS) && tables.includes(CARDS);
  }

  get size(): number {
    return this.#cards.size;
  }

  /** Gives how many old ones were pushed out. */
  add(letter: NewLetter): number {
    const id = this.#next++;
    this.#write(this.#cardTable.put(NEXT, encode(this.#next)));
    this.#put(id, letter);
    let pushedOut = 0;
    for (const oldest of this.#cards.keys()) {
      if (this.#cards.size <= this.#limits.count && this.#bytes <= this.#limits.bytes) break;
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
    return node === undefined ? this.size : this.#idsOf((card) => card.node === node).length;
  }

  /** Oldest first. */
  list({ node, limit = Infinity, offset = 0 }: LetterQuery = {}): readonly DeadLetter[] {
    return this.#idsOf((card) => node === undefined || card.node === node)
      .slice(offset, offset + limit)
      .flatMap((id) => this.get(id) ?? []);
  }

  get(id: number): DeadLetter | undefined {
    const value = this.#cards.has(id) ? this.#table.get(id) : undefined;
    return value && read(id, value);
  }

  /** Marks letters to be given to their nodes again. */
  askReplay(ids: readonly number[]): void {
    for (const id of ids) this.#change(id, { replayAsked: true });
  }

  /** Those that were asked for and not yet taken, oldest first; with `partition`, of that one alone. */
  asked(partition?: number): readonly DeadLetter[] {
    const asked = this.#idsOf((card) => card.asked).flatMap((id) => this.get(id) ?? []);
    return partition === undefined ? asked : asked.filter((letter) => letter.partition === partition);
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
    for (const id of ids) if (this.#cards.has(id)) this.#forget(id);
  }

  /** Forgets those that failed before a time, microseconds since 1970. */
  forgetBefore(time: number): void {
    this.remove(this.#idsOf(({ at }) => at < time));
  }

  /** Forgets those of later epochs: their input is read again. */
  async rewind(epoch: number): Promise<void> {
    this.remove(this.#idsOf((card) => card.epoch > epoch));
    await this.settled();
  }

  #idsOf(isWanted: (card: Card) => boolean): readonly number[] {
    return [...this.#cards].filter(([, card]) => isWanted(card)).map(([id]) => id);
  }

  #change(id: number, change: Partial<Omit<DeadLetter, 'id'>>): void {
    const letter = this.get(id);
    if (letter) this.#put(id, { ...letter, ...change });
  }

  #put(id: number, letter: StoredLetter): void {
    const value = bounded(letter);
    const card = cardOf(letter, value.length);
    this.#note(id, card);
    this.#write(this.#cardTable.put(id, encode(card)));
    this.#write(this.#table.put(id, value));
  }

  /** What the first csiflow stored has no card: the letter itself is read. */
  #cardOf(id: number): Card {
    const card = this.#cardTable.get(id);
    if (card) return decode(Uint8Array.from(card)) as Card;
    const value = this.#table.get(id)!;
    return cardOf(read(id, value), value.length);
  }

  #note(id: number, card: Card): void {
    this.#bytes += card.bytes - (this.#cards.get(id)?.bytes ?? 0);
    this.#cards.set(id, card);
  }

  #forget(id: number): void {
    this.#bytes -= this.#cards.get(id)?.bytes ?? 0;
    this.#cards.delete(id);
    this.#write(this.#cardTable.remove(id));
    this.#write(this.#table.remove(id));
  }

  /** Nobody has to wait: what the disk refuses is told by `settled`, and the next checkpoint fails by it too. */
  #write(written: Promise<unknown>): void {
    this.#written = written;
    written.catch(() => undefined);
  }
}

const cardOf = ({ node, at, epoch, replayAsked = false }: StoredLetter, bytes: number): Card => ({
  node,
  at,
  epoch,
  asked: replayAsked,
  bytes,
});

function read(id: number, value: Uint8Array): DeadLetter {
  const stored = decode(Uint8Array.from(value)) as StoredLetter;
  return { attempts: 1, replayAsked: false, ...stored, id };
}

function bounded(letter: StoredLetter): Buffer {
  const value = encode(letter);
  if (value.length <= LIMIT_BYTES) return value;
  const { record } = letter;
  const port = typeof record === 'object' && record !== null && 'port' in record ? record.port : undefined;
  const reason = letter.reason.slice(0, 4096);
  return encode({ ...letter, reason, record: { ...(port ? { port } : {}), not_kept_bytes: value.length } });
}
