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

/** The outbox as the stage of a sink uses it: within its limit, and with its figures shown. */
export class SinkOutbox {
  readonly #run: NodeRun;
  readonly #host: Host;
  readonly #kept: KeptOutbox;
  readonly #strict: boolean;
  /** Told that records have come that can be handed out. */
  #onKept: () => void = () => undefined;
  /** Records that were refused for now, of entries by lane and number. */
  readonly #refused = new Map<string, number>();
  #refusals = 0;

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

  /** Calls `listener` each time that more is kept. */
  onKept(listener: () => void): void {
    this.#onKept = listener;
  }

  /** Takes records to be delivered in this epoch. @param again they were written once, and go before those that were not */
  async keep(epoch: number, records: readonly Data[], again = false): Promise<void> {
    const { outbox, live } = this.#kept;
    const urgent = this.#strict ? [] : records.filter(({ port }) => port === 'event');
    const others = urgent.length === 0 ? records : records.filter(({ port }) => port !== 'event');
    if (urgent.length > 0) await outbox.append(epoch, urgent, 'urgent');
    if (others.length > 0) await outbox.append(epoch, others, again ? 'again' : 'rest');
    this.#onKept();
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

  delivered(entry: OutboxEntry): void {
    this.#refuses(entry, 0);
    this.#kept.outbox.delivered(entry);
    this.show();
  }

  /**
   * @param left of its records, those to be delivered once they are due
   * @param refusal why the store does not take them now, though it takes others
   */
  giveBack(entry: OutboxEntry, left: readonly Data[], due: number, refusal: string | null): void {
    this.#refuses(entry, refusal === null ? 0 : left.length, refusal);
    this.#kept.outbox.giveBack(entry, left, due);
    this.show();
  }

  /** All that was delivered since the last flush is to be delivered again. */
  reset(): void {
    this.#kept.outbox.reset();
  }

  show(): void {
    this.#run.meter.gauge('outbox_records', this.#kept.outbox.records);
    this.#run.meter.gauge('outbox_bytes', this.#kept.outbox.bytes);
  }

  #refuses(entry: OutboxEntry, records: number, reason: string | null = null): void {
    const key = `${entry.lane} ${entry.number}`;
    this.#refusals += records - (this.#refused.get(key) ?? 0);
    if (records > 0) this.#refused.set(key, records);
    else this.#refused.delete(key);
    const { problems } = this.#run;
    if (this.#refusals === 0) problems.set('refused', null);
    else if (reason !== null)
      problems.set('refused', `records refused for now, each tried again: ${this.#refusals}; ${reason}`);
  }

  get #isFull(): boolean {
    return this.#kept.outbox.bytes > this.#kept.outboxLimitBytes;
  }
}
