import type { Data } from '../model/index.js';

/** A sink that clients can listen to live. Retains the newest pose frame of each environment. */
export interface LiveFeed {
  /** Calls `listener` with each batch of records until the returned function is called. Listeners must not block and not throw. */
  listen(listener: (records: readonly Data[]) => void): () => void;
  /** The newest pose frame of an environment since the start. */
  latest(environment: string): Data<'pose'> | undefined;
  /** The newest events of an environment, oldest first: what a listener that subscribes later has missed. Bounded. */
  recentEvents?(environment: string): readonly Data<'event'>[];
}
