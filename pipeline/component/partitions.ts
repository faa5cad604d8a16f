import type { Position, SourceOutput } from './input.js';
import type { Transaction } from './transaction.js';

/**
 * A source whose input consists of partitions that a group of processes shares. One process at a time reads a
 * partition. Its checkpoints are stored beside it, so that the next reader resumes from them.
 */
export interface Partitions {
  /**
   * Joins the group; resolves once joined. May be called again after it has failed.
   * @throws Error with `final: true` if no retry can succeed until something is changed
   * @param onShare called at each change with the partitions that this process has from now on
   * @param onLost called when the group is no longer reachable; the last call. `final` as above
   */
  join(onShare: (partitions: readonly number[]) => void, onLost: (error: Error) => void): Promise<void>;
  /** Takes over a partition: from now on its former owner cannot write. Rejects if the state cannot be read. */
  take(partition: number, signal?: AbortSignal): Promise<Partition>;
  /** The partitions that an environment's records come from, and their readers. Rejects if no member can answer. */
  holders?(environment: string): Promise<readonly Holder[]>;
  /** Leaves the group, so that others get its partitions immediately. */
  leave(): Promise<void>;
}

/** URL of a process, as others report it to clients: it must not hold anything that does not belong in one. */
export const ADDRESS = /^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/;

/** A process that shares the partitions. */
export interface Member {
  /** Identifies it over restarts. */
  readonly id: string;
  /** URL of its API for clients; null if other processes do not publish it. */
  readonly address: string | null;
}

/** The last reader of an environment's records. */
export interface Holder extends Member {
  readonly partition: number;
}

/** Which process reads an environment's input; perhaps none has read any. Moving: from this one to another. */
export type Whereabouts =
  | { readonly at: 'here' }
  | { readonly at: 'nowhere' }
  | { readonly at: 'moving' }
  | { readonly at: 'elsewhere'; readonly address: string | null };

/** A partition that this process has taken over, used until an error or until it is closed. */
export interface Partition {
  readonly number: number;
  /** The last checkpoint; undefined for a partition that never had one. */
  readonly saved: PartitionCheckpoint | undefined;
  readonly transaction: Transaction;
  /** Reads from `position` (null: from the start) until the signal aborts. Rejects if it cannot be read. */
  read(position: Position, output: SourceOutput): Promise<void>;
  /**
   * Writes the checkpoint, its position, and everything sent in its epoch, atomically. Rejects, without
   * writing, if another process has taken over the partition.
   */
  commit(checkpoint: PartitionCheckpoint, position: Position): Promise<void>;
  close(): Promise<void>;
}

export interface PartitionCheckpoint {
  readonly epoch: number;
  /** By name. */
  readonly parts: ReadonlyMap<string, Uint8Array>;
}
