import type { Static, TObject } from 'typebox';
import type { Data, Failure, Port } from '../model/index.js';
import type { Context, State } from './context.js';
import type { LiveFeed } from './live-feed.js';
import type { Reader } from './reader.js';
import type { Definition, ErasedFields, Erased } from './definition.js';

/** How a sink becomes right again after a crash. */
export type Recovery = 'idempotent' | 'rewind' | 'at-least-once';

/** Takes records of the ports `I`. */
export interface Sink<I extends Port = Port> {
  /**
   * Rejects where the store cannot be opened. Where the other side is merely away ({@link isAway}: a code of
   * the network, or `retriable: true` on the error) the topology runs without it, degraded, its records go to
   * the outbox, and a new instance is opened again and again; this one is closed. Any other error prevents the
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
   * Called before `open` at each start: where what lies on disk is encrypted and `storage.key` is null, or is not and
   * `storage.key` is there, it is written anew, whole or not at all. What takes long is logged. Without it, a sink
   * stores nothing on disk, or nothing that is encrypted.
   */
  reseal?(): Promise<void>;
  /** How far the store has come: asked after a flush, stored in the checkpoint, and given to `rewind` at the next start. */
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
   * stores on disk (`encryption`). A sink that stores nothing names both. Default: neither, and validation warns.
   */
  readonly privacy?: readonly ('retention' | 'encryption')[];
  /** Its sinks can be read back: they have a `reader`. */
  readonly store?: boolean;
  /**
   * Records of several inputs come by event time: each waits until the watermarks of all inputs have passed it, late
   * ones come where they arrive. While more than 4,096 wait, so does the pump, for two seconds without any progress at
   * most. Default: as they arrive.
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
export type AnySink = Omit<SinkDefinition, ErasedFields | 'recovery' | 'maxInFlight'> &
  Erased<Sink> & {
    readonly recovery: Recovery | ((config: never) => Recovery);
    readonly maxInFlight?: (config: never) => number;
  };

/** How a sink of this configuration recovers. */
export const recoveryOf = ({ recovery }: AnySink, config: object): Recovery =>
  typeof recovery === 'function' ? recovery(config as never) : recovery;
