import { hostOf } from '../../../model/index.js';

/** Senders beyond these replace the oldest. */
const MAX_SENDERS = 256;

/**
 * The newest header line of each sender: boards of several programs may send to one port. A board prints it
 * once, at its start, so it is part of checkpoints.
 */
export class Headings {
  /** By the address that records came from; the newest last. */
  readonly #bySender = new Map<string, string>();
  /** The same by its host. */
  readonly #byHost = new Map<string, string>();
  /** That of all senders, from checkpoints that do not say whose it is. */
  #former: string | null = null;

  see(sender: string, heading: string): void {
    putNewest(this.#bySender, sender, heading);
    putNewest(this.#byHost, hostOf(sender), heading);
  }

  /**
   * Splits a line by the header line of its sender. A sender without one may have changed its port: then by the newest
   * of its host, if the line has its columns, and otherwise without any.
   */
  split<T extends object | null>(sender: string, by: (heading: string | null) => T): T {
    const own = this.#bySender.get(sender);
    if (own !== undefined) return by(own);
    // Most boards print none.
    const ofHost = this.#byHost.size === 0 ? undefined : this.#byHost.get(hostOf(sender));
    const other = ofHost ?? this.#former;
    const line = other === null ? null : by(other);
    return line !== null && !('fault' in line) ? line : by(null);
  }

  snapshot(): Saved {
    return { heading: this.#former, headings: [...this.#bySender] };
  }

  restore({ heading, headings = [] }: Saved): void {
    this.#former = heading;
    this.#bySender.clear();
    this.#byHost.clear();
    for (const [sender, one] of headings) this.see(sender, one);
  }
}

function putNewest(map: Map<string, string>, key: string, heading: string): void {
  map.delete(key);
  map.set(key, heading);
  if (map.size > MAX_SENDERS) map.delete(map.keys().next().value!);
}

interface Saved {
  readonly heading: string | null;
  /** Absent in checkpoints of 0.5.0 and before. */
  readonly headings?: readonly (readonly [sender: string, heading: string])[];
}
