import type { Position, RawBatch } from '../component/index.js';
import { Commits } from './commits.js';
import { decodeRaw, encodeRaw } from './raw-codec.js';
import { decode, encode, type StateStore, type Table } from './store.js';

/** An entry: at most 64 records of one source, and the source's position after them. */
export interface JournalEntry {
  /** Incremented per source, from 1. */
  readonly number: number;
  readonly raw: RawBatch;
  readonly position: Position;
  /** An entry without records: event time jumps here. */
  readonly anchor?: Anchor;
}

/** Where event time jumps because the system's clock was corrected. */
export interface Anchor {
  /** Shared by the journals of all sources concerned. */
  readonly id: number;
  /** Microseconds. */
  readonly by: number;
  /** Event time after it, microseconds since 1970. */
  readonly at: number;
}

/**
 * Raw input of one source that cannot be read again, stored until a checkpoint covers it. Writes are
 * committed in the background, in groups; only callers of {@link durable} wait for them.
 */
export class Journal {
  readonly #entries: Table;
  readonly #drops: Table;
  readonly #anchors: Table;
  readonly #commits: Commits;
  #last: number;
  #bytes = 0;

  /** @param fail called if the disk rejects a write: later entries could not be recovered */
  constructor(store: StateStore, source: string, fail: (error: Error) => void) {
    this.#entries = store.table(`journal:${source}`);
    this.#drops = store.table(`drops:${source}`);
    this.#anchors = store.table(`anchors:${source}`);
    this.#commits = new Commits(store, 'the journal', fail);
    this.#last = 0;
    for (const key of this.#entries.getKeys({ reverse: true, limit: 1 })) this.#last = key as number;
  }

  /** Numbers continue after `number`, also if the journal was cut up to it. */
  continueAfter(number: number): void {
    this.#last = Math.max(this.#last, number);
  }

  /** Bytes written since the last cut. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds a batch and gives the entry's number. */
  append(raw: RawBatch, position: Position): number {
    const number = ++this.#last;
    const tail = encode(position);
    const value = encodeRaw(raw, tail.length + 4);
    value.set(tail, value.length - tail.length - 4);
    value.writeUInt32LE(tail.length, value.length - 4);
    this.#bytes += value.length;
    this.#commits.add(() => this.#entries.put(number, value), value.length);
    return number;
  }

  /** Adds a mark that event time jumps here, and gives the entry's number. */
  anchor(anchor: Anchor, position: Position): number {
    const number = this.append(NO_RECORDS, position);
    const value = encode(anchor);
    this.#commits.add(() => this.#anchors.put(number, value), value.length);
    return number;
  }

  /** Entries `from` to `to` were dropped; a recovery drops them too. */
  drop(from: number, to: number): void {
    const value = encode(to);
    this.#commits.add(() => this.#drops.put(from, value), value.length);
  }

  /** Resolves when all writes so far are committed. */
  durable(): Promise<void> | undefined {
    return this.#commits.durable();
  }

  /** Entries after `number` up to the newest at the moment, oldest first, without dropped ones. */
  *after(number: number): Generator<JournalEntry> {
    const drops = [...this.#drops.getRange({})].map(({ key, value }) => ({
      from: key as number,
      to: decode(value) as number,
    }));
    const anchors = new Map(
      [...this.#anchors.getRange({})].map(({ key, value }) => [key, decode(value) as Anchor]),
    );
    const dropped = (entry: number) => drops.some(({ from, to }) => entry >= from && entry <= to);
    for (const { key, value } of this.#entries.getRange({
      start: number + 1,
      end: this.#last + 1,
      snapshot: false,
    })) {
      const anchor = anchors.get(key);
      if (dropped(key as number) && !anchor) continue;
      const entry = { number: key as number, position: positionOf(value), raw: decodeRaw(value) };
      yield anchor ? { ...entry, anchor } : entry;
    }
  }

  /** Position of the newest entry, and the time of its newest record; undefined for an empty journal. */
  newest(): { readonly position: Position; readonly time: number } | undefined {
    for (const { key, value } of this.#entries.getRange({ reverse: true, limit: 1 })) {
      const raw = decodeRaw(value);
      const anchor = this.#anchors.get(key);
      const time = anchor ? (decode(anchor) as Anchor).at : raw.time[raw.count - 1];
      return { position: positionOf(value), time: time ?? 0 };
    }
    return undefined;
  }

  /** Deletes entries up to `number`. Called within the transaction of a checkpoint. */
  cut(number: number): void {
    this.#bytes = 0;
    for (const key of this.#entries.getKeys({ end: number + 1 })) void this.#entries.remove(key);
    for (const key of this.#anchors.getKeys({ end: number + 1 })) void this.#anchors.remove(key);
    for (const { key, value } of this.#drops.getRange({ end: number + 1 })) {
      if ((decode(value) as number) <= number) void this.#drops.remove(key);
    }
  }
}

const NO_RECORDS: RawBatch = {
  count: 0,
  time: new Float64Array(0),
  offsets: new Uint32Array(1),
  bytes: new Uint8Array(0),
  sender: new Uint16Array(0),
  senders: [],
  origin: 'live',
};

/** The position follows the batch, and its length comes last. */
function positionOf(value: Buffer): Position {
  const length = value.readUInt32LE(value.length - 4);
  return decode(Uint8Array.from(value.subarray(value.length - 4 - length, value.length - 4)));
}
