import type { Data } from '../../../model/index.js';
import type { Outbox, OutboxEntry } from '../../../state/index.js';
import type { Host, NodeRun } from '../../nodes/host.js';

/** The outbox of a sink on disk, and its limits. */
export interface OutboxOptions {
  readonly outbox: Outbox;
  /** Input is lost if it is not accepted, so records beyond the limit are dropped, oldest first, rather than waited for. */
  readonly live: boolean;
  readonly outboxLimitBytes: number;
}

/** The outbox as a sink's stage uses it: within its limits, and with figures. */
export class SinkOutbox {
  readonly #run: NodeRun;
  readonly #host: Host;
  readonly #options: OutboxOptions;
  readonly #strict: boolean;
  /** Called when records arrive that can be handed out. */
  #onPut: () => void = () => undefined;
  /** Records rejected for now, by lane and number of their entries. */
  readonly #refused = new Map<string, number>();
  #refusals = 0;

  constructor(run: NodeRun, host: Host, options: OutboxOptions, strict: boolean) {
    this.#run = run;
    this.#host = host;
    this.#options = options;
    this.#strict = strict;
  }

  /** The pump is stopped until there is space again. */
  get holdsUp(): boolean {
    return this.#isFull && !this.#options.live;
  }

  /** Calls `listener` whenever records are added. */
  onPut(listener: () => void): void {
    this.#onPut = listener;
  }

  /** Adds records to deliver in this epoch. @param again they were written once, and precede those that were not */
  async put(epoch: number, records: readonly Data[], again = false): Promise<void> {
    const { outbox } = this.#options;
    const rest = again ? 'again' : 'rest';
    if (!this.#strict) await outbox.put(epoch, records, rest);
    else if (records.length > 0) await outbox.append(epoch, records, rest);
    this.#onPut();
    await this.#bound();
  }

  /**
   * Adds records that the store was given and has not answered for: `delivered`, `safe` or `giveBack` reports
   * its answer.
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

  /** The retention of the stores applies to waiting records too. @param time microseconds since 1970 */
  async forgetBefore(time: number): Promise<void> {
    const dropped = await this.#options.outbox.dropBefore(time);
    if (dropped === 0) return;
    this.#run.meter.dropped('outbox_expired', dropped);
    this.show();
  }

  /** It is safe in the store. */
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
   * @param left the records to deliver once they are due
   * @param refusal why the store rejects them for now, though it accepts others
   */
  giveBack(entry: OutboxEntry, left: readonly Data[], due: number, refusal: string | null): void {
    this.#refuses(entry, refusal === null ? 0 : left.length, refusal);
    this.#options.outbox.giveBack(entry, left, due);
    this.show();
  }

  /** Everything delivered since the last flush must be delivered again. */
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
      problems.set('refused', `records rejected for now and retried: ${this.#refusals}; ${reason}`);
  }

  /**
   * A store that is back makes room before a checkpoint deletes what it has accepted; otherwise the newest
   * records would be dropped, since all older ones are in its hands. Without checkpoints, twice the limit is
   * the maximum.
   */
  get #isFull(): boolean {
    const { outbox, outboxLimitBytes } = this.#options;
    return outbox.waitingBytes > outboxLimitBytes || outbox.bytes > 2 * outboxLimitBytes;
  }
}
