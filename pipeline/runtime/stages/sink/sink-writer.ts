import type { Sink } from '../../../component/index.js';
import type { Data, Failure } from '../../../model/index.js';
import type { SentAlerts } from '../../../state/index.js';
import { backoff, pause } from '../../../base/backoff.js';
import type { Host, NodeRun } from '../../nodes/host.js';
import { countOf } from '../../signals/signal.js';
import { errorText } from '../../../base/error-text.js';
import { settles } from '../../../base/waiting.js';
import { failuresFault } from '../../shared/returned.js';
import { WriteSize } from './write-size.js';

/** Attempts for a record that the store may accept later, if others wait for it. */
const RECORD_TRIES = 4;
const FIRST_RETRY_MS = 50;
const MAX_RETRY_MS = 10_000;

/** The store has not answered: the records may or may not be written. */
class StuckError extends Error {
  constructor(ms: number) {
    super(`its store has not answered for ${ms} ms`);
    this.name = 'StuckError';
  }
}

export interface SinkKind {
  /** A write is atomic, and one that hangs cannot be repeated. */
  readonly strict: boolean;
  /** The sink alerts people and can neither overwrite nor rewind. */
  readonly tells: boolean;
  /** Writes overlap, in any order. */
  readonly parallel: boolean;
  /** Records that are rejected for now can wait on disk while others are written. */
  readonly spills: boolean;
}

/** Records that the store has not accepted and must be given again. */
export interface Untaken {
  /** It failed, or the stage ends. */
  readonly left: readonly Data[];
  /** Only these are rejected for now, by record. */
  readonly refused: ReadonlyMap<Data, string>;
}

/**
 * Writes records to an open store: in small writes if it is slow, within a time limit, with retries if they
 * can help. Records that the store rejects permanently become dead letters; accepted ones are counted, and
 * alerts are noted.
 */
export class SinkWriter {
  readonly #run: NodeRun;
  readonly #host: Host;
  readonly #sent: SentAlerts;
  readonly #signal: AbortSignal;
  readonly #kind: SinkKind;
  readonly #size = new WriteSize();

  constructor(run: NodeRun, host: Host, sent: SentAlerts, kind: SinkKind, signal: AbortSignal) {
    this.#run = run;
    this.#host = host;
    this.#sent = sent;
    this.#kind = kind;
    this.#signal = signal;
  }

  /** Records per write at the moment. */
  get size(): number {
    return this.#size.value;
  }

  /**
   * Returns the records that are still to be written: the store is offline, the stage ends, or the store
   * rejects them for now.
   * @param tries attempts of a write that the store rejects as a whole
   * @throws if a strict store rejects or hangs
   */
  async write(sink: Sink, records: readonly Data[], epoch: number, tries: number): Promise<Untaken> {
    const refused = new Map<Data, string>();
    for (let at = 0; at < records.length;) {
      const slice = this.#kind.strict ? records : records.slice(at, at + this.size);
      const left = await this.#writeSlice(sink, slice, epoch, tries, refused);
      const rest = records.slice(at + slice.length);
      // A record that the store fails on must not block the others.
      if (left.length > 0)
        return { left: slice.every(this.#alone) ? [...rest, ...left] : [...left, ...rest], refused };
      at += slice.length;
    }
    return { left: [], refused };
  }

  /** Waits for the store, within a time limit. @throws StuckError */
  async timed<T>(work: Promise<T>): Promise<T> {
    const { writeMs } = this.#host.patience;
    if (await settles(work, writeMs)) return work;
    throw new StuckError(writeMs);
  }

  wasSent(data: Data): boolean {
    return data.port === 'event' && this.#kind.tells && this.#sent.has(data.id);
  }

  /** These turned out not to have been sent. */
  async takeBack(records: readonly Data[]): Promise<void> {
    for (const record of records) if (record.port === 'event') await this.#sent.forget(record.id);
  }

  async #writeSlice(
    sink: Sink,
    records: readonly Data[],
    epoch: number,
    tries: number,
    refused: Map<Data, string>,
  ): Promise<readonly Data[]> {
    let left = records;
    for (let attempt = 1; ; attempt++) {
      let failed: readonly Failure[];
      try {
        failed = await this.#attempt(sink, left, epoch);
      } catch (error) {
        this.#rejected(error, attempt, left.length);
        // It may be written in part, now or later: all records written since the last barrier are undone.
        if (this.#kind.strict) throw error;
        if (attempt >= tries || this.#signal.aborted) return left;
        await this.#backoff(attempt);
        continue;
      }
      await this.#took(left, failed, epoch);
      const again: Failure[] = [];
      const dead: Failure[] = [];
      for (const failure of failed) {
        const record = failure.record as Data;
        if (failure.retriable && this.#alone(record)) refused.set(record, failure.reason);
        else if (failure.retriable && attempt < Math.max(tries, RECORD_TRIES)) again.push(failure);
        else dead.push(failure);
      }
      if (dead.length > 0) this.#host.failures(this.#run, 'write', dead);
      if (again.length === 0) return [];
      left = again.map(({ record }) => record as Data);
      if (this.#signal.aborted) return left;
      await this.#backoff(attempt);
    }
  }

  /**
   * A record that may be delayed behind others: not an alert, which is worth most early, nor a record of a
   * store that requires order.
   */
  readonly #alone = (record: Data): boolean =>
    this.#kind.spills && (this.#kind.parallel || record.port === 'event');

  async #attempt(sink: Sink, records: readonly Data[], epoch: number): Promise<readonly Failure[]> {
    const { clock } = this.#host;
    const started = clock.elapsed();
    try {
      return rejectedBy(await this.timed(sink.write(records, epoch)));
    } finally {
      const took = clock.elapsed() - started;
      this.#run.meter.operatorSeconds += took / 1000;
      this.#size.took(took, records.length);
    }
  }

  #rejected(error: unknown, attempt: number, count: number): void {
    // The store may fail on one of them; the others must get through.
    this.#size.reduce(count);
    this.#run.meter.count('store_errors_total', 1);
    this.#run.problem = `its store cannot be written: ${errorText(error)}`;
    this.#run.context.log.warn('a write failed', { attempt, error: errorText(error) });
  }

  async #took(records: readonly Data[], failed: readonly Failure[], epoch: number): Promise<void> {
    this.#run.problem = null;
    const refused = new Set(failed.map(({ record }) => record));
    for (const record of records) {
      if (refused.has(record)) continue;
      this.#run.failedInRow = 0;
      this.#run.meter.sentTotal += countOf(record);
      if (record.port === 'event' && this.#kind.tells) await this.#sent.add(record.id, epoch);
    }
  }

  #backoff(attempt: number): Promise<void> {
    const wait = backoff(attempt, FIRST_RETRY_MS, MAX_RETRY_MS, this.#run.context.random);
    return pause(wait, this.#signal, this.#host.clock);
  }
}

/** A plugin in plain JavaScript may return anything: then nobody knows which records it has taken. */
function rejectedBy(answer: readonly Failure[]): readonly Failure[] {
  const fault = failuresFault(answer);
  if (fault === null) return answer;
  throw new Error(
    `\`write\` of the sink returned ${fault}: it must return the records that it rejected ([] if none)`,
  );
}
