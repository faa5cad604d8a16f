import type { Data } from '../model/index.js';
import { decode, encode, type StateStore, type Table } from './store.js';

/** Alerts come first, then what is to be written once more, then all else. */
export type OutboxLane = 'urgent' | 'again' | 'rest';

/** Records that were written together, or are to be. */
export interface OutboxEntry {
  readonly lane: OutboxLane;
  /** Counts up in its lane. */
  readonly number: number;
  readonly epoch: number;
  readonly records: readonly Data[];
}

/** Epoch and count of an entry stand before its records. */
const HEADER_BYTES = 12;

/**
 * Records that a sink has taken over durably but not yet delivered: its store is away, or slow. An
 * entry is handed out by `next`, then `delivered` says that
 * the store took it and `flushed` that it is safe there; only then a checkpoint may `cut` it.
 */
export class Outbox {
  /** In the order in which they are handed out; each is in order itself. */
  readonly #lanes: Readonly<Record<OutboxLane, Lane>>;
  readonly #all: readonly Lane[];
  #written: Promise<unknown> = Promise.resolve();

  constructor(store: StateStore, sink: string) {
    this.#lanes = {
      urgent: new Lane(store.table(`outbox-urgent:${sink}`), 'urgent'),
      again: new Lane(store.table(`outbox-again:${sink}`), 'again'),
      rest: new Lane(store.table(`outbox:${sink}`), 'rest'),
    };
    this.#all = Object.values(this.#lanes);
  }

  /** Records can be kept here. */
  get isAvailable(): boolean {
    return true;
  }

  /** Records that are not delivered. */
  get records(): number {
    return this.#all.reduce((sum, { records }) => sum + records, 0);
  }

  get hasUrgent(): boolean {
    return this.#lanes.urgent.records > 0;
  }

  /** Bytes on disk, those of delivered entries included until a checkpoint cuts them. */
  get bytes(): number {
    return this.#all.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Resolves when the entry is on disk. */
  async append(epoch: number, records: readonly Data[], lane: OutboxLane = 'rest'): Promise<void> {
    const written = this.#lanes[lane].append(epoch, records);
    this.#written = written;
    await written;
  }

  /** Resolves when all entries so far can be handed out. */
  async settled(): Promise<void> {
    await this.#written;
  }

  /** The next one that is not delivered; undefined where there is none that is on disk. */
  next(): OutboxEntry | undefined {
    for (const lane of this.#all) {
      const entry = lane.next();
      if (entry) return entry;
    }
    return undefined;
  }

  /** Epoch of the oldest entry that no checkpoint has cut, delivered or not; Infinity where there is none. */
  get oldestEpoch(): number {
    return Math.min(...this.#all.map((lane) => lane.oldestEpoch));
  }

  /** What is not delivered, as it would be handed out. */
  *entries(): Generator<OutboxEntry> {
    for (const lane of this.#all) yield* lane.entries();
  }

  /** The store took it. */
  delivered({ lane, number }: Pick<OutboxEntry, 'number' | 'lane'>): void {
    this.#lanes[lane].delivered(number);
  }

  /** What was delivered is safe. */
  flushed(): void {
    for (const lane of this.#all) lane.flushed();
  }

  /** What was delivered and not flushed is to be delivered again. */
  reset(): void {
    for (const lane of this.#all) lane.reset();
  }

  /** What a checkpoint is to forget, as it stands now: to be called within its transaction. */
  cutter(): () => void {
    const cuts = this.#all.map((lane) => lane.cutter());
    return () => {
      for (const cut of cuts) cut();
    };
  }

  /** Forgets the oldest entry of the last lane that was not handed out, and gives the number of its records. */
  async dropOldest(): Promise<number> {
    return this.#lanes.rest.dropOldest();
  }

  /** Forgets entries that were not handed out and whose newest record lies before a time, and gives the number of their records. */
  async dropBefore(time: number): Promise<number> {
    let dropped = 0;
    for (const lane of this.#all) dropped += await lane.dropBefore(time);
    return dropped;
  }

  /** Forgets entries of later epochs: their input is read again. */
  async rewind(epoch: number): Promise<void> {
    for (const lane of this.#all) await lane.rewind(epoch);
  }
}

interface Figures {
  readonly number: number;
  readonly records: number;
  readonly bytes: number;
}

/** Event time of a record; of the last frame, where it has several. */
function newestOf(record: Data): number {
  if (record.port === 'csi') return record.time[record.count - 1] ?? -Infinity;
  return record.port === 'window' ? record.start + record.step * record.points : record.time;
}

class Lane {
  readonly #table: Table;
  readonly #name: OutboxLane;
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
  /** Being removed from the disk, and not handed out meanwhile. */
  readonly #dropping = new Set<number>();
  records = 0;
  bytes = 0;

  constructor(table: Table, name: OutboxLane) {
    this.#table = table;
    this.#name = name;
    this.#count();
  }

  append(epoch: number, records: readonly Data[]): Promise<unknown> {
    const number = ++this.#last;
    const content = encode(records);
    const value = Buffer.allocUnsafeSlow(HEADER_BYTES + content.length);
    value.writeDoubleLE(epoch, 0);
    value.writeUInt32LE(records.length, 8);
    value.set(content, HEADER_BYTES);
    this.records += records.length;
    this.bytes += value.length;
    return this.#table.put(number, value);
  }

  next(): OutboxEntry | undefined {
    if (this.records === 0) return undefined;
    for (const { key, value } of this.#table.getRange({ start: this.#read + 1 })) {
      const number = key as number;
      if (this.#dropping.has(number)) continue;
      this.#handedOut = number;
      this.#current = { number, records: value.readUInt32LE(8), bytes: value.length };
      return this.#entry(number, value);
    }
    return undefined;
  }

  get oldestEpoch(): number {
    for (const { value } of this.#table.getRange({ start: this.#cut + 1, limit: 1 }))
      return value.readDoubleLE(0);
    return Infinity;
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
    const oldest = this.#oldest();
    return oldest ? this.#drop(oldest) : 0;
  }

  async dropBefore(time: number): Promise<number> {
    let dropped = 0;
    for (let oldest = this.#oldest(); oldest; oldest = this.#oldest()) {
      const { records } = this.#entry(oldest.number, oldest.value);
      if (records.some((record) => newestOf(record) >= time)) break;
      dropped += await this.#drop(oldest);
    }
    return dropped;
  }

  /** That was not handed out. */
  #oldest(): { readonly number: number; readonly value: Buffer } | undefined {
    const start = Math.max(this.#read, this.#handedOut) + 1;
    for (const { key, value } of this.#table.getRange({ start }))
      if (!this.#dropping.has(key as number)) return { number: key as number, value };
    return undefined;
  }

  async #drop({ number, value }: { readonly number: number; readonly value: Buffer }): Promise<number> {
    const records = value.readUInt32LE(8);
    this.records -= records;
    this.bytes -= value.length;
    this.#dropping.add(number);
    await this.#table.remove(number).finally(() => this.#dropping.delete(number));
    return records;
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
    return { number, lane: this.#name, epoch: value.readDoubleLE(0), records };
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
