import type { Data } from '../model/index.js';
import type { State } from './context.js';
import type { RawBatch } from './raw.js';

/** Where a source is in its input; stored in checkpoints. */
export type Position = State;

/** A step of a source's input. Exactly one of `raw` and `data` is given. */
export interface SourceBatch {
  /** Position after this batch: reading from there gives what follows it. */
  readonly position: Position;
  /** Undecoded records; the runtime journals them where the source is not replayable, then calls `decode`. */
  readonly raw?: RawBatch;
  /** What a source that makes its own data hands over (the simulator). */
  readonly data?: readonly Data[];
}

/** The bounded queue between a source and the pump. */
export interface SourceOutput {
  /** Aborted when the source is to stop; `open` then ends. */
  readonly signal: AbortSignal;
  /** To be called once the input is open: a start waits for it, for the first batch, or for the reason why it cannot be opened. */
  ready?(): void;
  /** What prevents it from reading, for a person; null when that is over. The node is degraded meanwhile, and nothing else stops for it. */
  problem?(problem: string | null): void;
  /**
   * Offers a batch under the queue's policy. True: taken at once. A promise: the queue is full under `block`;
   * a source that can wait does so before the next offer, any other one bounds what waits (it is journalled
   * already). False: dropped, and counted by the runtime.
   */
  offer(batch: SourceBatch): boolean | Promise<boolean>;
  /** More input waits in the system than was read at once. Nothing knows how old it gets there, so it is read before more is pumped. */
  unread?(): void;
  /**
   * Resolves when all that was offered is on disk, so that whoever sent it may forget it; undefined where it is
   * so already, or where nothing is journalled.
   */
  journalled?(): Promise<void> | undefined;
  /** What an earlier run journalled and no checkpoint covers; it is decoded before anything new. */
  backlog?(): Iterable<RawBatch>;
}
