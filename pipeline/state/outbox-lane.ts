import { SEVERITIES, type Data } from '../model/index.js';
import { decode, encode, type Table } from './store.js';

/** Urgent alerts, other alerts, records to write again, then the rest. */
export type OutboxLane = 'severe' | 'urgent' | 'again' | 'rest';

/** The lane of a new record: among many waiting alerts, a fall goes first. */
export function laneOf(record: Data): 'severe' | 'urgent' | 'rest' {
  if (record.port !== 'event') return 'rest';
  return SEVERITIES.indexOf(record.severity) >= SEVERITIES.indexOf('high') ? 'severe' : 'urgent';
}

/** Records to write together: those of an entry that the store has not accepted yet. */
export interface OutboxEntry {
  readonly lane: OutboxLane;
  /** Incremented in its lane. */
  readonly number: number;
  readonly epoch: number;
  readonly records: readonly Data[];
  /** How often it was given back. */
  readonly tries: number;
}

/** Epoch and count of an entry stand before its records. */
const HEADER_BYTES = 12;

/** An entry that was handed out at least once. */
interface Known {
  readonly number: number;
  /** Number of records of the whole entry. */
  readonly records: number;
  readonly bytes: number;
  readonly tries: number;
  /** The records that the store has not accepted, in their next order; null: all of them. */
  readonly left: readonly Data[] | null;
  /** Not handed out before this time, monotonic milliseconds. */
  readonly due: number;
}

/** Event time of a record; of its last frame if it has several. */
function newestOf(record: Data): number {
  if (record.port === 'csi') return record.time[record.count - 1] ?? -Infinity;
  return record.port === 'window' ? record.start + record.step * record.points : record.time;
}

/** One lane of an outbox. Its entries are handed out in order; those that are given back come again when they are due. */
export class Lane {
  readonly #table: Table;
  readonly #name: OutboxLane;
  /** The newest one. */
  #last = 0;
  /** The newest one that was handed out. */
  #handedOut = 0;
  readonly #out = new Map<number, Known>();
  /** Handed out when they were added, and not processed since. */
  readonly #held = new Set<number>();
  /** Given back, by number. */
  #back: Known[] = [];
  /** Delivered, but not cut yet. */
  readonly #done = new Set<Known>();
  readonly #flushed = new Set<Known>();
  /** Being removed from the disk. */
  readonly #leaving = new Set<number>();
  records = 0;
  bytes = 0;
  /** What entries that are delivered, but not cut yet, occupy. */
  deliveredBytes = 0;

  constructor(table: Table, name: OutboxLane) {
    this.#table = table;
    this.#name = name;
    this.#count();
  }

  append(epoch: number, records: readonly Data[]): Promise<unknown> {
    const { number, value } = this.#add(epoch, records);
    return this.#table.put(number, value);
  }

  /** Adds an entry that counts as handed out already. */
  async hold(epoch: number, records: readonly Data[]): Promise<OutboxEntry> {
    const { number, value } = this.#add(epoch, records);
    this.#held.add(number);
    this.#out.set(number, fresh(number, value));
    await this.#table.put(number, value);
    return { lane: this.#name, number, epoch, records, tries: 0 };
  }

  #add(epoch: number, records: readonly Data[]): { readonly number: number; readonly value: Buffer } {
    const number = ++this.#last;
    const content = encode(records);
    const value = Buffer.allocUnsafeSlow(HEADER_BYTES + content.length);
    value.writeDoubleLE(epoch, 0);
    value.writeUInt32LE(records.length, 8);
    value.set(content, HEADER_BYTES);
    this.records += records.length;
    this.bytes += value.length;
    return { number, value };
  }

  /** @param most limit of records, but at least one entry; only of those on disk */
  take(most: number, now: number): readonly OutboxEntry[] {
    const taken: OutboxEntry[] = [];
    let left = most;
    for (const entry of this.#ready(now)) {
      taken.push(entry);
      left -= entry.records.length;
      if (left <= 0) break;
    }
    return taken;
  }

  /** When the next entry that was given back is due; Infinity if there is none. */
  get nextDue(): number {
    return this.#back.reduce((first, { due }) => Math.min(first, due), Infinity);
  }

  /** @param left the records that the store has not accepted @param due monotonic milliseconds */
  giveBack(number: number, left: readonly Data[], due: number): void {
    const known = this.#settle(number);
    const after = this.#back.findIndex((one) => one.number > number);
    const tries = known.tries + 1;
    this.#back.splice(after < 0 ? this.#back.length : after, 0, { ...known, tries, due, left });
  }

  delivered(number: number): Known {
    const known = this.#settle(number);
    this.records -= known.records;
    this.deliveredBytes += known.bytes;
    this.#done.add(known);
    return known;
  }

