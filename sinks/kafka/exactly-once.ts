import { join } from 'node:path';
import type { Context, Sink } from '../../pipeline/component/index.js';
import { groupOffsets } from '../../pipeline/kafka/index.js';
import type { Data, Failure } from '../../pipeline/model/index.js';
import { backoff, pause } from '../../pipeline/base/backoff.js';
import { address } from './address.js';
import { topicsOf, type KafkaSinkSettings } from './settings.js';
import { Spool } from './spool.js';
import { AwayError, KafkaWriter } from './writer.js';

const FIRST_RETRY_MS = 100;
const MAX_RETRY_MS = 10_000;
/** Limit of epochs that wait for the brokers; beyond it, results go to the outbox. */
const MAX_WAITING = 1_000;

/**
 * Sends results in transactions, one for each epoch, started when its checkpoint is safe.
 *
 * Until then they are on disk, so a crash undoes them with the epoch before anything was sent. The
 * transaction contains the results of the epoch and its number, as an offset of a dedicated group. After a
 * crash, or if the outcome of a transaction is unknown, the next producer with this transactional id ends it
 * either way; the number then shows the outcome, and a committed epoch is not sent again.
 */
export class ExactlyOnce implements Sink {
  readonly #settings: KafkaSinkSettings;
  readonly #context: Context;
  readonly #writer: KafkaWriter;
  readonly #spool: Spool;
  readonly #group: string;
  readonly #markTopic: string;
  readonly #closing = new AbortController();
  /** Checkpoints are safe up to this epoch. */
  #safe = -Infinity;
  /** Readers see everything up to this epoch; null: not read yet. */
  #delivered: number | null = null;
  /** Set after an older state was restored: the epoch of Kafka's mark, and the epoch that this state resumed from. */
  #older: { readonly mark: number; readonly means: number } | null = null;
  #problem: AwayError | null = null;
  #delivering: Promise<void> | null = null;

  constructor(settings: KafkaSinkSettings, context: Context) {
    this.#settings = settings;
    this.#context = context;
    const id = settings.transactional_id ?? `csiflow-${context.topology}-${context.node}`;
    const topics = topicsOf(settings.topic);
    this.#writer = new KafkaWriter(settings, context, topics, () => context.clock.elapsed(), id);
    this.#spool = new Spool(join(context.stateFolder, `${context.node}.spool`), context.storage);
    this.#group = `${id}.epochs`;
    this.#markTopic = topics[0]!;
  }

  async open(): Promise<void> {
    await this.#spool.open();
    await this.#writer.open();
  }

  async write(records: readonly Data[], epoch: number): Promise<readonly Failure[]> {
    if (this.#closing.signal.aborted) throw new Error('the sink is closed');
    // While the brokers are offline, the outbox stores results within its limit.
    if (this.#problem) throw this.#problem;
    if (this.#spool.epochs.length > MAX_WAITING)
      throw new AwayError(
        `the brokers are ${MAX_WAITING} checkpoints behind: they accept results too slowly`,
        true,
        null,
      );
    const { messages, failures } = address(
      records,
      this.#settings,
      this.#context.topology,
      this.#writer.largest,
    );
    if (messages.size > 0) await this.#spool.append(epoch, [...messages.keys()]);
    return failures;
  }

  flush(): Promise<void> {
    return this.#spool.flush();
  }

  async rewind(epoch: number): Promise<void> {
    for (const later of this.#spool.epochs) if (later > epoch) await this.#spool.remove(later);
    const delivered = await this.#mark();
    if (delivered > epoch)
      this.#context.log.warn(
        'results of later epochs than the checkpoint were already delivered: the state was restored from an older one, and they are sent again',
        { delivered, checkpoint: epoch },
      );
    if (delivered > epoch) this.#older = { mark: delivered, means: epoch };
    this.#delivered = Math.min(delivered, epoch);
    this.committed(epoch);
  }

  committed(epoch: number): void {
    this.#safe = Math.max(this.#safe, epoch);
    this.#delivering ??= this.#deliver().finally(() => {
      this.#delivering = null;
    });
  }

  describe(): Readonly<Record<string, unknown>> {
    return {
      topic: this.#settings.topic,
      delivery: this.#settings.delivery,
      delivered_epoch: this.#delivered,
      waiting_epochs: this.#spool.epochs.length,
      problem: this.#problem?.message ?? null,
    };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#delivering;
    await this.#spool.close();
    await this.#writer.close();
  }

  /** All safe epochs, oldest first; retried while the brokers are offline. Never rejects. */
  async #deliver(): Promise<void> {
    const { signal } = this.#closing;
    const closes = () => signal.aborted;
    for (let failures = 0; ;) {
      const epoch = this.#spool.epochs.find((waiting) => waiting <= this.#safe);
      if (epoch === undefined) return;
      try {
        await this.#deliverEpoch(epoch);
        failures = 0;
        this.#problem = null;
      } catch (error) {
        this.#problem = error instanceof AwayError ? error : new AwayError(String(error), true, error);
        this.#delivered = null;
        this.#context.metrics.count('store_errors_total', 1);
        this.#context.log.warn('a transaction failed', { epoch, error: this.#problem.message });
        if (closes()) return;
        const wait = backoff(++failures, FIRST_RETRY_MS, MAX_RETRY_MS, this.#context.random);
        await pause(wait, signal, this.#context.clock);
        if (closes()) return;
      }
    }
  }

  async #deliverEpoch(epoch: number): Promise<void> {
    // A new producer first: it ends open transactions, and only then is the number reliable.
    await this.#writer.ready();
    this.#delivered ??= await this.#mark();
    if (epoch > this.#delivered) {
      await this.#writer.transact(await this.#spool.read(epoch), (transaction) =>
        transaction.sendOffsets({
          consumerGroupId: this.#group,
          topics: [{ topic: this.#markTopic, partitions: [{ partition: 0, offset: String(epoch) }] }],
        }),
      );
      this.#delivered = epoch;
      this.#older = null;
    }
    await this.#spool.remove(epoch);
  }

  /** The newest epoch that readers see. */
  async #mark(): Promise<number> {
    const offsets = await groupOffsets(this.#writer.admin, this.#group, [this.#markTopic]);
    const offset = offsets.find(({ partition }) => partition === 0)?.offset ?? null;
    if (offset === this.#older?.mark) return this.#older.means;
    return offset ?? -Infinity;
  }
}
