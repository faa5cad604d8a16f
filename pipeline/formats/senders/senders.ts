import { hostOf, type LinkEntry, type LinkTable } from '../../model/index.js';

/**
 * Assigns the frames of a numbered sender to a link. A link names its sender `node-<number>`. The link
 * accepts the first address that uses the number, and keeps it until that address has been silent for {@link
 * HOLD_US}. A link can also pin an address: `node-1@192.168.1.20`, `node-1@192.168.1.20:49152`. An unknown
 * sender elsewhere that uses the same number is therefore ignored. The port counts only if a link pins it: a
 * restarted node sends from another port, and is accepted immediately. (Addresses can be forged too; to
 * prevent that, put the sensors in a separate network.)
 */
export class NodeTable {
  readonly #candidates: (readonly Candidate[] | undefined)[] = new Array<undefined>(256).fill(undefined);
  readonly #held = new Map<number, Hold>();
  readonly #links: LinkTable;

  constructor(links: LinkTable) {
    this.#links = links;
    const byNode = new Map<number, Candidate[]>();
    let anyone: LinkEntry | undefined;
    for (const entry of links) {
      if (entry.link.sender === '*') anyone = entry;
      const [, node, host, port] = PATTERN.exec(entry.link.sender) ?? [];
      if (node === undefined || Number(node) > 255) continue;
      const candidate = { entry, host: host ?? null, port: port ?? null, anyone: false };
      byNode.set(Number(node), [...(byNode.get(Number(node)) ?? []), candidate]);
    }
    for (let node = 0; node < 256; node++) {
      const named = byNode.get(node);
      // Pinned addresses take precedence over a link that accepts any.
      if (named) this.#candidates[node] = named.sort((a, b) => specificity(b) - specificity(a));
      else if (anyone) this.#candidates[node] = [{ entry: anyone, host: null, port: null, anyone: true }];
    }
  }

  /** True if some link has this node, at any address. */
  knows(node: number): boolean {
    return this.#candidates[node] !== undefined;
  }

  /** Number of the link of a frame of `node` from `sender` (`127.0.0.1:49152`), or -1. `time` in microseconds. */
  resolve(node: number, sender: string, time: number): number {
    const candidates = this.#candidates[node];
    if (!candidates) return -1;
    for (const candidate of candidates) {
      const { index } = candidate.entry;
      if (candidate.anyone) return index;
      if (candidate.host === null) return this.#hold(index, sender, time) ? index : -1;
      const colon = sender.lastIndexOf(':');
      if (hostOf(sender) !== candidate.host) continue;
      if (candidate.port === null || sender.slice(colon + 1) === candidate.port) return index;
    }
    return -1;
  }

  snapshot(): NodeTableState {
    return [...this.#held].map(([index, hold]) => ({
      link: this.#links.at(index).link.id,
      host: hold.host,
      time: hold.time,
    }));
  }

  restore(state: NodeTableState): void {
    this.#held.clear();
    for (const { link, host, time } of state) {
      const entry = this.#links.byId(link);
      if (entry) this.#held.set(entry.index, { sender: '', host, time });
    }
  }

  #hold(index: number, sender: string, time: number): boolean {
    const hold = this.#held.get(index);
    if (!hold) {
      this.#held.set(index, { sender, host: hostOf(sender), time });
      return true;
    }
    if (hold.sender !== sender) {
      const host = hostOf(sender);
      // A hold with a later time comes from a clock that was set back since.
      if (hold.host !== host && Math.abs(time - hold.time) < HOLD_US) return false;
      hold.sender = sender;
      hold.host = host;
    }
    hold.time = time;
    return true;
  }
}

/** Silence after which another address may use a node's number, microseconds. */
export const HOLD_US = 5_000_000;

export type NodeTableState = readonly {
  readonly link: string;
  readonly host: string;
  readonly time: number;
}[];

interface Candidate {
  readonly entry: LinkEntry;
  readonly host: string | null;
  readonly port: string | null;
  readonly anyone: boolean;
}

interface Hold {
  /** As last seen, to compare without slicing it. */
  sender: string;
  host: string;
  time: number;
}

const PATTERN = /^node-(\d{1,3})(?:@(.+?)(?::(\d{1,5}))?)?$/;

const specificity = ({ host, port }: Candidate): number => (host === null ? 0 : port === null ? 1 : 2);
