import type { CheckedNode, Settings } from '../../config/topology/topology.js';
import type { Data, Environment, Failure, Provenance } from '../../model/index.js';
import type { Level } from '../../telemetry/log.js';
import type { NodeMeter } from '../../telemetry/node-meter.js';
import type { Signal } from '../signals/signal.js';
import type { SentSignal } from './transfer.js';
import type { OperatorSnapshot } from '../stages/operator-stage.js';

/** A node as a message carries it: components hold code, which its thread loads. */
export interface SentNode extends Omit<CheckedNode, 'component'> {
  /** URL of the module that exports the component, compiled. */
  readonly module: string;
  /** Name of the component. */
  readonly name: string;
}

/** A source that nodes of the thread read. It runs outside. */
export interface SentSource {
  readonly id: string;
  readonly name: string;
  readonly replayable: boolean;
}

/** What a thread is started with. */
export interface ThreadSetup {
  readonly topology: string;
  readonly folder: string;
  readonly settings: Settings;
  readonly environments: readonly Environment[];
  readonly sources: readonly SentSource[];
  readonly nodes: readonly SentNode[];
  /** Nodes whose records others read outside. */
  readonly exported: readonly string[];
}

export type ToThread =
  | { readonly kind: 'begin'; readonly snapshots: ReadonlyMap<string, OperatorSnapshot> }
  | { readonly kind: 'signals'; readonly signals: readonly SentSignal[] }
  | { readonly kind: 'origin'; readonly source: string; readonly origin: Provenance['origin'] }
  | { readonly kind: 'adjust'; readonly nodes: readonly SentNode[] }
  /** Nodes whose records somebody watches. */
  | { readonly kind: 'watch'; readonly nodes: readonly string[] }
  /** The nodes close, and the thread says so. */
  | { readonly kind: 'close' }
  | { readonly kind: 'replay'; readonly node: string; readonly number: number; readonly signal: Signal };

/** In the order in which they happened. */
export type ThreadEvent =
  | { readonly kind: 'signal'; readonly node: string; readonly signal: Signal }
  | { readonly kind: 'shown'; readonly node: string; readonly record: Data }
  | {
      readonly kind: 'failures';
      readonly node: string;
      readonly stage: string;
      readonly failed: readonly SentFailure[];
    }
  /** A record succeeded after some that failed. */
  | { readonly kind: 'recovered'; readonly node: string }
  | {
      readonly kind: 'passed';
      readonly node: string;
      readonly epoch: number;
      readonly snapshot: OperatorSnapshot;
    }
  | { readonly kind: 'problem'; readonly node: string; readonly text: string | null }
  | { readonly kind: 'figure'; readonly node: string; readonly figure: Figure }
  | { readonly kind: 'log'; readonly level: Level; readonly message: string; readonly fields: Fields }
  /** `final`: the same would happen again after a restart. */
  | { readonly kind: 'fail'; readonly message: string; readonly final: boolean };

export interface SentFailure extends Failure {
  /** Its record came from a dead letter, by {@link ToThread} `replay`. */
  readonly replayed?: number;
}

export type Fields = Readonly<Record<string, unknown>>;

/** A call of the node's meter. */
export type Figure = {
  [Name in FigureName]: readonly [Name, ...Parameters<NodeMeter[Name]>];
}[FigureName];
type FigureName = 'dropped' | 'missing' | 'failed' | 'gauge' | 'count';

/** What has changed in a node since the last answer. */
export interface NodeUpdate {
  readonly id: string;
  readonly received: number;
  readonly sent: number;
  readonly seconds: number;
  readonly watermark: number;
  readonly lastRecord: number | null;
  /** See `Operator.due`. */
  readonly due: number;
  /** About once a second. */
  readonly described?: Readonly<Record<string, unknown>>;
}

export type FromThread =
  | { readonly kind: 'opened'; readonly node: string }
  | { readonly kind: 'not opened'; readonly node: string; readonly message: string; readonly code?: unknown }
  /** With what the nodes have logged on the way. */
  | { readonly kind: 'closed'; readonly events: readonly ThreadEvent[] }
  /** One for each message with signals, and for each replay. */
  | {
      readonly kind: 'done';
      readonly events: readonly ThreadEvent[];
      readonly updates: readonly NodeUpdate[];
    }
  /** Events that answer no message with signals. */
  | { readonly kind: 'events'; readonly events: readonly ThreadEvent[] };
