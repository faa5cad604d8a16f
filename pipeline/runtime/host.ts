import type { CheckedNode, Settings } from '../config/topology.js';
import type { Context, State } from '../component/index.js';
import type { Failure, LinkTable } from '../model/index.js';
import type { NodeMeter } from '../telemetry/node-meter.js';
import type { Gate } from './stages/gate.js';
import type { Problems } from './problems.js';
import type { NodeTraces } from './stages/node-traces.js';

/** How long is waited for others, milliseconds. */
export interface Patience {
  /** A barrier that takes longer makes the topology degraded. */
  readonly barrierMs: number;
  /** A write or a flush of a sink that takes longer has failed. */
  readonly writeMs: number;
  /** A stop no longer waits for a node after this time. */
  readonly stopMs: number;
  /** The same where the stop is forced. */
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

/** What the stages of a shard need from it. */
export interface Host {
  readonly clock: Context['clock'];
  readonly links: LinkTable;
  readonly gate: Gate;
  readonly settings: Settings;
  readonly patience: Patience;
  /** Records failed in a node: into the dead letters. `inRow` counts towards `degraded`. */
  failures(node: NodeRun, stage: string, failed: readonly Failure[]): void;
  /** A node has passed the barrier; its state at that moment, what is to be written with the checkpoint, and what to do when that is safe. */
  passed(node: NodeRun, epoch: number, state: State, commit?: () => void, committed?: () => void): void;
  /** The shard cannot go on: it is to be recovered from its last checkpoint. */
  fail(error: Error): void;
}

/** Records of one input that wait for others which may still bring earlier ones. */
export interface HeldBack {
  readonly input: string;
  readonly records: number;
  /** When the oldest of them arrived, monotonic milliseconds. */
  readonly since: number;
  readonly waitsFor: readonly string[];
}

/** A node while it runs: its figures and its health. */
export interface NodeRun {
  /** As it is now: its live fields may change while it runs. */
  node: CheckedNode;
  readonly id: string;
  readonly context: Context;
  readonly meter: NodeMeter;
  /** Null where no frames are traced. */
  readonly traces: NodeTraces | null;
  /** Event time of the newest record, microseconds. */
  lastRecord: number | null;
  /** Failed records since the last good one. */
  failedInRow: number;
  /** Why it is degraded. */
  readonly problems: Problems;
  /** The same for a person; setting it says that the node itself is failing. */
  problem: string | null;
  status: 'starting' | 'active' | 'unavailable' | 'stopped';
  watermark: number;
  /** It holds many records of one source until another one catches up. */
  crowded: boolean;
  /** Of a node with several inputs: what it holds back; null where nothing waits. */
  heldBack: () => HeldBack | null;
}
