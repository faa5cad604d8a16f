import { decode, encode, type StateStore, type Table } from './store.js';

/** Ids of events that were sent before their checkpoint, to prevent duplicate notifications. */
export class SentAlerts {
  readonly #table: Table;
  readonly #ids: Map<string, number>;

  constructor(store: StateStore, sink: string) {
    this.#table = store.table(`sent:${sink}`);
    this.#ids = new Map(
      [...this.#table.getRange({})].map(({ key, value }) => [key as string, decode(value) as number]),
    );
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** Resolves when it is recorded. */
  async add(id: string, epoch: number): Promise<void> {
    this.#ids.set(id, epoch);
    await this.#table.put(id.slice(0, 500), encode(epoch));
  }

  /** It was not sent after all. */
  async forget(id: string): Promise<void> {
    if (this.#ids.delete(id)) await this.#table.remove(id.slice(0, 500));
  }

  /**
   * Deletes ids that no recovery can send again, within the transaction of the checkpoint of `epoch`.
   * @param waiting epoch of the oldest records in the outbox: some of them may have been sent since
   */
  cut(epoch: number, waiting: number): void {
    for (const [id, sent] of this.#ids) {
      if (sent >= Math.min(epoch, waiting)) continue;
      this.#ids.delete(id);
      void this.#table.remove(id.slice(0, 500));
    }
  }
}
