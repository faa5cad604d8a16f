import type { Output } from '../../../component/index.js';
import type { Data } from '../../../model/index.js';
import type { DataSignal } from '../../signals/signal.js';

/** A record of an asynchronous node, from its arrival to its turn in the output. */
export interface Work {
  readonly kind: 'work';
  /** Incremented per node from 1, over restarts. */
  readonly number: number;
  /** Null once it is shed. */
  signal: DataSignal | null;
  /** Monotonic milliseconds. */
  readonly arrived: number;
  /** How much later than usual it arrived, milliseconds. */
  lateMs: number;
  /** When it was started. */
  began: number;
  /** How long it took, milliseconds. */
  tookMs: number;
  /** It must not be shed: the source is held back if many of them wait. */
  isRequired: boolean;
  /** Undefined until it is done. */
  result: Output<Data> | undefined;
}

/** Records waiting to be started. */
export interface Waiting {
  readonly size: number;
  /** How many may be in flight now. */
  readonly limit: number;
  put(work: Work): void;
  /** The one to start next. */
  take(): Work | undefined;
  /** `ms` after its start a record is done; `inFlight` were in flight then, itself included. */
  done(ms: number, inFlight: number): void;
  /** A record's turn in the output has come: whether to send its result. */
  isWanted(work: Work): boolean;
  /** The node no longer runs. */
  end(): void;
}

/** First in, first out. */
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
