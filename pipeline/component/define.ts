import type { Static, TObject } from 'typebox';
import type { Data, Measurement, Port } from '../model/index.js';
import type { Context, Output, State } from './context.js';
import type { Position, SourceOutput } from './input.js';
import type { Member, Partitions } from './partitions.js';
import type { RawBatch } from './raw.js';
import type { CalibrationFacts, NetworkFacts } from './settings.js';
import type { Definition, ErasedFields, Erased } from './definition.js';
import type { AnySink } from './sink.js';

// ---------------------------------------------------------------- sources

export interface Source {
  /** Reads from `position` (null: from the start) until the input ends or the signal aborts. Rejects where the input cannot be read. */
  open(position: Position, output: SourceOutput): Promise<void>;
  /** Raw records into data, in order; deterministic; never throws for bad bytes. Needed where batches are raw. */
  decode?(raw: RawBatch): Output<Data>;
  /**
   * Event time jumps by `by` microseconds: the system's clock was corrected. What was gathered is to be handed over
   * before this returns; later records may have earlier times. Asked of sources whose timing is `now`.
   */
  reanchor?(by: number): void;
  /**
   * From now on records are left out because they have waited for too long, or no longer: what waits in front of the
   * source would be left out too, and had better not wait there. Must not throw.
   */
  overloaded?(isOverloaded: boolean): void;
  /** State of `decode` (last sequence numbers), as plain data with link ids, not link numbers. */
  snapshot?(): State;
  restore?(state: State): void;
  /** True while others may have counted what was read here: no checkpoint is begun then. For a few seconds at most. */
  isUnsure?(): boolean;
  /** A checkpoint with this position is safe: brokers may be told now. Called in order; must not throw. */
  committed?(position: Position): void;
  /** Facts for status pages: addresses, unknown senders, loss per link. Plain JSON. */
  describe?(): Readonly<Record<string, unknown>>;
  close?(): Promise<void>;
}

/**
 * Whose times the records of a source have: `now` where they come as they are measured, so that results can be late;
 * `recorded` where they may be of any time.
 */
export type Timing = 'now' | 'recorded';

export interface SourceDefinition<
  N extends string = string,
  S extends TObject = TObject,
  O extends readonly Port[] = readonly Port[],
> extends Definition<N, S> {
  readonly kind: 'source';
  readonly outputs: O;
  /** Those of `outputs` that a source of this configuration has; left out: all of them. */
  readonly gives?: (config: Static<S>) => readonly O[number][];
  /**
   * What its frames hold, where that can be told before it runs; left out: channel estimates. Reads the heads of the
   * files that its configuration names, and nothing else. `folder`: where relative paths start from.
   */
  readonly measures?: (config: Static<S>, folder: string) => Measurement | undefined;
  /** True: reading again from a position gives the same records (file, Kafka, simulator). False: the journal makes it so. */
  readonly replayable: boolean;
  /** Default: `now` where it cannot be read again, else `recorded`. */
  readonly timing?: Timing | ((config: Static<S>) => Timing);
  /**
   * Set where several processes can share the input (`settings.scale_out`): each partition then runs as a shard.
   * @param member names this process in its group, also after restarts
   */
  readonly partitions?: (config: Static<S>, context: Context, member: Member) => Partitions;
  readonly create: (config: Static<S>, context: Context) => Source;
}

export const defineSource = <const N extends string, S extends TObject, const O extends readonly Port[]>(
  definition: Omit<SourceDefinition<N, S, O>, 'kind'>,
): SourceDefinition<N, S, O> => ({ ...definition, kind: 'source' });

// -------------------------------------------------------------- operators

/**
 * Works in order, one record at a time. Keeps no reference to its input unless it is part of its state,
 * and never changes it. Decides by event time only. It takes data of the ports `I`, and gives data of the ports `O`.
 */
export interface Operator<I extends Port = Port, O extends Port = Port> {
  /** May return a promise only where the definition has `asynchronous`. */
  process(data: Data<I>, from: string): Output<Data<O>> | Promise<Output<Data<O>>>;
  /**
   * Of an asynchronous operator: is shown what `process` answered, in the order of the records, and gives what goes on. Here,
   * and only here, results may hang on the ones before them, and a state that `snapshot` gives may change.
   */
  settle?(answer: Output<Data<O>>): Output<Data<O>>;
  /** Event time has reached `time` (microseconds; Infinity at the end of input): close what it closes. */
  watermark?(time: number): Output<Data<O>>;
  /**
   * The watermark to be forwarded when the input's is `time`, where it is not the same: a window
   * operator holds it back to the end of its last closed window. Asked after `watermark`.
   */
  holdWatermark?(time: number): number;
  /**
   * Event time jumps by `by` microseconds, forward or back. Closes what lies on a grid of event time, and begins that
   * anew; times in the state are moved by the runtime, as `timeFields` says.
   */
  reanchor?(by: number): Output<Data<O>>;
  /** A copy of the state, as plain data (typed arrays allowed), with link ids, not numbers. Synchronous. */
  snapshot?(): State;
  restore?(state: State): void;
  /** Goes on with another configuration, which differs in `liveFields` alone. Needed where there are any. */
  adjust?(config: Readonly<Record<string, unknown>>): void;
  describe?(): Readonly<Record<string, unknown>>;
  open?(): Promise<void>;
  close?(): Promise<void>;
}

