import type { Data } from '../model/index.js';
import { decode, encode, type StateStore, type Table } from './store.js';

export interface OutboxEntry {
  readonly number: number;
  readonly epoch: number;
  readonly records: readonly Data[];
}

/** Records that a sink has taken over durably but not yet delivered: its store is away. */
export class Outbox {
  readonly #table: Table;
  #next = 1;
  #size = 0;

  constructor(store: StateStore, sink: string) {
    this.#table = store.table(`outbox:${sink}`);
    this.#read();
  }

  #read(): void {
    this.#size = 0;
    for (const entry of this.entries(0)) {
      this.#next = entry.number + 1;
      this.#size += entry.records.length;
    }
  }

  /** Records. */
  get size(): number {
    return this.#size;
  }

  async append(epoch: number, records: readonly Data[]): Promise<void> {
    this.#size += records.length;
    await this.#table.put(this.#next++, encode({ epoch, records }));
  }

  /** Entries after `number`, oldest first. */
  *entries(number: number): Generator<OutboxEntry> {
    for (const { key, value } of this.#table.getRange({ start: number + 1 })) {
      yield { number: key as number, ...(decode(Uint8Array.from(value)) as Omit<OutboxEntry, 'number'>) };
    }
  }

  /** Forgets entries up to `number`, which held `records` records; within the transaction of a checkpoint. */
  cut(number: number, records: number): void {
    this.#size -= records;
    for (const key of this.#table.getKeys({ end: number + 1 })) void this.#table.remove(key);
  }

  /** Forgets entries of later epochs: their input is read again. */
  async rewind(epoch: number): Promise<void> {
    const later = [...this.entries(0)].filter((entry) => entry.epoch > epoch);
    await Promise.all(later.map(({ number }) => this.#table.remove(number)));
    this.#read();
  }
}
