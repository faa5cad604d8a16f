import type { Data } from '../model/index.js';
import type { State } from './context.js';
import type { RawBatch } from './raw.js';

/** Where a source is in its input; stored in checkpoints. */
export type Position = State;

/** A step of a source's input. Exactly one of `raw` and `data` is given. */
export interface SourceBatch {
  /** Position after this batch: reading from there returns what follows it. */
  readonly position: Position;
  /** Undecoded records; the runtime journals them if the source is not replayable, then calls `decode`. */
  readonly raw?: RawBatch;
  /** Data of a source that needs no decoding (the simulator). */
  readonly data?: readonly Data[];
  /**
   * All records of later batches have later times than this one's, so its newest record need not wait for
   * them. Holds for `raw` of a source that is not replayable, with frames at the times of their records.
   */
  readonly isPast?: boolean;
}

/** The bounded queue between a source and the pump. */
export interface SourceOutput {
  /** Aborted when the source should stop; `open` then ends. */
  readonly signal: AbortSignal;
  /** Call it once the input is open: startup waits for it, for the first batch, or for the reason why it cannot be opened. */
  ready?(): void;
  /** Why it cannot read at the moment, for people; null when that is over. The node is degraded meanwhile; everything else continues. */
  problem?(problem: string | null): void;
  /**
   * Offers a batch under the queue's policy. True: accepted. A promise: the queue is full under `block`; a
   * source that can wait does so before its next offer, any other limits what waits (it is journalled
   * already). False: dropped, and counted by the runtime.
   */
  offer(batch: SourceBatch): boolean | Promise<boolean>;
  /** The system's buffer holds more input than one read returned. Its age there is unknown, so it is read before the pump continues. */
  unread?(): void;
  /**
   * Event time, microseconds, of the earliest record that may complete a result: it should be offered at once.
   * Others may be gathered for some milliseconds. Absent: none may.
   */
  due?(): number;
  /**
   * Resolves when everything offered is on disk, so that the sender may forget it. Undefined if it is
   * already, or if nothing is journalled.
   */
  journalled?(): Promise<void> | undefined;
  /** What an earlier run journalled and no checkpoint covers; decoded before any new input. */
  backlog?(): Iterable<RawBatch>;
}
