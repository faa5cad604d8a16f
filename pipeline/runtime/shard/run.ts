import type { CheckedTopology } from '../../config/topology/topology.js';
import type { LiveFeed, Operator, Reader, Whereabouts } from '../../component/index.js';
import type { CheckpointFigures } from '../checkpoints/barriers.js';
import type { NodeRun } from '../nodes/host.js';
import type { LetterHolder } from '../dead-letters/letter-holder.js';

/** A run of a topology: one shard, or the shards of the partitions that this process has. Used once. */
export interface Run extends LetterHolder {
  /** Resolves when it runs; rejects with the error that prevented it, after closing everything. */
  start(): Promise<void>;
  /** @param save takes a checkpoint of the accepted input first @param force does not wait for a node that hangs */
  stop(save: boolean, force?: boolean): Promise<void>;
  /** Resolves when all input has ended and the last barrier has passed. */
  readonly finished: Promise<void>;
  readonly runs: ReadonlyMap<string, NodeHealth>;
  readonly checkpoint: CheckpointFigures | null;
  /** Why checkpoints fail. */
  readonly problem: string | null;
  readonly readers: ReadonlyMap<string, Reader>;
  readonly feeds: ReadonlyMap<string, LiveFeed>;
  /** A component's own status report. */
  describe(node: string): Readonly<Record<string, unknown>>;
  /** A running operator; with several partitions, one of its instances. */
  operator(node: string): Operator | undefined;
  /** If several processes share it. */
  whereIs?(environment: string): Promise<Whereabouts>;
  /** Continues as a topology that differs only in adjustable fields. */
  adjust(topology: CheckedTopology): void;
  /** Copies its state, then its stores, into an empty folder while it runs. */
  copyTo(folder: string): Promise<void>;
}

export interface NodeHealth extends Pick<NodeRun, 'id' | 'status' | 'problem' | 'lastRecord' | 'watermark'> {
  readonly context: Pick<NodeRun['context'], 'provenance'>;
}
