import type { LiveFeed, Output, Reader, Whereabouts } from '../component/index.js';
import type { CheckedTopology } from '../config/topology/topology.js';
import type { Data, LinkTable } from '../model/index.js';
import type { LetterDesk } from './dead-letters/letter-desk.js';

export type LifecycleState =
  'stopped' | 'starting' | 'running' | 'degraded' | 'stopping' | 'restarting' | 'failed';

/** A step of a start or a stop, for status pages. */
export interface Step {
  /** `hardware_initialization`, `model_loading`, `data_pipeline_start`, `data_pipeline_stop`, `model_unloading`, ... */
  readonly step: string;
  readonly status: 'pending' | 'in_progress' | 'completed' | 'failed';
  /** 0 to 1. */
  readonly progress: number;
}

export interface NodeStatus {
  readonly id: string;
  readonly type: string;
  readonly kind: 'source' | 'operator' | 'sink';
  readonly status: 'starting' | 'active' | 'healthy' | 'degraded' | 'unavailable' | 'stopped';
  /** Why it is degraded, for people; null otherwise. */
  readonly problem: string | null;
  /** Records received and sent since the start, in frames for `csi`. */
  readonly received: number;
  readonly sent: number;
  /** By reason; each record counts once. */
  readonly dropped: Readonly<Record<string, number>>;
  /** Frames that, by the senders' numbering, were sent but not decoded; some of them are in `dropped`. */
  readonly missing: number;
  readonly failed: number;
  readonly queueDepth: number;
  /** Records of a sink that its store does not have yet: they wait in the outbox. */
  readonly undelivered: number;
  /** Event time of the newest record, microseconds; null before the first. */
  readonly lastRecord: number | null;
  /**
   * How far event time is behind the clock, milliseconds; null for recordings, which may be of any age, and before the
   * first record.
   */
  readonly lagMs: number | null;
  /** The component's own status report. */
  readonly details: Readonly<Record<string, unknown>>;
}

export interface TopologyStatus {
  readonly id: string;
  readonly state: LifecycleState;
  /** Why it is degraded or failed, for people; null otherwise. */
  readonly problem: string | null;
  /** New with each start. */
  readonly sessionId: string;
  /** Start of the session, which outlasts recoveries. Microseconds since 1970; null if never started. */
  readonly startedAt: number | null;
  /** Steps of the current start or stop, or of the last one. */
  readonly steps: readonly Step[];
  readonly nodes: readonly NodeStatus[];
  /** Last checkpoint: its epoch, its time, the longest pause of the pump. Null before the first. */
  readonly checkpoint: { readonly epoch: number; readonly at: number; readonly pauseMs: number } | null;
  /** Pose latency, milliseconds from the datagram that closed the window to the pose leaving its node: medians and 99th percentiles of the last minute. */
  readonly latencyMs: { readonly p50: number; readonly p99: number } | null;
}

/** A topology that can be run, for the API and the command line. */
export interface RunningTopology {
  readonly topology: CheckedTopology;
  readonly links: LinkTable;
  status(): TopologyStatus;
  /** The state in the status, the only part that costs nothing. */
  readonly state: LifecycleState;
  /** Resolves when it runs; rejects with the error that prevented it. */
  start(): Promise<void>;
  /**
   * Takes a checkpoint first unless `saveState` is false; `force` takes none, and does not wait for a node
   * that hangs. A second call joins the same stop, which `force` shortens.
   */
  stop(options?: { readonly force?: boolean; readonly saveState?: boolean }): Promise<void>;
  /**
   * Stops after a checkpoint and starts again, as a new session. Resolves when it runs. Rejects with the code
   * `lifecycle.conflict`, like `start`, if its state does not allow it.
   */
  restart(): Promise<void>;
  /** The changes that a new version would make. */
  plan(next: CheckedTopology): Plan;
  /**
   * Continues as `next`, from a checkpoint.
   * @throws Error with code `plan.stale` if the hash is not that of a plan to `next`; `plan.start` if it
   * could not be started: the old one then runs again.
   */
  apply(next: CheckedTopology, hash: string): Promise<void>;
  /** The topology of its next start: `topology` if no change is waiting. */
  readonly next: CheckedTopology;
  /**
   * Becomes `next`. Running nodes apply changes of `enabled` and of adjustable fields immediately; other changes
   * need a restart. A stopped topology applies everything.
   */
  adjust(next: CheckedTopology): void;
  /** Resolves when all input has ended and the last barrier has passed; never for live sources. */
  finished(): Promise<void>;
  /**
   * Passes one record to a running operator beside the stream (asynchronous, without state), which continues
   * its own work: only the caller gets the result, and no figure counts it. Rejects if no such operator runs.
   */
  ask?(node: string, data: Data): Promise<Output<Data>>;
  /**
   * Copies all its files on this machine into an empty folder below `backups` of its state folder: a
   * consistent state, and stores that a start from that state corrects. It runs meanwhile.
   */
  copyTo(folder: string): Promise<void>;
  /** Called with each change of state or of steps. Returns a function that stops the calls. */
  onChange(listener: (status: TopologyStatus) => void): () => void;
  /** Readers of the stores, by node; available while it runs. */
  readonly readers: ReadonlyMap<string, Reader>;
  /** The same, also while it is stopped: its stores are then opened for reading. Rejects if none can be. */
  openReaders(): Promise<ReadonlyMap<string, Reader>>;
  readonly feeds: ReadonlyMap<string, LiveFeed>;
  readonly letters: LetterDesk;
  /** Which process of a scaled-out topology has an environment. Rejects if the group cannot be queried. */
  whereIs?(environment: string): Promise<Whereabouts>;
}

export interface Plan {
  readonly hash: string;
  readonly changes: readonly {
    readonly node: string;
    readonly change: 'added' | 'removed' | 'changed' | 'unchanged';
    /** Effect on its state; migrated: a changed node continues with it. */
    readonly state: 'kept' | 'migrated' | 'dropped' | 'none';
    /** Dotted paths of configuration fields that differ. */
    readonly fields: readonly string[];
  }[];
}
