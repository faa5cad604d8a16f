import type { CheckedTopology } from '../config/topology.js';
import type { LiveFeed, Operator, Reader, Whereabouts } from '../component/index.js';
import type { DeadLetters } from '../state/index.js';
import type { CheckpointFigures } from './checkpoints/barriers.js';
import type { NodeRun } from './host.js';
import type { NotReplayed } from './dead-letters/replays.js';

/** A run of a topology: one shard, or the shards of the partitions that this process has. Used once. */
export interface Run {
  /** Resolves when it runs; rejects with the error that prevented it, and all is closed then. */
  start(): Promise<void>;
  /** @param save takes a checkpoint of what was taken in, first @param force waits for no node that hangs */
  stop(save: boolean, force?: boolean): Promise<void>;
  /** Resolves when all input has ended and the last barrier has passed. */
  readonly finished: Promise<void>;
  readonly runs: ReadonlyMap<string, NodeHealth>;
  readonly checkpoint: CheckpointFigures | null;
  /** Why checkpoints do not get through. */
  readonly problem: string | null;
  readonly readers: ReadonlyMap<string, Reader>;
  readonly feeds: ReadonlyMap<string, LiveFeed>;
  /** What a component says of itself. */
  describe(node: string): Readonly<Record<string, unknown>>;
  /** A running operator, of partitions' one of them. */
  operator(node: string): Operator | undefined;
  /** Where several processes share it. */
  whereIs?(environment: string): Promise<Whereabouts>;
  deadLetters(): DeadLetters | undefined;
  /** Gives the dead letters that were asked for to their nodes again; tells of those that cannot be. */
  replayAsked(): readonly NotReplayed[];
  /** Goes on as a topology that differs in what running nodes can take over. */
  adjust(topology: CheckedTopology): void;
  /** Copies its state, then its stores, into an empty folder while it goes on. */
  copyTo(folder: string): Promise<void>;
}

export type NodeHealth = Pick<NodeRun, 'id' | 'status' | 'problem' | 'lastRecord'>;
