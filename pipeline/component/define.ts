import type { Static, TObject } from 'typebox';
import type { Data, Port } from '../model/index.js';
import type { Context, Output, State } from './context.js';
import type { LiveFeed } from './live-feed.js';
import type { Position, SourceOutput } from './input.js';
import type { Partitions } from './partitions.js';
import type { RawBatch } from './raw.js';
import type { Reader } from './reader.js';
import type { Failure } from '../model/index.js';

/**
 * One file holds one component: its configuration's schema with descriptions, defaults and examples,
 * then what it does. From the schema come the TypeScript type, the check, the error messages, the JSON
 * schema for editors, the docs page and `csiflow create`.
 */
interface Definition<N extends string, S extends TObject> {
  /** kebab-case; sources and sinks are nouns, operators verbs. */
  readonly name: N;
  /** One sentence. */
  readonly summary: string;
  /** Markdown: when to use it, what it does, gotchas, sources. */
  readonly description?: string;
  /** Every field with a description; a default wherever a sensible one exists; units in the names (`_ms`, `_bytes`, `_hz`). */
  readonly config: S;
  /** Complete configurations (without `type` and `from`), each valid by the schema. */
  readonly examples: readonly { readonly title: string; readonly config: Partial<Static<S>> }[];
  /**
   * Rules that a schema cannot say (one field against another). Pure: no input or output.
   * Each complaint names the field by its path in the node's configuration, [] for the whole.
   */
  readonly check?: (config: Static<S>) => readonly Complaint[];
  /** What a node of this configuration takes for itself alone. `folder`: where relative paths start from. Pure. */
  readonly claims?: (config: Static<S>, folder: string) => readonly Claim[];
  /**
   * Fields that a snapshot of its state is only right for: where another one changes (a threshold), the node goes on
   * with the state that it has. Left out: all fields.
   */
  readonly stateFields?: readonly (string & keyof Static<S>)[];
  /** Fields that a running node takes over at once, by `adjust`; they must be left out of `stateFields`. */
  readonly liveFields?: readonly (string & keyof Static<S>)[];
}

/** What one node of a process alone can have: a port, a file, a name at a broker. */
export interface Claim {
  /** As a person is told, and compared: `UDP port 5005`. Never holds a secret. */
  readonly what: string;
  /** Where it is taken in part, such as on one address; left out: the whole of it. */
  readonly part?: string;
  /** Field of the configuration that says so. */
  readonly field: string;
}

export interface Complaint {
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** Dotted code; default `config.value.invalid`. */
  readonly code?: string;
  readonly severity?: 'error' | 'warning';
}

/** What `hostFault` or `urlFault` found, as a complaint about the field that it stands in. */
export const hostComplaints = (path: Complaint['path'], fault: string | undefined): readonly Complaint[] =>
  fault === undefined ? [] : [{ path, message: fault, code: 'config.value.host' }];

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
  /** True: reading again from a position gives the same records (file, Kafka, simulator). False: the journal makes it so. */
  readonly replayable: boolean;
  /** Default: `now` where it cannot be read again, else `recorded`. */
  readonly timing?: Timing | ((config: Static<S>) => Timing);
  /**
   * Set where several processes can share the input (`settings.scale_out`): each partition then runs as a shard.
   * @param member names this process in its group, also after restarts
   */
  readonly partitions?: (config: Static<S>, context: Context, member: string) => Partitions;
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
  readonly requires?: readonly I[number][];
  readonly outputs: O;
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

// ------------------------------------------------------------------ sinks

/** How a sink becomes right again after a crash. */
export type Recovery = 'idempotent' | 'rewind' | 'at-least-once';

/** Takes records of the ports `I`. */
export interface Sink<I extends Port = Port> {
  /**
   * Rejects where the store cannot be opened. Where the other side is merely away ({@link isAway}: a code of
   * the network, or `retriable: true` on the error) the topology runs without it, degraded, its records go to
   * the outbox, and a new instance is opened again and again; this one is closed. Any other error keeps the
   * topology from starting, unless this node has worked with the same configuration before.
   */
  open(): Promise<void>;
  /** Takes records of one epoch, in order. Resolves with those that it could not take; rejects only where nothing was taken. */
  write(records: readonly Data<I>[], epoch: number): Promise<readonly Failure[]>;
  /**
   * After it all that was written since the last flush is in the store. Rejects where that is not so, or cannot
   * be known: then all of it is written again. A client that answers before it has sent is to be asked here.
   */
  flush(): Promise<void>;
  /**
   * Called before `open` at each start: where what lies on disk is encrypted and `keeping.key` is null, or is not and
   * `keeping.key` is there, it is written anew, whole or not at all. What takes long is logged. Without it, a sink
   * keeps nothing on disk, or nothing that is encrypted.
   */
  reseal?(): Promise<void>;
  /** How far the store has come: asked after a flush, kept in the checkpoint, and given to `rewind` at the next start. */
  mark?(): State;
  /**
   * Deletes what was written in epochs later than `epoch`. Needed where recovery is `rewind`.
   * @param mark of the last checkpoint; undefined where it has none
   * @throws Error `store.damaged` where the store lacks some of what it held then
   */
  rewind?(epoch: number, mark?: State): Promise<void>;
  /** The checkpoint of `epoch` is safe: what was written up to it is never taken back. Called in order; must not throw. */
  committed?(epoch: number): void;
  /**
   * Copies what is stored into `folder`, which is empty and lies in the `backups` of the context's state folder,
   * while the sink is open and goes on writing. For what lies in files: servers have backups of their own. A sink
   * without `reader` is not opened for a copy of a topology that does not run.
   */
  copyTo?(folder: string): Promise<void>;
  /**
   * Before `open`: brings such a copy beside what is stored. What it gives then puts it in its place, by renaming alone,
   * and moves what was there aside to a name ending in `aside`; it may be called again where it was broken off.
   */
  restoreFrom?(folder: string, aside: string): Promise<() => void>;
  /** A store can be read back. */
  readonly reader?: Reader;
  /** A sink that people listen to live. */
  readonly feed?: LiveFeed;
  describe?(): Readonly<Record<string, unknown>>;
  close(): Promise<void>;
}

