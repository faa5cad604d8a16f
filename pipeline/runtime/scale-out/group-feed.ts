import type { LiveFeed } from '../../component/index.js';
import type { Data } from '../../model/index.js';

type Listener = Parameters<LiveFeed['listen']>[0];

/** The live feeds of one node in all shards of a process, combined. Shards come and go; listeners stay. */
export class GroupFeed implements LiveFeed {
  readonly #feeds = new Set<LiveFeed>();
  readonly #listeners = new Set<Listener>();
  /** The feed that last sent a frame of an environment. */
  readonly #teller = new Map<string, LiveFeed>();

  /** Adds a shard's feed. Returns a function that removes it. */
  add(feed: LiveFeed): () => void {
    this.#feeds.add(feed);
    const stop = feed.listen((records) => {
      for (const record of records) if (record.port === 'pose') this.#teller.set(record.environment, feed);
      for (const listener of this.#listeners) listener(records);
    });
    return () => {
      this.#feeds.delete(feed);
      for (const [environment, teller] of this.#teller) if (teller === feed) this.#teller.delete(environment);
      stop();
    };
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /**
   * Several feeds may know an environment that has moved between partitions. The newest time may come from a clock
   * that was ahead, so the feed that sent a frame last answers.
   */
  latest(environment: string): Data<'pose'> | undefined {
    const current = this.#teller.get(environment)?.latest(environment);
    if (current) return current;
    return [...this.#feeds]
      .flatMap((feed) => feed.latest(environment) ?? [])
      .reduce<Data<'pose'> | undefined>((a, b) => (a && a.time >= b.time ? a : b), undefined);
  }

  recentEvents(environment: string): readonly Data<'event'>[] {
    return [...this.#feeds]
      .flatMap((feed) => feed.recentEvents?.(environment) ?? [])
      .sort((a, b) => a.time - b.time);
  }
}
