import type { Static, TObject } from 'typebox';
import type { Data, Failure, Port } from '../model/index.js';
import type { Context, State } from './context.js';
import type { LiveFeed } from './live-feed.js';
import type { Reader } from './reader.js';
import type { Definition, ErasedFields, Erased } from './definition.js';

/** How a sink becomes consistent again after a crash. */
export type Recovery = 'idempotent' | 'rewind' | 'at-least-once';

/** Takes records of the ports `I`. */
export interface Sink<I extends Port = Port> {
  /**
   * Rejects if the store cannot be opened. If the other side is only unavailable ({@link isAway}: a network
   * error, or `retriable: true` on the error), this instance is closed and the topology runs degraded:
   * records go to the outbox, and csiflow retries with new instances. Any other error prevents the topology
   * from starting, unless this node has worked with the same configuration before.
   */
  open(): Promise<void>;
  /** Takes records of one epoch, in order. Resolves with the records that it rejected; fails only if it accepted none. */
  write(records: readonly Data<I>[], epoch: number): Promise<readonly Failure[]>;
  /**
   * After it, everything written since the last flush is in the store. Rejects if it is not, or if that is
   * unknown: then all of it is written again. If the client acknowledges before it has sent, wait for it
   * here.
   */
  flush(): Promise<void>;
  /**
   * Called before `open` at each start. Rewrites stored data atomically if it is encrypted and `storage.key`
   * is null, or the other way round. Logs long rewrites. Sinks without it store nothing on disk, or nothing
   * encrypted.
   */
  reseal?(): Promise<void>;
  /**
   * How far the store has got: queried after a flush, stored in the checkpoint, and passed to `rewind` at the
   * next start.
   */
  mark?(): State;
  /**
   * Deletes what was written in epochs later than `epoch`. Required if recovery is `rewind`.
   * @param mark of the last checkpoint; undefined if it has none
   * @throws Error `store.damaged` if the store lacks rows that it held then
   */
  rewind?(epoch: number, mark?: State): Promise<void>;
  /** The checkpoint of `epoch` is safe: nothing written up to it is ever rewound. Called in order; must not throw. */
  committed?(epoch: number): void;
  /**
   * Copies the stored data to `folder`, an empty folder in `backups` of the context's state folder, while the
   * sink is open and keeps writing. For data in files: servers have their own backups. A sink without
   * `reader` is not opened to copy a topology that is stopped.
   */
  copyTo?(folder: string): Promise<void>;
  /**
   * Called before `open`: places such a copy beside the stored data. The function that it returns swaps them,
   * by renaming only, and moves the previous data to a name ending in `aside`. That function may be called
   * again if it was interrupted.
   */
  restoreFrom?(folder: string, aside: string): Promise<() => void>;
  /** A store that can be queried. */
  readonly reader?: Reader;
  /** A sink that clients can listen to live. */
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
  /** A function if it depends on the configuration. */
  readonly recovery: Recovery | ((config: Static<S>) => Recovery);
  /**
   * Which parts of `settings.privacy` it enforces itself: deleting older records (`retention`), encrypting
   * what it stores on disk (`encryption`). A sink that stores nothing names both. Default: neither, and
   * validation warns.
   */
  readonly privacy?: readonly ('retention' | 'encryption')[];
  /** Its sinks can be queried: they have a `reader`. A function if it depends on the configuration. */
  readonly store?: boolean | ((config: Static<S>) => boolean);
  /**
   * Records of several inputs arrive in order of event time: each waits until the watermarks of all inputs
   * have passed it; late ones are not reordered. While more than 4,096 wait, the pump waits too, for at most
   * two seconds without progress. Default: in order of arrival.
   */
  readonly ordered?: boolean;
  /** It writes through `context.transaction` if there is one, which makes it exactly once. */
  readonly transactional?: boolean;
  /**
   * Set if records may be written in any order: how many writes may be in flight, also during a flush. What
   * `write` has accepted is safe then. Default: one at a time, in order.
   */
  readonly maxInFlight?: (config: Static<S>) => number;
  /** Fields that must match the source's if it writes through a transaction, because it uses the source's connection. */
  readonly likeSource?: readonly string[];
  readonly create: (config: Static<S>, context: Context) => Sink<I[number]>;
}

export const defineSink = <const N extends string, S extends TObject, const I extends readonly Port[]>(
  definition: Omit<SinkDefinition<N, S, I>, 'kind'>,
): SinkDefinition<N, S, I> => ({ ...definition, kind: 'sink' });
export type AnySink = Omit<SinkDefinition, ErasedFields | 'recovery' | 'store' | 'maxInFlight'> &
  Erased<Sink> & {
    readonly recovery: Recovery | ((config: never) => Recovery);
    readonly store?: boolean | ((config: never) => boolean);
    readonly maxInFlight?: (config: never) => number;
  };

/** How a sink of this configuration recovers. */
export const recoveryOf = ({ recovery }: AnySink, config: object): Recovery =>
  typeof recovery === 'function' ? recovery(config as never) : recovery;

/** Whether a component of this configuration is a sink that can be queried. */
export function isStore(component: { readonly kind: string }, config: object): component is AnySink {
  if (component.kind !== 'sink') return false;
  const { store = false } = component as AnySink;
  return typeof store === 'function' ? store(config as never) : store;
}
