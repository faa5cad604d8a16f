import type { Data } from '../model/index.js';
import { Lane, laneOf, type OutboxEntry, type OutboxLane } from './outbox-lane.js';
import type { StateStore } from './store.js';

export type { OutboxEntry, OutboxLane } from './outbox-lane.js';

/** Records of an entry that new data is written to: dropping one entry for lack of space does not drop everything. */
const ENTRY_RECORDS = 50;

/**
 * Records that a sink has stored durably but not yet delivered, because its store is offline or slow. `take`
 * hands out entries. `delivered` then reports that the store accepted one, `giveBack` that it must be
 * retried, and `flushed` that delivered entries are safe there; only then may a checkpoint `cut` them.
 */
export class Outbox {
  readonly #lanes: Readonly<Record<OutboxLane, Lane>>;
  readonly #all: readonly Lane[];
  readonly #alerts: readonly Lane[];
  readonly #data: readonly Lane[];
  /** Alerts were handed out last: other records, if any, are next. */
  #alertsHadTurn = false;
  #written: Promise<unknown> = Promise.resolve();

  constructor(store: StateStore, sink: string) {
    const severe = new Lane(store.table(`outbox-severe:${sink}`), 'severe');
    const urgent = new Lane(store.table(`outbox-urgent:${sink}`), 'urgent');
    const again = new Lane(store.table(`outbox-again:${sink}`), 'again');
    const rest = new Lane(store.table(`outbox:${sink}`), 'rest');
    this.#lanes = { severe, urgent, again, rest };
    this.#all = [severe, urgent, again, rest];
    this.#alerts = [severe, urgent];
    this.#data = [again, rest];
  }

  /** Records can be stored here. */
  get isAvailable(): boolean {
    return true;
  }

  /** Records not yet delivered. */
  get records(): number {
    return this.#all.reduce((sum, { records }) => sum + records, 0);
  }

  get hasUrgent(): boolean {
    return this.#alerts.some(({ records }) => records > 0);
  }

  /** Bytes on disk, including delivered entries until a checkpoint cuts them. */
  get bytes(): number {
    return this.#all.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Bytes on disk of entries not yet delivered. */
  get waitingBytes(): number {
    return this.#all.reduce((sum, { bytes, deliveredBytes }) => sum + bytes - deliveredBytes, 0);
  }

  /** Resolves when all are on disk, alerts in their own lanes. @param rest the lane of all others */
  async put(epoch: number, records: readonly Data[], rest: 'rest' | 'again' = 'rest'): Promise<void> {
    await Promise.all(parts(records, rest).map(([lane, part]) => this.append(epoch, part, lane)));
  }

  /**
   * Adds records that the store was given and has not answered for: they count as handed out, so that they
   * are not delivered twice. Resolves when all are on disk.
   */
  async hold(
    epoch: number,
    records: readonly Data[],
    rest: 'rest' | 'again',
  ): Promise<readonly OutboxEntry[]> {
    const written = Promise.all(
      parts(records, rest).map(([lane, part]) => this.#lanes[lane].hold(epoch, part)),
    );
    this.#written = written;
    return written;
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

  /**
   * Hands out entries of one lane, to be written together: alerts first, the most severe before others; if
   * both wait, alerts and other records take turns. Empty if none is on disk and due.
   */
  take(most: number, now: number): readonly OutboxEntry[] {
    const [first, second] = this.#alertsHadTurn ? [this.#data, this.#alerts] : [this.#alerts, this.#data];
    for (const lane of [...first, ...second]) {
      const entries = lane.take(most, now);
      if (entries.length === 0) continue;
      this.#alertsHadTurn = this.#alerts.includes(lane);
      return entries;
    }
    return [];
  }

  /** The next one, due or not. */
  next(): OutboxEntry | undefined {
    return this.take(1, Infinity)[0];
  }

  /** When the next entry that was given back is due, monotonic milliseconds; Infinity if there is none. */
  get nextDue(): number {
    return Math.min(...this.#all.map(({ nextDue }) => nextDue));
  }

  /** The store has not accepted these of its records; they are retried from `due` on, monotonic milliseconds. */
  giveBack({ lane, number }: OutboxEntry, left: readonly Data[], due: number): void {
    this.#lanes[lane].giveBack(number, left, due);
  }

  /** Epoch of the oldest entry that no checkpoint has cut, delivered or not; Infinity if there is none. */
  get oldestEpoch(): number {
    return Math.min(...this.#all.map((lane) => lane.oldestEpoch));
  }

  /** The records to deliver: undelivered entries in order. */
  *entries(): Generator<OutboxEntry> {
    for (const lane of this.#all) yield* lane.entries();
  }

  /** The store accepted it. */
  delivered({ lane, number }: Pick<OutboxEntry, 'number' | 'lane'>): void {
    this.#lanes[lane].delivered(number);
  }

  /** The store accepted it, and it is safe there. */
  safe({ lane, number }: Pick<OutboxEntry, 'number' | 'lane'>): void {
    this.#lanes[lane].safe(number);
  }

  /** All delivered entries are safe. */
  flushed(): void {
    this.marker()();
  }

  /** Delivered entries are about to be made safe: call the result once they are. */
  marker(): () => void {
    const marks = this.#all.map((lane) => lane.marker());
    return () => {
      for (const mark of marks) mark();
    };
  }

  /** Entries that were delivered but not flushed must be delivered again. */
  reset(): void {
    for (const lane of this.#all) lane.reset();
  }

  /** Determines the entries that a checkpoint deletes, as of now: call the result within its transaction. */
  cutter(): () => void {
    const cuts = this.#all.map((lane) => lane.cutter());
    return () => {
      for (const cut of cuts) cut();
    };
  }

  /**
   * Deletes the oldest entry that is not handed out, of the first of these lanes that has one, and returns
   * the number of its records.
   */
  async dropOldest(lanes: readonly OutboxLane[] = ['rest']): Promise<number> {
    for (const lane of lanes) {
      const dropped = await this.#lanes[lane].dropOldest();
      if (dropped > 0) return dropped;
    }
    return 0;
  }

  /**
   * Deletes entries that are not handed out and whose newest record is older than a time, and returns the
   * number of their records.
   */
  async dropBefore(time: number): Promise<number> {
    let dropped = 0;
    for (const lane of this.#all) dropped += await lane.dropBefore(time);
    return dropped;
  }

  /** Deletes entries of later epochs: their input is read again. */
  async rewind(epoch: number): Promise<void> {
    for (const lane of this.#all) await lane.rewind(epoch);
  }
}

/** Records by entry; alerts have their own lanes. */
function parts(
  records: readonly Data[],
  rest: 'rest' | 'again',
): readonly (readonly [OutboxLane, readonly Data[]])[] {
  return (['severe', 'urgent', 'rest'] as const).flatMap((lane) => {
    const own = records.filter((record) => laneOf(record) === lane);
    return Array.from({ length: Math.ceil(own.length / ENTRY_RECORDS) }, (_, part) => {
      const at = part * ENTRY_RECORDS;
      return [lane === 'rest' ? rest : lane, own.slice(at, at + ENTRY_RECORDS)] as const;
    });
  });
}
