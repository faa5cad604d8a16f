import type { Data } from '../../../model/index.js';
import type { Outbox, OutboxEntry } from '../../../state/index.js';
import type { Host, NodeRun } from '../../host.js';

/** The outbox of a sink on disk, and how much of it there may be. */
export interface KeptOutbox {
  readonly outbox: Outbox;
  /** Input is lost if it is not taken in: what the outbox has no room for is dropped, oldest first, rather than waited for. */
  readonly live: boolean;
  readonly outboxLimitBytes: number;
}

/**
 * The outbox as the stage of a sink uses it: within its limit, with its figures shown, and with what is left
 * of an entry that the store took in part.
 */
export class SinkOutbox {
  readonly #run: NodeRun;
  readonly #host: Host;
  readonly #kept: KeptOutbox;
  readonly #strict: boolean;
  /** An alert may come between, so one of each lane. */
  readonly #rests = new Map<
    OutboxEntry['lane'],
    { readonly number: number; readonly records: readonly Data[] }
  >();

  constructor(run: NodeRun, host: Host, kept: KeptOutbox, strict: boolean) {
    this.#run = run;
    this.#host = host;
    this.#kept = kept;
    this.#strict = strict;
  }

  /** The pump is held up until there is room again. */
  get holdsUp(): boolean {
    return this.#isFull && !this.#kept.live;
  }

  /** Takes records to be delivered in this epoch. @param again they were written once, and go before those that were not */
  async keep(epoch: number, records: readonly Data[], again = false): Promise<void> {
    const { outbox, live } = this.#kept;
    const urgent = !this.#strict && records.every(({ port }) => port === 'event');
    await outbox.append(epoch, records, urgent ? 'urgent' : again ? 'again' : 'rest');
    while (this.#isFull && live) {
      const dropped = await outbox.dropOldest();
      if (dropped === 0) break;
      this.#run.meter.dropped('outbox_full', dropped);
    }
    if (this.holdsUp) this.#host.gate.shut(this.#run.id);
    this.show();
  }

  /** What waits lives no longer than what the stores keep. @param time microseconds since 1970 */
  async forgetBefore(time: number): Promise<void> {
    const dropped = await this.#kept.outbox.dropBefore(time);
    if (dropped === 0) return;
    this.#run.meter.dropped('outbox_expired', dropped);
    this.show();
  }

  /** The records of an entry that the store has not taken. */
  leftOf(entry: OutboxEntry): readonly Data[] {
    const rest = this.#rests.get(entry.lane);
    return rest?.number === entry.number ? rest.records : entry.records;
  }

  delivered(entry: OutboxEntry): void {
    this.#rests.delete(entry.lane);
    this.#kept.outbox.delivered(entry);
    this.show();
  }

  deliveredInPart(entry: OutboxEntry, left: readonly Data[]): void {
    this.#rests.set(entry.lane, { number: entry.number, records: left });
  }

  /** All that was delivered since the last flush is to be delivered again. */
  reset(): void {
    this.#rests.clear();
    this.#kept.outbox.reset();
  }

  show(): void {
    this.#run.meter.gauge('outbox_records', this.#kept.outbox.records);
    this.#run.meter.gauge('outbox_bytes', this.#kept.outbox.bytes);
  }

  get #isFull(): boolean {
    return this.#kept.outbox.bytes > this.#kept.outboxLimitBytes;
  }
}
