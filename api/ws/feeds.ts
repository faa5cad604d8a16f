import type { LiveFeed } from '../../pipeline/component/index.js';
import type { Data } from '../../pipeline/model/index.js';
import type { RunningTopology } from '../../pipeline/runtime/status.js';
import type { Topologies } from '../service/deployment/topologies.js';

type Deliver = (records: readonly Data[]) => void;

interface Followed {
  feed: LiveFeed | undefined;
  unlisten: () => void;
  readonly unwatch: () => void;
}

/**
 * Follows the live results of all topologies: each start creates a new feed, and topologies can be added and
 * removed.
 */
export class Feeds {
  readonly #deliver: Deliver;
  readonly #followed = new Map<RunningTopology, Followed>();
  readonly #unlisten: () => void;

  constructor(topologies: Pick<Topologies, 'list' | 'onChange'>, deliver: Deliver) {
    this.#deliver = deliver;
    const follow = (): void => {
      this.#follow(topologies.list());
    };
    this.#unlisten = topologies.onChange(follow);
    follow();
  }

  close(): void {
    this.#unlisten();
    this.#follow([]);
  }

  #follow(topologies: readonly RunningTopology[]): void {
    for (const topology of this.#followed.keys()) if (!topologies.includes(topology)) this.#leave(topology);
    for (const topology of topologies) if (!this.#followed.has(topology)) this.#begin(topology);
  }

  #begin(topology: RunningTopology): void {
    const unwatch = topology.onChange(() => {
      this.#attach(topology);
    });
    this.#followed.set(topology, { feed: undefined, unlisten: () => undefined, unwatch });
    this.#attach(topology);
  }

  #leave(topology: RunningTopology): void {
    const followed = this.#followed.get(topology)!;
    followed.unwatch();
    followed.unlisten();
    this.#followed.delete(topology);
  }

  #attach(topology: RunningTopology): void {
    const followed = this.#followed.get(topology)!;
    const [feed] = topology.feeds.values();
    if (feed === followed.feed) return;
    followed.unlisten();
    followed.feed = feed;
    followed.unlisten =
      feed?.listen((records) => {
        this.#deliver(records);
      }) ?? (() => undefined);
  }
}
