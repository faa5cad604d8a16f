import type { CheckedNode, Settings } from '../../config/topology/topology.js';
import type { Context, State } from '../../component/index.js';
import type { Failure, LinkTable } from '../../model/index.js';
import type { NodeMeter } from '../../telemetry/node-meter.js';
import type { Gate } from './gate.js';
import type { Problems } from './problems.js';
import type { NodeTraces } from './node-traces.js';
import type { HeldBack } from '../signals/fan-in.js';

/** Time limits for waiting, milliseconds. */
export interface Patience {
  /** A barrier that takes longer degrades the topology. */
  readonly barrierMs: number;
  /** A sink's write or flush that takes longer has failed. */
  readonly writeMs: number;
  /** A stop no longer waits for a node after this time. */
  readonly stopMs: number;
  /** The same for a forced stop. */
  readonly forcedStopMs: number;
  /** How long a start waits for a source to open. Later errors of the source trigger a recovery instead. */
  readonly openMs: number;
}

export const PATIENCE: Patience = {
  barrierMs: 10_000,
  writeMs: 60_000,
  stopMs: 10_000,
  forcedStopMs: 500,
  openMs: 5_000,
};

/** A shard's services for its stages. */
export interface Host {
  readonly clock: Context['clock'];
  readonly links: LinkTable;
  readonly gate: Gate;
  readonly settings: Settings;
  readonly patience: Patience;
  /** Records failed in a node and become dead letters. `inRow` counts towards `degraded`. */
  failures(node: NodeRun, stage: string, failed: readonly Failure[]): void;
  /** A node has passed the barrier: its state at that moment, what to write with the checkpoint, and what to do when that is safe. */
  passed(node: NodeRun, epoch: number, state: State, commit?: () => void, committed?: () => void): void;
  /** Event time of the earliest record that may complete a result of an operator; Infinity: none. */
  due(): number;
  /** The shard must be recovered from its last checkpoint. `final`: the topology ends, since it would fail again. */
  fail(error: Error, final?: boolean): void;
}

/** A running node: its figures and its health. */
export interface NodeRun {
  /** Its current form: adjustable fields may change while it runs. */
  node: CheckedNode;
  readonly id: string;
  readonly context: Context;
  readonly meter: NodeMeter;
  /** Null if no frames are traced. */
  readonly traces: NodeTraces | null;
  /** Event time of the newest record, microseconds. */
  lastRecord: number | null;
  /** Failed records since the last good one. */
  failedInRow: number;
  /** Why it is degraded. */
  readonly problems: Problems;
  /** The same for people. Setting it reports that the node itself is failing. */
  problem: string | null;
  status: 'starting' | 'active' | 'unavailable' | 'stopped';
  watermark: number;
  /** It holds many records of one source until another catches up. */
  crowded: boolean;
  /** Records that a node with several inputs holds back; null if none wait. */
  heldBack: () => HeldBack | null;
}
