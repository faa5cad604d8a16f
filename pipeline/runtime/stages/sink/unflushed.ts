import type { Data } from '../../../model/index.js';

/** Limit of written but unflushed records that are remembered for writing again. */
const LIMIT = 20_000;

/** Records that a store has accepted since its last flush: until the next one, they may not be safe there. */
export class Unflushed {
  #records: Data[] | null = [];
  #alerts: Data[] = [];
  /** Everything given to the store is counted, including records that are in the outbox. */
  #given = 0;
  #safe = 0;

  /** The store was given something that the outbox may hold. */
  get any(): boolean {
    return this.#given > this.#safe;
  }

  /** Records that only the store has; null if they were too many to remember. */
  get records(): readonly Data[] | null {
    return this.#records;
  }

  /** Records that may have been wrongly reported as sent to people. */
  get reported(): readonly Data[] {
    return [...(this.#records ?? []), ...this.#alerts];
  }

  /** These are written, and the outbox does not hold them. */
  add(records: readonly Data[]): void {
    this.#given++;
    if (this.#records && this.#records.length + records.length <= LIMIT) this.#records.push(...records);
    else this.#records = null;
  }

  /** An entry of the outbox is written. */
  addFromOutbox(): void {
    this.#given++;
  }

  /** Records of the outbox were delivered. */
  addAlertsOf(records: readonly Data[]): void {
    this.#alerts.push(...records.filter(({ port }) => port === 'event'));
  }

  /** The outbox takes them over. */
  remove(records: readonly Data[]): void {
    const removed = new Set(records);
    this.#records = this.#records && this.#records.filter((record) => !removed.has(record));
  }

  /** The outbox takes over everything that the current flush covers; their alerts are still not safe. */
  moveToOutbox(records: readonly Data[]): void {
    this.addAlertsOf(records);
    this.#records = [];
  }

  /** Call it once everything given so far is safe. */
  marker(): () => void {
    const given = this.#given;
    const records = this.#records && new Set(this.#records);
    const alerts = new Set(this.#alerts);
    return () => {
      this.#safe = Math.max(this.#safe, given);
      if (records) this.#records = this.#records && this.#records.filter((record) => !records.has(record));
      else if (this.#given === given) this.#records = [];
      this.#alerts = this.#alerts.filter((record) => !alerts.has(record));
    };
  }

  clear(): void {
    this.#records = [];
    this.#alerts = [];
    this.#safe = this.#given;
  }
}
