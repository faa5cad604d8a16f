import type { Clock } from '../base/clock.js';
import type { Transaction } from './transaction.js';
import type { Domain, Environment, Failure, LinkTable, Provenance } from '../model/index.js';

export type { Clock };

/** Plain data that survives JSON and a structured clone: snapshots' and positions' content may also hold typed arrays. */
export type State = unknown;

/** Structured log lines of one node. `fields` are snake_case; secrets never go in. */
export interface Logger {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** Counters of one node. All names of reasons and stages are bounded sets. */
export interface NodeMetrics {
  /** Records that were lost here, each under one reason, so that reasons add up: `unknown_sender`, `queue_full`, `malformed_empty`. */
  dropped(reason: string, count: number): void;
  /** Frames that senders numbered and that were not decoded: those lost on the way, and those counted by {@link dropped} before. */
  missing(count: number): void;
  /** Records that failed in a stage: `decode`, `process`, `write`. */
  failed(stage: string, count: number): void;
  /** A gauge of the component's own, e.g. `kernel_drops`. */
  gauge(name: string, value: number, labels?: Readonly<Record<string, string>>): void;
  /** A counter of the component's own. */
  count(name: string, value: number): void;
}

/** What the deployment asks of components that store records (`settings.privacy`). */
export interface StoragePolicy {
  /** Records whose event time lies further back are deleted; null: nothing is deleted. */
  readonly retentionDays: number | null;
  /** Secret that encrypts what is stored on disk; null: nothing is encrypted. */
  readonly key: Uint8Array | null;
  /** Secret that opens what was encrypted before that was switched off; null or left out: there is none. */
  readonly formerKey?: Uint8Array | null;
}

/** All that a component gets from outside. The same configuration, input and context give the same output. */
export interface Context {
  readonly topology: string;
  readonly node: string;
  readonly environments: readonly Environment[];
  /** Names of the components whose records this node gets. */
  readonly inputs: readonly string[];
  readonly links: LinkTable;
  readonly clock: Clock;
  /** Seeded by topology and node: a number in [0, 1). */
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics: NodeMetrics;
  /** Folder that relative paths of the configuration start from: the folder of the topology's file. */
  readonly folder: string;
  /** Where this topology stores its state on disk. */
  readonly stateFolder: string;
  /** What the sources of this node are: `live`, `replay`, or `simulated`. Sources say it themselves; others inherit it with each record. */
  readonly provenance: Provenance;
  /** How long and how to store records; left out: for ever, and in the clear. */
  readonly storage?: StoragePolicy;
  /**
   * The time by which old records are to be deleted, microseconds since 1970: it does not follow a system clock that
   * was set far off before that has lasted. Left out: `clock.now`.
   */
  readonly settledNow?: () => number;
  /** What the deployment is for; default: `healthcare`. */
  readonly domain?: Domain;
  /** Where a topology is scaled out: what a sink sends into it comes with the checkpoint, or never. */
  readonly transaction?: Transaction;
  /** Where a topology is scaled out: the partition that this instance serves. Others serve others from the same state folder. */
  readonly partition?: number;
  /**
   * For a sink that takes records over and delivers them later: these will never be delivered. They become dead
   * letters, and where one is replayed it comes by `write` again.
   */
  readonly refuse?: (failures: readonly Failure[]) => void;
  /** What is wrong with what the node works on, for a person: it is degraded by that until it says null. */
  readonly degrade: (problem: string | null) => void;
}

/** What an operator returns: results in order, and the records that it could not take. */
export interface Output<D> {
  readonly data: readonly D[];
  /** Of an operator with `routes`: the route of each of `data`. */
  readonly routes?: readonly string[];
  readonly failed?: readonly Failure[];
}

/** The output of an operator that has nothing to say; shared, so that the hot path allocates nothing. */
export const NOTHING: Output<never> = { data: [] };
