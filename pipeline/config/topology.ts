import type { Component } from '../component/index.js';
import type { Domain, Environment, Port } from '../model/index.js';

/** A topology after all checks: what the runtime compiles. Made by the YAML loader and by the TypeScript builder alike. */
export interface CheckedTopology {
  readonly id: string;
  /** The file that it was read from, absolute; null where it was written in TypeScript. */
  readonly file: string | null;
  /** Folder that relative paths start from. */
  readonly folder: string;
  readonly environments: readonly Environment[];
  /** In topological order: each node comes after all that it reads from. */
  readonly nodes: readonly CheckedNode[];
  readonly settings: Settings;
  /** Of the whole content; changes when anything changes that matters to a run. */
  readonly hash: string;
}

export interface CheckedNode {
  readonly id: string;
  readonly component: Component;
  /** Checked, with defaults filled in and variables put in; without `type`, `from` and the common fields. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Sources have none. */
  readonly inputs: readonly Edge[];
  /** Of sources; null for other nodes. */
  readonly queue: QueueSettings | null;
  /** False: an operator passes on what it could have given itself, a sink takes nothing. Default: true. */
  readonly enabled?: boolean;
  /** Paths in `config` that came from `${secret:...}`: never shown. */
  readonly secrets: readonly (readonly (string | number)[])[];
  /** Of component, configuration and inputs: an unchanged node keeps its state over an `apply`. */
  readonly hash: string;
  /** Of all that its state depends on: a changed node with the same one goes on with its state. Default: `hash`. */
  readonly stateHash?: string;
}

/** An edge carries those of the upstream node's output ports that this node takes in. */
export interface Edge {
  readonly from: string;
  readonly ports: readonly Port[];
  /** Routes of the upstream node that it reads; left out: all that the node gives. */
  readonly routes?: readonly string[];
}

export interface QueueSettings {
  /** Batches. */
  readonly capacity: number;
  readonly policy: 'block' | 'drop_oldest' | 'drop_newest';
  /** Frames older than this when the pump takes them are dropped and counted. Null: what `settings.max_lag_ms` says. */
  readonly maxAgeMs: number | null;
}

/** Of `settings.late_after_ms`. */
export const DEFAULT_LATE_AFTER_MS = 10_000;
/** Of `settings.max_lag_ms`. */
export const DEFAULT_MAX_LAG_MS = 2000;
/** Of `settings.clock_jump_ms`. */
export const DEFAULT_CLOCK_JUMP_MS = 1000;

export interface Settings {
  readonly checkpointIntervalMs: number;
  /** Raw input of sources that cannot be replayed is journalled until a checkpoint covers it. */
  readonly journal: boolean;
  /** Failed records in a row of one node until the topology is `degraded`. */
  readonly degradedAfterFailures: number;
  /** The same until it stops; null: never. */
  readonly stopAfterFailures: number | null;
  /** Age of the newest results from which on a live topology is `degraded`. Default: 10 s. */
  readonly lateAfterMs?: number;
  /** Age of live results that overload may lead to, before windows are shed; null: none is shed. Default: 2 s. */
  readonly maxLagMs?: number | null;
  /** Difference to the system's clock from which on event time jumps. Default: 1 s. */
  readonly clockJumpMs?: number;
  /** State (journal, checkpoints, dead letters) lies here, absolute. */
  readonly stateFolder: string;
  /** Users, keys and logins lie here, absolute. Default: the state folder. */
  readonly accountsFolder?: string;
  /** URL that clients reach this process by. */
  readonly advertisedAddress?: string;
  /** Records of a store that is away or slow take no more than this on disk, for each sink. Default: 1 GiB. */
  readonly outboxLimitBytes?: number;
  /** Seeds the `random` of every node's context. */
  readonly seed: number;
  /** Left out: nothing is deleted, encrypted or made anonymous. */
  readonly privacy?: PrivacySettings;
  /** What the deployment is for. */
  readonly domain?: Domain;
  /** Several processes share the partitions of the source; each partition is a shard. */
  readonly scaleOut?: boolean;
}

/** How long and how what was found out about people is stored. */
export interface PrivacySettings {
  /** Null: for ever. */
  readonly dataRetentionDays: number | null;
  /** Sinks get pseudonyms, no skeletons, and positions on a grid. */
  readonly anonymizeData: boolean;
  /** Of stores in files, and of the state folder. */
  readonly enableEncryption: boolean;
  /** Secret for both; null: one is made in the state folder. */
  readonly key: string | null;
}