export interface OperatorDefinition<
  N extends string = string,
  S extends TObject = TObject,
  I extends readonly Port[] = readonly Port[],
  O extends readonly Port[] = readonly Port[],
> extends Definition<N, S> {
  readonly kind: 'operator';
  readonly inputs: I;
  /** Inputs without which it never gives anything. Default: any of them will do. */
  readonly requires?: readonly I[number][] | ((config: Static<S>) => readonly I[number][]);
  readonly outputs: O;
  /** Those of `outputs` that a node of this configuration gives where it takes in `taken`; default: all of them. */
  readonly gives?: (config: Static<S>, taken: readonly Port[]) => readonly O[number][];
  /** Names of the outputs that others may read by themselves, as in `from: node.name`; each result names its own. */
  readonly routes?: (config: Static<S>) => readonly string[];
  /** What a node of this configuration needs the amplitudes of channel estimates for, as the end of a sentence; undefined where it takes any measurement. */
  readonly needsAmplitude?: (config: Static<S>) => string | undefined;
  /** Of a pose network: what can be told of it while it does not run. */
  readonly network?: NetworkFacts;
  /** Of an operator that reads what `csiflow calibrate` measured: whether it knows its room. */
  readonly calibration?: CalibrationFacts;
  /**
   * Of an operator that cuts time into the frames of which others count: the field with the time between two of them,
   * milliseconds.
   */
  readonly frameField?: string & keyof Static<S>;
  /** Set where `process` returns promises: how many may be under way. The runtime keeps their order. */
  readonly asynchronous?: { readonly maxInFlight: (config: Static<S>) => number };
  /** Fields of a snapshot, at any depth, that hold event times: where the clock was corrected, they move with it. */
  readonly timeFields?: readonly string[];
  /** Counts up when a snapshot's shape changes: an older one is migrated by `restore` or dropped, as the plan says. */
  readonly stateVersion?: number;
  readonly create: (config: Static<S>, context: Context) => Operator<I[number], O[number]>;
}

export const defineOperator = <
  const N extends string,
  S extends TObject,
  const I extends readonly Port[],
  const O extends readonly Port[],
>(
  definition: Omit<OperatorDefinition<N, S, I, O>, 'kind'>,
): OperatorDefinition<N, S, I, O> => ({ ...definition, kind: 'operator' });

/** A component of any kind, its configuration's type forgotten: what a registry holds. */
export type Component = AnySource | AnyOperator | AnySink;
// `create`, `check` and `claims` are contravariant in the configuration, so a registry holds them as methods over `never`.
export type AnySource = Omit<
  SourceDefinition,
  ErasedFields | 'gives' | 'measures' | 'partitions' | 'timing'
> &
  Erased<Source> & {
    readonly gives?: (config: never) => readonly Port[];
    readonly measures?: (config: never, folder: string) => Measurement | undefined;
    readonly partitions?: (config: never, context: Context, member: Member) => Partitions;
    readonly timing?: Timing | ((config: never) => Timing);
  };
export type AnyOperator = Omit<
  OperatorDefinition,
  ErasedFields | 'asynchronous' | 'gives' | 'needsAmplitude' | 'requires' | 'routes'
> &
  Erased<Operator> & {
    readonly gives?: (config: never, taken: readonly Port[]) => readonly Port[];
    readonly requires?: readonly Port[] | ((config: never) => readonly Port[]);
    readonly routes?: (config: never) => readonly string[];
    readonly asynchronous?: { readonly maxInFlight: (config: never) => number };
    readonly needsAmplitude?: (config: never) => string | undefined;
  };

/** Whose times the records of a source of this configuration have. */
export function timingOf({ timing, replayable }: AnySource, config: object): Timing {
  if (typeof timing === 'function') return timing(config as never);
  return timing ?? (replayable ? 'recorded' : 'now');
}

/**
 * The ports that a node of this configuration gives; without one, those of its component.
 * @param taken ports that it takes in; left out: all that its component can
 */
export function portsOf(component: Component, config?: object, taken?: readonly Port[]): readonly Port[] {
  if (component.kind === 'sink') return [];
  if (!config) return component.outputs;
  const given =
    component.kind === 'source'
      ? component.gives?.(config as never)
      : component.gives?.(config as never, taken ?? component.inputs);
  return given ?? component.outputs;
}

/** Inputs without which a node of this configuration gives nothing. */
export function requiredPorts({ requires = [] }: AnyOperator, config: object): readonly Port[] {
  return typeof requires === 'function' ? requires(config as never) : requires;
}

/** Names of the outputs of a node of this configuration that can be read by themselves. */
export const routesOf = (component: Component, config: object | undefined): readonly string[] =>
  component.kind === 'operator' && config ? (component.routes?.(config as never) ?? []) : [];

/** Whether poses are made or changed by the component, rather than passed on as they are. */
export const makesPoses = (component: Component): boolean =>
  component.kind !== 'sink' &&
  component.outputs.includes('pose') &&
  (component.kind === 'source' || component.gives === undefined);
