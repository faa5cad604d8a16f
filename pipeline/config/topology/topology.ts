import type { Component } from '../../component/index.js';
import type { Domain, Environment, Port } from '../../model/index.js';

/** A checked topology, as the runtime compiles it. Both the YAML loader and the TypeScript builder create it. */
export interface CheckedTopology {
  readonly id: string;
  /** Its file, absolute; null if it was written in TypeScript. */
  readonly file: string | null;
  /** What relative paths are resolved against. */
  readonly folder: string;
  readonly environments: readonly Environment[];
  /** Their files by id, absolute; those that a program made have none. */
  readonly environmentFiles?: Readonly<Record<string, string>>;
  /** In topological order: each node comes after all that it reads from. */
  readonly nodes: readonly CheckedNode[];
  readonly settings: Settings;
  /** Hash of the whole content; changes with everything that matters to a run. */
  readonly hash: string;
}

export interface CheckedNode {
  readonly id: string;
  readonly component: Component;
  /** Checked, with defaults and variables filled in; without `type`, `from` and the common fields. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Hash of the code that `config` names; absent if it names none. */
  readonly contents?: string;
  /** Sources have none. */
  readonly inputs: readonly Edge[];
  /** Queue of a source; null for other nodes. */
  readonly queue: QueueSettings | null;
  /** False: an operator only passes on what it could have output itself, a sink accepts nothing. Default: true. */
  readonly enabled?: boolean;
  /** Paths in `config` that came from `${secret:...}`: never shown. */
  readonly secrets: readonly (readonly (string | number)[])[];
  /** Hash of component, configuration and inputs: an unchanged node keeps its state when a plan is applied. */
  readonly hash: string;
  /**
   * Hash of everything that its state depends on: a changed node with the same hash continues with its state.
   * Default: `hash`.
   */
  readonly stateHash?: string;
}

export const isOn = ({ enabled }: CheckedNode): boolean => enabled !== false;

/** An edge carries the upstream node's output ports that this node accepts. */
export interface Edge {
  readonly from: string;
  readonly ports: readonly Port[];
  /** Routes of the upstream node that it reads; default: all of them. */
  readonly routes?: readonly string[];
}

export interface QueueSettings {
  /** Batches. */
  readonly capacity: number;
  readonly policy: 'block' | 'drop_oldest' | 'drop_newest';
  /**
   * Frames older than this when the pump takes them are dropped and counted. Null: the limit of
   * `settings.max_lag_ms`.
   */
  readonly maxAgeMs: number | null;
}

/** Default of `settings.late_after_ms`. */
export const DEFAULT_LATE_AFTER_MS = 10_000;
/** Default of `settings.max_lag_ms`. */
export const DEFAULT_MAX_LAG_MS = 2000;
/** Default of `settings.clock_jump_ms`. */
export const DEFAULT_CLOCK_JUMP_MS = 1000;

export interface Settings {
  readonly checkpointIntervalMs: number;
  /** Raw input of sources that are not replayable is journalled until a checkpoint covers it. */
  readonly journal: boolean;
  /** Consecutive failed records of a node after which the topology is `degraded`. */
  readonly degradedAfterFailures: number;
  /** The same until it stops; null: never. */
  readonly stopAfterFailures: number | null;
  /** A live topology is `degraded` when its newest results are older. Default: 10 s. */
  readonly lateAfterMs?: number;
  /** Age limit of live results under overload, beyond which windows are shed; null: none is shed. Default: 2 s. */
  readonly maxLagMs?: number | null;
  /** Difference from the system's clock above which event time jumps. Default: 1 s. */
  readonly clockJumpMs?: number;
  /** Folder of the state (journal, checkpoints, dead letters), absolute. */
  readonly stateFolder: string;
  /** Folder of users, keys and logins, absolute. Default: the state folder. */
  readonly accountsFolder?: string;
  /** URL that clients reach this process by. */
  readonly advertisedAddress?: string;
  /** Limit on disk of each sink's outbox, whose store is offline or slow. Default: 1 GiB. */
  readonly outboxLimitBytes?: number;
  /** Seeds the `random` of every node's context. */
  readonly seed: number;
  /** Absent: nothing is deleted, encrypted or made anonymous. */
  readonly privacy?: PrivacySettings;
  /** What the deployment is for. */
  readonly domain?: Domain;
  /** Threads for the signal processing behind the sources. Default: 0, all on the main thread. */
  readonly threads?: number;
  /** Several processes share the partitions of the source; each partition is a shard. */
  readonly scaleOut?: boolean;
}

/** How, and for how long, findings about people are stored. */
export interface PrivacySettings {
  /** Null: forever. */
  readonly dataRetentionDays: number | null;
  /** Sinks receive pseudonyms, no skeletons, and positions on a grid. */
  readonly anonymizeData: boolean;
  /** Encrypts stores in files, and the state folder. */
  readonly enableEncryption: boolean;
  /** Secret for both; null: one is made in the state folder. */
  readonly key: string | null;
}