  /** It is delivered and safe. */
  safe(number: number): void {
    this.#flushed.add(this.delivered(number));
  }

  get oldestEpoch(): number {
    for (const key of this.#table.getKeys({})) {
      const value = this.#leaving.has(key as number) ? undefined : this.#table.get(key);
      if (value) return value.readDoubleLE(0);
    }
    return Infinity;
  }

  *entries(): Generator<OutboxEntry> {
    const done = new Set([...this.#done].map(({ number }) => number));
    for (const { key, value } of this.#table.getRange({})) {
      const number = key as number;
      if (!done.has(number) && !this.#leaving.has(number)) yield this.#entry(number, value);
    }
  }

  /** To be called once everything delivered by now is safe. */
  marker(): () => void {
    const done = [...this.#done];
    return () => {
      for (const one of done) if (this.#done.has(one)) this.#flushed.add(one);
    };
  }

  reset(): void {
    for (const one of this.#done) {
      if (this.#flushed.has(one)) continue;
      this.#done.delete(one);
      this.records += one.records;
      this.deliveredBytes -= one.bytes;
      this.#back.push({ ...one, left: null, due: 0 });
    }
    this.#back.sort((one, other) => one.number - other.number);
  }

  cutter(): () => void {
    const cut = new Set(this.#flushed);
    return () => {
      for (const one of cut) {
        this.bytes -= one.bytes;
        this.deliveredBytes -= one.bytes;
        this.#flushed.delete(one);
        this.#done.delete(one);
        // If it fails, so does the transaction, whose caller waits.
        this.#remove(one.number).catch(() => undefined);
      }
    };
  }

  async dropOldest(): Promise<number> {
    const oldest = this.#oldest();
    return oldest ? this.#drop(oldest) : 0;
  }

  async dropBefore(time: number): Promise<number> {
    let dropped = 0;
    for (let oldest = this.#oldest(); oldest; oldest = this.#oldest()) {
      const { records } = this.#entry(oldest.number, this.#table.get(oldest.number)!);
      if (records.some((record) => newestOf(record) >= time)) break;
      dropped += await this.#drop(oldest);
    }
    return dropped;
  }

  async rewind(epoch: number): Promise<void> {
    const later: number[] = [];
    for (const { key, value } of this.#table.getRange({}))
      if (value.readDoubleLE(0) > epoch) later.push(key as number);
    await Promise.all(later.map((number) => this.#table.remove(number)));
    this.#count();
  }

  *#ready(now: number): Generator<OutboxEntry> {
    for (const known of this.#back.filter(({ due }) => due <= now)) {
      this.#back.splice(this.#back.indexOf(known), 1);
      this.#out.set(known.number, known);
      const { records, ...entry } = this.#entry(known.number, this.#table.get(known.number)!);
      yield { ...entry, records: known.left ?? records, tries: known.tries };
    }
    if (this.records === 0) return;
    for (const { key, value } of this.#table.getRange({ start: this.#handedOut + 1 })) {
      const number = key as number;
      if (this.#leaving.has(number)) continue;
      this.#handedOut = number;
      if (this.#held.delete(number)) continue;
      this.#out.set(number, fresh(number, value));
      yield this.#entry(number, value);
    }
  }

  #settle(number: number): Known {
    const known = this.#out.get(number);
    if (!known) throw new Error(`entry ${number} was not handed out`);
    this.#out.delete(number);
    return known;
  }

  /** That is not handed out now. */
  #oldest(): Known | undefined {
    if (this.#back[0]) return this.#back[0];
    for (const { key, value } of this.#table.getRange({ start: this.#handedOut + 1 }))
      if (!this.#leaving.has(key as number) && !this.#held.has(key as number))
        return fresh(key as number, value);
    return undefined;
  }

  async #drop({ number, records, bytes }: Known): Promise<number> {
    this.#back = this.#back.filter((one) => one.number !== number);
    this.records -= records;
    this.bytes -= bytes;
    await this.#remove(number);
    return records;
  }

  /** Hidden from now on, although it remains on disk for a moment. */
  async #remove(number: number): Promise<void> {
    this.#leaving.add(number);
    this.#held.delete(number);
    await this.#table.remove(number).finally(() => this.#leaving.delete(number));
  }

  #entry(number: number, value: Buffer): OutboxEntry {
    const records = decode(Uint8Array.from(value.subarray(HEADER_BYTES))) as readonly Data[];
    return { number, lane: this.#name, epoch: value.readDoubleLE(0), records, tries: 0 };
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

const fresh = (number: number, value: Buffer): Known => ({
  number,
  records: value.readUInt32LE(8),
  bytes: value.length,
  tries: 0,
  left: null,
  due: 0,
});
