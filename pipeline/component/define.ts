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
  /** Reads from `position` (null: from the start) until the input ends or the signal aborts. Rejects if the input cannot be read. */
  open(position: Position, output: SourceOutput): Promise<void>;
  /** Decodes raw records, in order and deterministically; never throws for bad bytes. Required if batches are raw. */
  decode?(raw: RawBatch): Output<Data>;
  /**
   * Event time jumps by `by` microseconds, because the system's clock was corrected. The source hands over
   * what it has gathered before this returns; later records may have earlier times. Called on sources whose
   * timing is `now`.
   */
  reanchor?(by: number): void;
  /**
   * Reports that the pump has started or stopped skipping records that have waited too long. Records waiting
   * in front of the source would be skipped too, so it should not queue any. Must not throw.
   */
  overloaded?(isOverloaded: boolean): void;
  /** State of `decode` (last sequence numbers), as plain data with link ids, not link numbers. */
  snapshot?(): State;
  restore?(state: State): void;
  /**
   * True while other processes may have counted what was read here. No checkpoint begins then; a few seconds
   * at most.
   */
  isUnsure?(): boolean;
  /**
   * A checkpoint with this position is safe, so the source may acknowledge it to its broker. Called in order;
   * must not throw.
   */
  committed?(position: Position): void;
  /** Facts for status pages: addresses, unknown senders, loss per link. Plain JSON. */
  describe?(): Readonly<Record<string, unknown>>;
  close?(): Promise<void>;
}

/**
 * What the times of a source's records mean. `now`: they arrive as they are measured, so results can be late.
 * `recorded`: they can be of any time.
 */
export type Timing = 'now' | 'recorded';

export interface SourceDefinition<
  N extends string = string,
  S extends TObject = TObject,
  O extends readonly Port[] = readonly Port[],
> extends Definition<N, S> {
  readonly kind: 'source';
  readonly outputs: O;
  /** The subset of `outputs` that a source with this configuration has. Default: all of them. */
  readonly gives?: (config: Static<S>) => readonly O[number][];
  /**
   * What its frames hold, if that is known before it runs. Default: channel estimates. Reads only the headers
   * of the files that its configuration names. Relative paths are resolved against `folder`.
   */
  readonly measures?: (config: Static<S>, folder: string) => Measurement | undefined;
  /**
   * True: reading again from a position gives the same records (file, Kafka, simulator). False: csiflow
   * journals the records.
   */
  readonly replayable: boolean;
  /**
   * True: sends a simulated scene whose truth is known. Its configuration has `start_time`, and `truth`, the
   * file in which it writes where everybody is.
   */
  readonly simulates?: boolean;
  /** Default: `now` if it is not replayable, otherwise `recorded`. */
  readonly timing?: Timing | ((config: Static<S>) => Timing);
  /**
   * Set if several processes can share the input (`settings.scale_out`): each partition then runs as a shard.
   * @param member names this process in its group, and stays the same over restarts
   */
  readonly partitions?: (config: Static<S>, context: Context, member: Member) => Partitions;
  readonly create: (config: Static<S>, context: Context) => Source;
}

export const defineSource = <const N extends string, S extends TObject, const O extends readonly Port[]>(
  definition: Omit<SourceDefinition<N, S, O>, 'kind'>,
): SourceDefinition<N, S, O> => ({ ...definition, kind: 'source' });

// -------------------------------------------------------------- operators

/**
 * Works in order, one record at a time. Keeps no reference to its input unless it is part of its state, and
 * never changes it. Decides by event time only. It takes data of the ports `I` and returns data of the ports
 * `O`.
 */
export interface Operator<I extends Port = Port, O extends Port = Port, Z = State> {
  /** May return a promise only if the definition has `asynchronous`. */
  process(data: Data<I>, from: string): Output<Data<O>> | Promise<Output<Data<O>>>;
  /**
   * For asynchronous operators: receives what `process` returned, in the order of the records, and returns
   * the final results. Only here may results depend on earlier ones, and may state that `snapshot` returns
   * change.
   */
  settle?(answer: Output<Data<O>>): Output<Data<O>>;
  /** Event time has reached `time` (microseconds; Infinity at the end of input): close what ends by then. */
  watermark?(time: number): Output<Data<O>>;
  /**
   * The watermark to forward when the input's is `time`, if it differs: a window operator holds it back to
   * the end of its last closed window. Called after `watermark`.
   */
  holdWatermark?(time: number): number;
  /**
   * Event time, microseconds, of the earliest record that may complete a result: it is processed at once, while
   * a live source may gather others for some milliseconds to save processor time. Default: no result is urgent.
   */
  due?(): number;
  /**
   * Event time jumps by `by` microseconds, forward or back. The operator closes what is aligned to event time
   * and starts it again; the runtime moves times in the state, as `timeFields` says.
   */
  reanchor?(by: number): Output<Data<O>>;
  /** A copy of the state, as plain data (typed arrays allowed), with link ids, not numbers. Synchronous. */
  snapshot?(): Z;
  /** @param state what `snapshot` returned; its shape is checked by `stateVersion` */
  restore?(state: Z): void;
  /** Continues with another configuration, which differs only in `liveFields`. Required if there are any. */
  adjust?(config: Readonly<Record<string, unknown>>): void;
  /** Facts for status pages, as plain JSON. Those about rooms are in `rooms`, by the id of the environment. */
  describe?(): Readonly<Record<string, unknown>>;
  open?(): Promise<void>;
  close?(): Promise<void>;
}

