import type { Environment, Window } from '../../../pipeline/model/index.js';

/** Channels above this are those of 5 and 6 GHz. MHz. */
const HIGH_MHZ = 4000;

/**
 * Which rooms are at 5 or 6 GHz: those most of whose links are, as they were last heard. A room changes its band only
 * once most of its links did, so links that fail for a while change nothing.
 */
export class RoomBands {
  readonly #links: ReadonlyMap<string, readonly string[]>;
  /** Whether a link is at 5 or 6 GHz, by its id. */
  readonly #heard = new Map<string, boolean>();
  readonly #high = new Set<string>();

  constructor(environments: readonly Environment[]) {
    this.#links = new Map(environments.map(({ id, links }) => [id, links.map((link) => link.id)]));
  }

  hear({ environment, links }: Pick<Window, 'environment' | 'links'>): void {
    const own = this.#links.get(environment) ?? [];
    for (const { id, centreMhz } of links) if (own.includes(id)) this.#heard.set(id, centreMhz > HIGH_MHZ);
    const bands = own.map((id) => this.#heard.get(id)).filter((band) => band !== undefined);
    const high = bands.filter(Boolean).length;
    if (2 * high > own.length) this.#high.add(environment);
    else if (2 * (bands.length - high) > own.length) this.#high.delete(environment);
    // Neither band has most of the links: a room that had one keeps it.
    else if (2 * high > bands.length) this.#high.add(environment);
  }

  isHigh(environment: string): boolean {
    return this.#high.has(environment);
  }

  /** A room that was at 5 or 6 GHz before a restart. */
  restore(environment: string): void {
    this.#high.add(environment);
  }
}
