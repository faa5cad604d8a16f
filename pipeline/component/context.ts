import type { Clock } from '../base/clock.js';
import type { Transaction } from './transaction.js';
import type { Domain, Environment, Failure, LinkTable, Provenance } from '../model/index.js';

export type { Clock };

/**
 * Plain data that survives JSON and a structured clone. The content of snapshots and positions may also hold
 * typed arrays.
 */
export type State = unknown;

/** Structured log lines of one node. `fields` are snake_case; secrets never go in. */
export interface Logger {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** Counters of one node. Names of reasons and stages come from bounded sets. */
export interface NodeMetrics {
  /** Records dropped here, each under one reason, so that reasons add up: `unknown_sender`, `queue_full`, `malformed_empty`. */
  dropped(reason: string, count: number): void;
  /**
   * Frames that the senders numbered and that were not decoded: those lost on the way, and those already
   * counted by {@link dropped}.
   */
  missing(count: number): void;
  /** Records that failed in a stage: `decode`, `process`, `write`. */
  failed(stage: string, count: number): void;
  /** A gauge of the component, e.g. `kernel_drops`. */
  gauge(name: string, value: number, labels?: Readonly<Record<string, string>>): void;
  /** A counter of the component. */
  count(name: string, value: number): void;
}

/** What the deployment requires of components that store records (`settings.privacy`). */
export interface StoragePolicy {
  /** Records whose event time is older are deleted; null: nothing is deleted. */
  readonly retentionDays: number | null;
  /** Secret that encrypts what is stored on disk; null: nothing is encrypted. */
  readonly key: Uint8Array | null;
  /** Secret that decrypts data from before encryption was switched off; null or absent: there is none. */
  readonly formerKey?: Uint8Array | null;
}

/** All that a component receives. The same configuration, input and context give the same output. */
export interface Context {
  readonly topology: string;
  readonly node: string;
  readonly environments: readonly Environment[];
  /** Names of the components whose records this node receives. */
  readonly inputs: readonly string[];
  readonly links: LinkTable;
  readonly clock: Clock;
  /** Seeded by topology and node: a number in [0, 1). */
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics: NodeMetrics;
  /** Folder that relative paths of the configuration are resolved against: the folder of the topology's file. */
  readonly folder: string;
  /** Where this topology stores its state on disk. */
  readonly stateFolder: string;
  /** The kind of this node's sources: `live`, `replay`, or `simulated`. Sources declare it; other nodes inherit it with each record. */
  readonly provenance: Provenance;
  /** How long and how to store records; absent: forever, unencrypted. */
  readonly storage?: StoragePolicy;
  /**
   * The time by which old records are deleted, microseconds since 1970. It follows a large change of the
   * system's clock only once the change has lasted. Absent: `clock.now`.
   */
  readonly settledNow?: () => number;
  /** What the deployment is for; default: `healthcare`. */
  readonly domain?: Domain;
  /** In a scaled-out topology: what a sink sends into it is committed with the checkpoint, or never. */
  readonly transaction?: Transaction;
  /**
   * In a scaled-out topology: the partition that this instance serves. Other instances serve other partitions
   * from the same state folder.
   */
  readonly partition?: number;
  /**
   * For a sink that accepts records and delivers them later: these will never be delivered. They become dead
   * letters; a replayed one arrives through `write` again.
   */
  readonly refuse?: (failures: readonly Failure[]) => void;
  /** Reports a problem of the node's input or output, for people: the node is degraded until it reports null. */
  readonly degrade: (problem: string | null) => void;
}

/** What an operator returns: results in order, and the records that it rejected. */
export interface Output<D> {
  readonly data: readonly D[];
  /** The route of each of `data`, if the operator has `routes`. */
  readonly routes?: readonly string[];
  readonly failed?: readonly Failure[];
}

/** The output of an operator without results; shared, so that the hot path allocates nothing. */
export const NOTHING: Output<never> = { data: [] };
