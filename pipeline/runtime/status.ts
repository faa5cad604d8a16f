import type { LiveFeed, Output, Reader, Whereabouts } from '../component/index.js';
import type { CheckedTopology } from '../config/topology.js';
import type { Data, LinkTable } from '../model/index.js';
import type { LetterDesk } from './dead-letters/letter-desk.js';

export type LifecycleState =
  'stopped' | 'starting' | 'running' | 'degraded' | 'stopping' | 'restarting' | 'failed';

/** A step of a start or a stop, as status pages show it. */
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
  /** Records that came in and went out since the start, in frames for `csi`. */
  readonly received: number;
  readonly sent: number;
  /** By reason; each record counts once. */
  readonly dropped: Readonly<Record<string, number>>;
  /** Frames that the senders' numbers say were sent, and that were not decoded; some of them are among `dropped`. */
  readonly missing: number;
  readonly failed: number;
  readonly queueDepth: number;
  /** Records of a sink that its store has not got yet: they wait in the outbox. */
  readonly undelivered: number;
  /** Event time of the newest record, microseconds; null before the first. */
  readonly lastRecord: number | null;
  /** What the component says of itself. */
  readonly details: Readonly<Record<string, unknown>>;
}

export interface TopologyStatus {
  readonly id: string;
  readonly state: LifecycleState;
  /** Why it is degraded or failed, for a person; null otherwise. */
  readonly problem: string | null;
  /** New with each start. */
  readonly sessionId: string;
  /** Of the session, which a recovery does not end. Microseconds since 1970; null while it was never started. */
  readonly startedAt: number | null;
  /** Steps of the start or stop under way, or of the last one. */
  readonly steps: readonly Step[];
  readonly nodes: readonly NodeStatus[];
  /** Last checkpoint: epoch, when, how long the pump stood still at a time, at most. Null before the first. */
  readonly checkpoint: { readonly epoch: number; readonly at: number; readonly pauseMs: number } | null;
  /** Pose latency, milliseconds from the datagram that closed the window to the pose leaving its node: medians and 99th percentiles of the last minute. */
  readonly latencyMs: { readonly p50: number; readonly p99: number } | null;
}

/** A topology that can be run: what the API and the command line hold. */
export interface RunningTopology {
  readonly topology: CheckedTopology;
  readonly links: LinkTable;
  status(): TopologyStatus;
  /** The status's, which alone costs nothing to ask for. */
  readonly state: LifecycleState;
  /** Resolves when it runs; rejects with the error that prevented it. */
  start(): Promise<void>;
  /**
   * Takes a checkpoint first unless `saveState` is false; `force` takes none, and waits for no node that hangs. Asked
   * again it is the same stop, which `force` makes shorter.
   */
  stop(options?: { readonly force?: boolean; readonly saveState?: boolean }): Promise<void>;
  /**
   * Stops after a checkpoint and starts again, under a new session from now on. Resolves when it runs. Rejects with
   * the code `lifecycle.conflict`, as `start` does, where its state does not let it.
   */
  restart(): Promise<void>;
  /** What a new version would change. */
  plan(next: CheckedTopology): Plan;
  /**
   * Goes on as `next`, from a checkpoint.
   * @throws Error with code `plan.stale` where the hash is not that of a plan from now to `next`; `plan.start` where
   * it could not be started: the old one then runs again.
   */
  apply(next: CheckedTopology, hash: string): Promise<void>;
  /** What it becomes with its next start: `topology`, where nothing waits for that. */
  readonly next: CheckedTopology;
  /**
   * Becomes `next`: at once where running nodes can take the change over (`enabled`, live fields), all else with the
   * next start. Where it is stopped, all of it is taken over.
   */
  adjust(next: CheckedTopology): void;
  /** Resolves when all input has ended and the last barrier has passed; never for live sources. */
  finished(): Promise<void>;
  /**
   * Shows one record to a running operator that works beside the stream (asynchronous, without a state), which goes on
   * with its own work: what it answers goes to the caller alone, and is in no figure. Rejects where none such runs.
   */
  ask?(node: string, data: Data): Promise<Output<Data>>;
  /**
   * Copies all its files of this machine into an empty folder below the `backups` of its state folder:
   * state as it stands at one moment, and stores that a start from that state puts right. It goes on meanwhile.
   */
  copyTo(folder: string): Promise<void>;
  /** Called with each change of state or of steps. Returns how to stop that. */
  onChange(listener: (status: TopologyStatus) => void): () => void;
  /** Of the stores, by node; there while it runs. */
  readonly readers: ReadonlyMap<string, Reader>;
  /** The same, also while it is stopped: its stores are then opened to be read. Rejects where none can be. */
  openReaders(): Promise<ReadonlyMap<string, Reader>>;
  readonly feeds: ReadonlyMap<string, LiveFeed>;
  readonly letters: LetterDesk;
  /** Of a topology that is scaled out. Rejects where the group cannot be asked. */
  whereIs?(environment: string): Promise<Whereabouts>;
}

export interface Plan {
  readonly hash: string;
  readonly changes: readonly {
    readonly node: string;
    readonly change: 'added' | 'removed' | 'changed' | 'unchanged';
    /** What becomes of its state; migrated: a changed node goes on with it. */
    readonly state: 'kept' | 'migrated' | 'dropped' | 'none';
    /** Dotted paths of configuration fields that differ. */
    readonly fields: readonly string[];
  }[];
}
