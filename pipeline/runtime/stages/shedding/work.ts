import type { Output } from '../../../component/index.js';
import type { Data } from '../../../model/index.js';
import type { DataSignal } from '../signal.js';

/** A record of an asynchronous node, from its arrival to its turn in the output. */
export interface Work {
  readonly kind: 'work';
  /** Counts up per node from 1, over restarts. */
  readonly number: number;
  /** Null once it is shed. */
  signal: DataSignal | null;
  /** Monotonic milliseconds. */
  readonly arrived: number;
  /** By how much it came later than is usual, milliseconds. */
  lateMs: number;
  /** When it was started. */
  began: number;
  /** What it took, milliseconds. */
  tookMs: number;
  /** It may not be shed: the source is held back where many of them wait. */
  isRequired: boolean;
  /** Undefined until it is done. */
  result: Output<Data> | undefined;
}

/** Records that wait to be started. */
export interface Waiting {
  readonly size: number;
  /** How many may be under way now. */
  readonly limit: number;
  put(work: Work): void;
  /** The one to start next. */
  take(): Work | undefined;
  /** `ms` after its start a record is done; `inFlight` were under way then, itself included. */
  done(ms: number, inFlight: number): void;
  /** A record's turn in the output has come: whether its result is still to be sent on. */
  isWanted(work: Work): boolean;
  /** The node runs no longer. */
  end(): void;
}

/** First come, first served. */
export class InOrder implements Waiting {
  readonly limit: number;
  readonly #queue: Work[] = [];

  constructor(limit: number) {
    this.limit = limit;
  }

  get size(): number {
    return this.#queue.length;
  }

  put(work: Work): void {
    this.#queue.push(work);
  }

  take(): Work | undefined {
    return this.#queue.shift();
  }

  done(): void {
    // The limit is fixed.
  }

  isWanted(): boolean {
    return true;
  }

  end(): void {
    // Nothing runs beside it.
  }
}