export interface OperatorDefinition<
  N extends string = string,
  S extends TObject = TObject,
  I extends readonly Port[] = readonly Port[],
  O extends readonly Port[] = readonly Port[],
  Z = State,
> extends Definition<N, S> {
  readonly kind: 'operator';
  readonly inputs: I;
  /** Inputs without which it never gives anything. Default: any of them will do. */
  readonly requires?: readonly I[number][] | ((config: Static<S>) => readonly I[number][]);
  /** How many nodes or routes its `from` must name, no more and no fewer. Default: any number. */
  readonly nodesRead?: number;
  readonly outputs: O;
  /** The subset of `outputs` of a node with this configuration that reads `taken`; default: all of them. */
  readonly gives?: (config: Static<S>, taken: readonly Port[]) => readonly O[number][];
  /** Names of the outputs that others may read by themselves, as in `from: node.name`; each result names its own. */
  readonly routes?: (config: Static<S>) => readonly string[];
  /** What a node of this configuration needs the amplitudes of channel estimates for, as the end of a sentence; undefined if it accepts any measurement. */
  readonly needsAmplitude?: (config: Static<S>) => string | undefined;
  /**
   * What a node of this configuration does with the levels of links, how strong they are as a whole: `needs` them, or
   * `removes` them from its output. Default: neither.
   */
  readonly level?: (config: Static<S>) => 'needs' | 'removes' | undefined;
  /** Facts about a pose network that are known while it does not run. */
  readonly network?: NetworkFacts;
  /** Whether an operator that reads what `csiflow calibrate` measured knows its room. */
  readonly calibration?: CalibrationFacts;
  /**
   * The field with the interval between two frames, milliseconds, of an operator that cuts time into frames
   * that others count.
   */
  readonly frameField?: string & keyof Static<S>;
  /** Set if `process` returns promises: how many may be in flight. The runtime keeps their order. */
  readonly asynchronous?: { readonly maxInFlight: (config: Static<S>) => number };
  /** Fields of a snapshot, at any depth, that hold event times: when the clock is corrected, they move with it. */
  readonly timeFields?: readonly string[];
  /**
   * Incremented when the shape of a snapshot changes: an older snapshot is migrated by `restore` or dropped,
   * as the plan says.
   */
  readonly stateVersion?: number;
  /**
   * `import.meta.url` of the module that exports it, which lets its nodes run in a thread
   * (`settings.threads`). Not for operators that share memory with other code or use the clock; their results are
   * copied.
   */
  readonly module?: string;
  readonly create: (config: Static<S>, context: Context) => Operator<I[number], O[number], Z>;
}

export const defineOperator = <
  const N extends string,
  S extends TObject,
  const I extends readonly Port[],
  const O extends readonly Port[],
  Z = State,
>(
  definition: Omit<OperatorDefinition<N, S, I, O, Z>, 'kind'>,
): OperatorDefinition<N, S, I, O, Z> => ({ ...definition, kind: 'operator' });

/** A component of any kind without its configuration's type, as a registry holds it. */
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
  ErasedFields | 'asynchronous' | 'gives' | 'level' | 'needsAmplitude' | 'requires' | 'routes'
> &
  Erased<Operator> & {
    readonly gives?: (config: never, taken: readonly Port[]) => readonly Port[];
    readonly requires?: readonly Port[] | ((config: never) => readonly Port[]);
    readonly routes?: (config: never) => readonly string[];
    readonly asynchronous?: { readonly maxInFlight: (config: never) => number };
    readonly level?: (config: never) => 'needs' | 'removes' | undefined;
    readonly needsAmplitude?: (config: never) => string | undefined;
  };

/** What the times of a source with this configuration mean. */
export function timingOf({ timing, replayable }: AnySource, config: object): Timing {
  if (typeof timing === 'function') return timing(config as never);
  return timing ?? (replayable ? 'recorded' : 'now');
}

/**
 * The ports that a node of this configuration gives; without one, those of its component.
 * @param taken ports that it reads; default: all that its component can
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
