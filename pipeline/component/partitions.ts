import type { Position, SourceOutput } from './input.js';
import type { Transaction } from './transaction.js';

/**
 * A source whose input lies in partitions that a group of processes shares: each partition is read by one
 * process at a time, and its checkpoints lie beside it, so that whoever reads it next goes on from them.
 */
export interface Partitions {
  /**
   * Joins the group; resolves when it is joined. May be called again after it has failed.
   * @throws Error with `final: true` where no later try can succeed before somebody changes something
   * @param onShare told, each time that it changes, which partitions this process has from now on
   * @param onLost told when the group cannot be reached any more; nothing follows. `final` as above
   */
  join(onShare: (partitions: readonly number[]) => void, onLost: (error: Error) => void): Promise<void>;
  /** Takes a partition over: from now on its former owner can write no more. Rejects where the state cannot be read. */
  take(partition: number, signal?: AbortSignal): Promise<Partition>;
  /** The partitions that records of an environment were read of, and who reads them. Rejects where nobody can be asked. */
  holders?(environment: string): Promise<readonly Holder[]>;
  /** Leaves the group, so that others get its partitions at once. */
  leave(): Promise<void>;
}

/** URL of a process, as others tell it to clients: nothing that does not belong in one. */
export const ADDRESS = /^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/;

/** A process that shares the partitions. */
export interface Member {
  /** Names it over restarts. */
  readonly id: string;
  /** URL that clients reach its API by; null: it is not told to others. */
  readonly address: string | null;
}

/** Who has read an environment's records last. */
export interface Holder extends Member {
  readonly partition: number;
}

/** Which process of several reads an environment's input: nobody may have read any. Moving: from this one to another. */
export type Whereabouts =
  | { readonly at: 'here' }
  | { readonly at: 'nowhere' }
  | { readonly at: 'moving' }
  | { readonly at: 'elsewhere'; readonly address: string | null };

/** A partition that this process has taken over. It is used until an error, or until it is closed. */
export interface Partition {
  readonly number: number;
  /** The last checkpoint; undefined for a partition that never had one. */
  readonly saved: PartitionCheckpoint | undefined;
  readonly transaction: Transaction;
  /** Reads from `position` (null: from the start) until the signal aborts. Rejects where it cannot be read. */
  read(position: Position, output: SourceOutput): Promise<void>;
  /**
   * Writes the checkpoint, the position that it was taken at, and all that was sent in its epoch, as one.
   * Rejects where another process has taken the partition over meanwhile: nothing is written then.
   */
  commit(checkpoint: PartitionCheckpoint, position: Position): Promise<void>;
  close(): Promise<void>;
}

export interface PartitionCheckpoint {
  readonly epoch: number;
  /** By name. */
  readonly parts: ReadonlyMap<string, Uint8Array>;
}
