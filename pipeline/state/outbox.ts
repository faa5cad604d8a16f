import type { Data } from '../model/index.js';
import { decode, encode, type StateStore, type Table } from './store.js';

/** Records that were written together, or are to be. */
export interface OutboxEntry {
  readonly number: number;
  /** Its records overtake those of all other entries. */
  readonly urgent: boolean;
  readonly epoch: number;
  readonly records: readonly Data[];
}

/** Epoch and count of an entry stand before its records. */
const HEADER_BYTES = 12;

/**
 * Records that a sink has taken over durably but not yet delivered: its store is away, or slow. Two lanes, each
 * in order: urgent entries come before all others. An entry is handed out by `next`, then `delivered` says that
 * the store took it and `flushed` that it is safe there; only then a checkpoint may `cut` it.
 */
export class Outbox {
  readonly #urgent: Lane;
  readonly #rest: Lane;
  #written: Promise<unknown> = Promise.resolve();

  constructor(store: StateStore, sink: string) {
    this.#urgent = new Lane(store.table(`outbox-urgent:${sink}`), true);
    this.#rest = new Lane(store.table(`outbox:${sink}`), false);
  }

  /** Records can be kept here. */
  get isAvailable(): boolean {
    return true;
  }

  /** Records that are not delivered. */
  get records(): number {
    return this.#urgent.records + this.#rest.records;
  }

  get hasUrgent(): boolean {
    return this.#urgent.records > 0;
  }

  /** Bytes on disk, those of delivered entries included until a checkpoint cuts them. */
  get bytes(): number {
    return this.#urgent.bytes + this.#rest.bytes;
  }

  /** Resolves with the entry's number when it is on disk. */
  async append(epoch: number, records: readonly Data[], urgent = false): Promise<number> {
    const lane = urgent ? this.#urgent : this.#rest;
    const { number, written } = lane.append(epoch, records);
    this.#written = written;
    await written;
    return number;
  }

  /** Resolves when all entries so far can be handed out. */
  async settled(): Promise<void> {
    await this.#written;
  }

  /** The next one that is not delivered; undefined where there is none that is on disk. */
  next(): OutboxEntry | undefined {
    return this.#urgent.next() ?? this.#rest.next();
  }

  /** What is not delivered, as it would be handed out. */
  *entries(): Generator<OutboxEntry> {
    yield* this.#urgent.entries();
    yield* this.#rest.entries();
  }

  /** The store took it. */
  delivered(entry: Pick<OutboxEntry, 'number' | 'urgent'>): void {
    this.#lane(entry).delivered(entry.number);
  }

  /** What was delivered is safe. */
  flushed(): void {
    this.#urgent.flushed();
    this.#rest.flushed();
  }

  /** What was delivered and not flushed is to be delivered again. */
  reset(): void {
    this.#urgent.reset();
    this.#rest.reset();
  }

  /** What `cut` is to forget, as it stands now: to be called within the transaction of a checkpoint. */
  cutter(): () => void {
    const cuts = [this.#urgent.cutter(), this.#rest.cutter()];
    return () => {
      for (const cut of cuts) cut();
    };
  }

  /** Forgets the oldest entry that is neither urgent nor handed out, and gives the number of its records. */
  async dropOldest(): Promise<number> {
    return this.#rest.dropOldest();
  }

  /** Forgets entries of later epochs: their input is read again. */
  async rewind(epoch: number): Promise<void> {
    await this.#urgent.rewind(epoch);
    await this.#rest.rewind(epoch);
  }

  #lane({ urgent }: Pick<OutboxEntry, 'urgent'>): Lane {
    return urgent ? this.#urgent : this.#rest;
  }
}

interface Figures {
  readonly number: number;
  readonly records: number;
  readonly bytes: number;
}

class Lane {
  readonly #table: Table;
  readonly #isUrgent: boolean;
  /** The newest one. */
  #last = 0;
  /** The newest one that was handed out. */
  #handedOut = 0;
  /** Up to it they were delivered. */
  #read = 0;
  /** Delivered ones that no checkpoint has cut, oldest first; of them so many are flushed. */
  #done: Figures[] = [];
  #flushed = 0;
  #current: Figures | undefined;
  /** Up to it they are forgotten. */
  #cut = 0;
  records = 0;
  bytes = 0;

  constructor(table: Table, urgent: boolean) {
    this.#table = table;
    this.#isUrgent = urgent;
    this.#count();
  }

  append(
    epoch: number,
    records: readonly Data[],
  ): { readonly number: number; readonly written: Promise<unknown> } {
    const number = ++this.#last;
    const content = encode(records);
    const value = Buffer.allocUnsafeSlow(HEADER_BYTES + content.length);
    value.writeDoubleLE(epoch, 0);
    value.writeUInt32LE(records.length, 8);
    value.set(content, HEADER_BYTES);
    this.records += records.length;
    this.bytes += value.length;
    return { number, written: this.#table.put(number, value) };
  }

  next(): OutboxEntry | undefined {
    if (this.records === 0) return undefined;
    for (const { key, value } of this.#table.getRange({ start: this.#read + 1, limit: 1 })) {
      const number = key as number;
      this.#handedOut = number;
      this.#current = { number, records: value.readUInt32LE(8), bytes: value.length };
      return this.#entry(number, value);
    }
    return undefined;
  }

  *entries(): Generator<OutboxEntry> {
    for (const { key, value } of this.#table.getRange({ start: this.#read + 1 }))
      yield this.#entry(key as number, value);
  }

  delivered(number: number): void {
    const current = this.#current;
    if (current?.number !== number) throw new Error(`entry ${number} was not handed out`);
    this.#current = undefined;
    this.#read = number;
    this.records -= current.records;
    this.#done.push(current);
  }

  flushed(): void {
    this.#flushed = this.#done.length;
  }

  reset(): void {
    for (const { records } of this.#done.splice(this.#flushed)) this.records += records;
    this.#read = this.#done.at(-1)?.number ?? this.#cut;
    this.#handedOut = this.#read;
  }

  cutter(): () => void {
    const cut = this.#done.slice(0, this.#flushed);
    return () => {
      for (const { number, bytes } of cut) {
        this.bytes -= bytes;
        this.#cut = number;
        void this.#table.remove(number);
      }
      this.#done = this.#done.slice(cut.length);
      this.#flushed -= cut.length;
    };
  }

  async dropOldest(): Promise<number> {
    for (const { key, value } of this.#table.getRange({
      start: Math.max(this.#read, this.#handedOut) + 1,
      limit: 1,
    })) {
      const records = value.readUInt32LE(8);
      this.records -= records;
      this.bytes -= value.length;
      await this.#table.remove(key);
      return records;
    }
    return 0;
  }

  async rewind(epoch: number): Promise<void> {
    const later: number[] = [];
    for (const { key, value } of this.#table.getRange({}))
      if (value.readDoubleLE(0) > epoch) later.push(key as number);
    await Promise.all(later.map((number) => this.#table.remove(number)));
    this.#count();
  }

  #entry(number: number, value: Buffer): OutboxEntry {
    const records = decode(Uint8Array.from(value.subarray(HEADER_BYTES))) as readonly Data[];
    return { number, urgent: this.#isUrgent, epoch: value.readDoubleLE(0), records };
  }

  #count(): void {
    this.records = 0;
    this.bytes = 0;
    for (const { key, value } of this.#table.getRange({})) {
      this.#last = Math.max(this.#last, key as number);
      this.records += value.readUInt32LE(8);
      this.bytes += value.length;
    }
  }
}
