import type { DeadLetter, LetterQuery } from './dead-letter.js';
import { decode, encode, type StateStore, type Table } from './store.js';

/** A letter that has failed once. */
export type NewLetter = Omit<DeadLetter, 'id' | 'attempts' | 'replayAsked'>;

/** Its stored form: fields that a new letter lacks have defaults. */
type StoredLetter = NewLetter & Partial<Pick<DeadLetter, 'attempts' | 'replayAsked'>>;

/** Limit of stored letters; the oldest are dropped first. */
export interface LetterLimits {
  readonly count: number;
  readonly bytes: number;
}

const LIMITS: LetterLimits = { count: 100_000, bytes: 256 * 2 ** 20 };

/** A larger letter is stored without its record: a window of a large array can take megabytes. */
const LIMIT_BYTES = 65_536;

/** The fields that queries filter by, so that letters need not be read. */
interface Card {
  readonly node: string;
  readonly at: number;
  readonly epoch: number;
  readonly asked: boolean;
  /** Size of the letter. */
  readonly bytes: number;
}

const LETTERS = 'dead-letters';
const CARDS = 'dead-letter-cards';

/** In the table of cards: the number of the next letter. Cards have their letters' numbers from 1 on. */
const NEXT = 0;

/** Dead letters of a topology. Bounded: dropped letters are counted. A number is never reused. */
export class DeadLetters {
  readonly #table: Table;
  readonly #cardTable: Table;
  readonly #limits: LetterLimits;
  /** Oldest first. */
  readonly #cards = new Map<number, Card>();
  #bytes = 0;
  #next = 1;
  /** The newest write: earlier ones are committed with it or before. */
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

  /** Whether a store has letters yet. */
  static areIn({ tables }: Pick<StateStore, 'tables'>): boolean {
    return tables.includes(LETTERS) && tables.includes(CARDS);
  }

  get size(): number {
    return this.#cards.size;
  }

  /** Returns how many old ones were dropped. */
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

  /** Resolves when all changes so far are committed. Rejects if the disk does. */
  async settled(): Promise<void> {
    await this.#written;
  }

  /** Number of results of a query without `limit` and `offset`. */
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

  /** Marks letters for replay. */
  askReplay(ids: readonly number[]): void {
    for (const id of ids) this.#change(id, { replayAsked: true });
  }

  /** Letters marked for replay and not yet replayed, oldest first; with `partition`, only of that one. */
  asked(partition?: number): readonly DeadLetter[] {
    const asked = this.#idsOf((card) => card.asked).flatMap((id) => this.get(id) ?? []);
    return partition === undefined ? asked : asked.filter((letter) => letter.partition === partition);
  }

  /** Its node has rejected it again. */
  failedAgain(id: number, failure: Pick<DeadLetter, 'code' | 'reason' | 'at'>): void {
    const attempts = (this.get(id)?.attempts ?? 0) + 1;
    this.#change(id, { ...failure, attempts, replayAsked: false });
  }

  /** It cannot be replayed. */
  refuseReplay(id: number): void {
    this.#change(id, { replayAsked: false });
  }

  /** Deletes letters, within a transaction if given. */
  remove(ids: readonly number[]): void {
    for (const id of ids) if (this.#cards.has(id)) this.#forget(id);
  }

  /** Deletes letters that failed before a time, microseconds since 1970. */
  forgetBefore(time: number): void {
    this.remove(this.#idsOf(({ at }) => at < time));
  }

  /** Deletes letters of later epochs: their input is read again. */
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

  /** Letters of the first version have no card: the letter itself is read. */
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

  /** No caller has to wait: `settled` reports a rejected write, which also fails the next checkpoint. */
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