export interface SinkDefinition<
  N extends string = string,
  S extends TObject = TObject,
  I extends readonly Port[] = readonly Port[],
> extends Definition<N, S> {
  readonly kind: 'sink';
  readonly inputs: I;
  /** A function where it depends on the configuration. */
  readonly recovery: Recovery | ((config: Static<S>) => Recovery);
  /**
   * What of `settings.privacy` it sees to by itself: it deletes what is older (`retention`), it encrypts what it
   * keeps on disk (`encryption`). A sink that keeps nothing names both. Default: neither, and validation warns.
   */
  readonly privacy?: readonly ('retention' | 'encryption')[];
  /** Its sinks can be read back: they have a `reader`. */
  readonly store?: boolean;
  /**
   * Records of several inputs come by event time: each waits until the watermarks of all inputs have passed it, late
   * ones come where they arrive. While an input stands still, 4,096 wait at most. Default: as they arrive.
   */
  readonly ordered?: boolean;
  /** It writes through `context.transaction` where there is one: exactly once then. */
  readonly transactional?: boolean;
  /**
   * Set where records may be written in any order: how many writes may be under way, also beside a flush. What
   * `write` has taken is safe then. Left out: one after the other, in order.
   */
  readonly maxInFlight?: (config: Static<S>) => number;
  /** Fields that must be as the source has them where it writes through a transaction: the connection is the source's. */
  readonly likeSource?: readonly string[];
  readonly create: (config: Static<S>, context: Context) => Sink<I[number]>;
}

export const defineSink = <const N extends string, S extends TObject, const I extends readonly Port[]>(
  definition: Omit<SinkDefinition<N, S, I>, 'kind'>,
): SinkDefinition<N, S, I> => ({ ...definition, kind: 'sink' });

/** A component of any kind, its configuration's type forgotten: what a registry holds. */
export type Component = AnySource | AnyOperator | AnySink;
// `create`, `check` and `claims` are contravariant in the configuration, so a registry holds them as methods over `never`.
export type AnySource = Omit<SourceDefinition, ErasedFields | 'gives' | 'partitions' | 'timing'> &
  Erased<Source> & {
    readonly gives?: (config: never) => readonly Port[];
    readonly partitions?: (config: never, context: Context, member: string) => Partitions;
    readonly timing?: Timing | ((config: never) => Timing);
  };
export type AnyOperator = Omit<OperatorDefinition, ErasedFields | 'asynchronous'> &
  Erased<Operator> & { readonly asynchronous?: { readonly maxInFlight: (config: never) => number } };
export type AnySink = Omit<SinkDefinition, ErasedFields | 'recovery' | 'maxInFlight'> &
  Erased<Sink> & {
    readonly recovery: Recovery | ((config: never) => Recovery);
    readonly maxInFlight?: (config: never) => number;
  };

/** Whose times the records of a source of this configuration have. */
export function timingOf({ timing, replayable }: AnySource, config: object): Timing {
  if (typeof timing === 'function') return timing(config as never);
  return timing ?? (replayable ? 'recorded' : 'now');
}

/** The ports that a node of this configuration gives; without one, those of its component. */
export function portsOf(component: Component, config?: object): readonly Port[] {
  if (component.kind === 'sink') return [];
  const given = component.kind === 'source' && config ? component.gives?.(config as never) : undefined;
  return given ?? component.outputs;
}

/** How a sink of this configuration recovers. */
export const recoveryOf = ({ recovery }: AnySink, config: object): Recovery =>
  typeof recovery === 'function' ? recovery(config as never) : recovery;

type ErasedFields = 'create' | 'check' | 'claims' | 'examples';

interface Erased<I> {
  readonly examples: readonly { readonly title: string; readonly config: object }[];
  readonly check?: (config: never) => readonly Complaint[];
  readonly claims?: (config: never, folder: string) => readonly Claim[];
  readonly create: (config: never, context: Context) => I;
}
