import type { SettledTime } from '../base/settled-clock.js';
import { decode, encode, type StateStore, type Table } from './store.js';

const KEY = 'last';

/** Stores the time that retention counts from between two runs. */
export class SettledTimes {
  readonly #table: Table;

  constructor(store: StateStore) {
    this.#table = store.table('settled-time');
  }

  get(): SettledTime | undefined {
    const found = this.#table.get(KEY);
    return found && (decode(found) as SettledTime);
  }

  async put(time: SettledTime): Promise<void> {
    await this.#table.put(KEY, encode(time));
  }
}
