import type { Data } from '../../../model/index.js';
import type { Outbox, OutboxEntry } from '../../../state/index.js';
import type { Host, NodeRun } from '../../host.js';

/** The outbox of a sink on disk, and how much of it there may be. */
export interface OutboxOptions {
  readonly outbox: Outbox;
  /** Input is lost if it is not taken in: what the outbox has no room for is dropped, oldest first, rather than waited for. */
  readonly live: boolean;
  readonly outboxLimitBytes: number;
}

/** The outbox as the stage of a sink uses it: within its limit, and with its figures shown. */
export class SinkOutbox {
  readonly #run: NodeRun;
  readonly #host: Host;
  readonly #options: OutboxOptions;
  readonly #strict: boolean;
  /** Told that records have come that can be handed out. */
  #onPut: () => void = () => undefined;
  /** Records that were refused for now, of entries by lane and number. */
  readonly #refused = new Map<string, number>();
  #refusals = 0;

  constructor(run: NodeRun, host: Host, options: OutboxOptions, strict: boolean) {
    this.#run = run;
    this.#host = host;
    this.#options = options;
    this.#strict = strict;
  }

  /** The pump is held up until there is room again. */
  get holdsUp(): boolean {
    return this.#isFull && !this.#options.live;
  }

  /** Calls `listener` each time that records were added. */
  onPut(listener: () => void): void {
    this.#onPut = listener;
  }

  /** Takes records to be delivered in this epoch. @param again they were written once, and go before those that were not */
  async put(epoch: number, records: readonly Data[], again = false): Promise<void> {
    const { outbox } = this.#options;
    const rest = again ? 'again' : 'rest';
    if (!this.#strict) await outbox.put(epoch, records, rest);
    else if (records.length > 0) await outbox.append(epoch, records, rest);
    this.#onPut();
    await this.#bound();
  }

  /**
   * Takes records that the store was given and has not answered for: `delivered`, `safe` or `giveBack` says how it answers.
   * @param again they are known to be written
   */
  async hold(epoch: number, records: readonly Data[], again: boolean): Promise<readonly OutboxEntry[]> {
    const entries = await this.#options.outbox.hold(epoch, records, again ? 'again' : 'rest');
    await this.#bound();
    return entries;
  }

  async #bound(): Promise<void> {
    const { outbox, live } = this.#options;
    while (this.#isFull && live) {
      const dropped = await outbox.dropOldest();
      if (dropped === 0) break;
      this.#run.meter.dropped('outbox_full', dropped);
    }
    if (this.holdsUp) this.#host.gate.shut(this.#run.id);
    this.show();
  }

  /** What waits lives no longer than the retention of the stores. @param time microseconds since 1970 */
  async forgetBefore(time: number): Promise<void> {
    const dropped = await this.#options.outbox.dropBefore(time);
    if (dropped === 0) return;
    this.#run.meter.dropped('outbox_expired', dropped);
    this.show();
  }

  /** It is in the store for good. */
  safe(entry: OutboxEntry): void {
    this.#options.outbox.safe(entry);
    this.show();
  }

  delivered(entry: OutboxEntry): void {
    this.#refuses(entry, 0);
    this.#options.outbox.delivered(entry);
    this.show();
  }

  /**
   * @param left of its records, those to be delivered once they are due
   * @param refusal why the store does not take them now, though it takes others
   */
  giveBack(entry: OutboxEntry, left: readonly Data[], due: number, refusal: string | null): void {
    this.#refuses(entry, refusal === null ? 0 : left.length, refusal);
    this.#options.outbox.giveBack(entry, left, due);
    this.show();
  }

  /** All that was delivered since the last flush is to be delivered again. */
  reset(): void {
    this.#options.outbox.reset();
  }

  show(): void {
    this.#run.meter.gauge('outbox_records', this.#options.outbox.records);
    this.#run.meter.gauge('outbox_bytes', this.#options.outbox.bytes);
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
    return this.#options.outbox.bytes > this.#options.outboxLimitBytes;
  }
}
