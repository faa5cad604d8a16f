import { deserialize, serialize } from 'node:v8';
import type { Failure, SensedEvent } from '../../pipeline/model/index.js';
import type { StateStore } from '../../pipeline/state/index.js';

/** Limit of events with known rejections. */
const MAX_REFUSALS = 10_000;
/** Longest key of the table, in characters. */
const KEY_CHARACTERS = 500;

/** Which endpoints rejected which events: a replayed dead letter is sent only to them. */
export class Refusals {
  readonly #table: ReturnType<StateStore['table']>;
  /** Ids of endpoints by those of events, oldest first. */
  readonly #known = new Map<string, readonly string[]>();

  constructor(store: StateStore) {
    this.#table = store.table('refused');
    for (const { key, value } of this.#table.getRange({}))
      this.#known.set(key as string, deserialize(value) as readonly string[]);
  }

  note(endpoint: string, failures: readonly Failure[]): void {
    for (const { record } of failures) {
      const key = keyOf(record as SensedEvent);
      const endpoints = [...(this.#known.get(key) ?? []), endpoint];
      this.#known.set(key, endpoints);
      void this.#table.put(key, serialize(endpoints));
    }
    for (const key of this.#known.keys()) {
      if (this.#known.size <= MAX_REFUSALS) break;
      this.#forget(key);
    }
  }

  /** The endpoints that rejected these events before, by event id; the record is then deleted. */
  take(events: readonly SensedEvent[]): ReadonlyMap<string, readonly string[]> {
    const found = new Map<string, readonly string[]>();
    for (const event of events) {
      const endpoints = this.#known.get(keyOf(event));
      if (!endpoints) continue;
      found.set(event.id, endpoints);
      this.#forget(keyOf(event));
    }
    return found;
  }

  #forget(key: string): void {
    this.#known.delete(key);
    void this.#table.remove(key);
  }
}

const keyOf = ({ id }: SensedEvent): string => id.slice(0, KEY_CHARACTERS);
