import type { Data, Failure } from '../../../pipeline/model/index.js';
import { InfluxError } from './error.js';
import { pointKey, type Point } from './points.js';

/** A record with its points. */
export interface Encoded {
  readonly record: Data;
  readonly points: readonly Point[];
}

/**
 * Sends records to InfluxDB in requests of limited size, and finds rejected ones by halving. If a request
 * fails, the next attempt continues from there; otherwise a server that accepts nine requests of ten, or a
 * number per minute, would never complete a larger write.
 */
export class Delivery {
  readonly #write: (points: readonly Point[]) => Promise<void>;
  readonly #batchPoints: number;
  /**
   * Outcomes within current and failed writes, by a record's key: the reason of a rejection, or null if the
   * record is stored.
   */
  readonly #settled = new Map<string, string | null>();

  /**
   * @param write rejects with an InfluxError
   * @param batchPoints limit per request; a record is not divided
   */
  constructor(write: (points: readonly Point[]) => Promise<void>, batchPoints: number) {
    this.#write = write;
    this.#batchPoints = batchPoints;
  }

  /**
   * Returns the records that InfluxDB will never accept.
   * @throws InfluxError if some could not be sent; retry with the same records
   */
  async deliver(records: readonly Encoded[]): Promise<readonly Failure[]> {
    const left = records.filter((encoded) => !this.#settled.has(keyOf(encoded)));
    for (const batch of this.#batches(left)) await this.#deliverBatch(batch);
    const failures = records.flatMap((encoded) => this.#failureOf(encoded) ?? []);
    for (const encoded of records) this.#settled.delete(keyOf(encoded));
    return failures;
  }

  /** The database no longer exists: everything stored in it must be sent again. */
  forget(): void {
    this.#settled.clear();
  }

  *#batches(records: readonly Encoded[]): Generator<readonly Encoded[]> {
    let batch: Encoded[] = [];
    let points = 0;
    for (const encoded of records) {
      if (points > 0 && points + encoded.points.length > this.#batchPoints) {
        yield batch;
        batch = [];
        points = 0;
      }
      batch.push(encoded);
      points += encoded.points.length;
    }
    if (batch.length > 0) yield batch;
  }

  async #deliverBatch(batch: readonly Encoded[]): Promise<void> {
    const points = batch.flatMap((encoded) => encoded.points);
    try {
      await this.#write(points);
      this.#settle(batch, null);
    } catch (error) {
      if (!(error instanceof InfluxError && FINAL.has(error.code))) throw error;
      if (batch.length === 1 || droppedBy(error) === points.length) this.#settle(batch, error.reason);
      else {
        const half = batch.length >> 1;
        await this.#deliverBatch(batch.slice(0, half));
        await this.#deliverBatch(batch.slice(half));
      }
    }
  }

  #settle(batch: readonly Encoded[], refusal: string | null): void {
    for (const encoded of batch) this.#settled.set(keyOf(encoded), refusal);
    // A failed write may never be retried.
    for (const key of this.#settled.keys()) {
      if (this.#settled.size <= MAX_SETTLED) break;
      this.#settled.delete(key);
    }
  }

  #failureOf(encoded: Encoded): Failure | null {
    const reason = this.#settled.get(keyOf(encoded)) ?? null;
    return reason === null
      ? null
      : { record: encoded.record, code: 'influxdb.refused', reason, retriable: false };
  }
}

const MAX_SETTLED = 50_000;

const FINAL: ReadonlySet<string> = new Set(['influxdb.refused', 'influxdb.too_large']);

/** A record's first point represents it. */
const keyOf = ({ points }: Encoded): string => pointKey(points[0]!);

/** Points that a write skipped, if InfluxDB reports how many: `partial write: points beyond retention policy dropped=5`. */
function droppedBy({ reason }: InfluxError): number | null {
  const count = /dropped=(\d+)/.exec(reason)?.[1];
  return count === undefined ? null : Number(count);
}
