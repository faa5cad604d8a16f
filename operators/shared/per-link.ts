import type { Context } from '../../pipeline/component/index.js';
import { csiLayout, type CsiLayout, type LayoutFields } from '../../pipeline/model/index.js';

/** Largest number of layouts with state per link; a link that sends more than these at a time is faulty. */
const LAYOUTS_PER_LINK = 8;

interface Entry<T> {
  readonly layout: CsiLayout;
  readonly state: T;
}

/** A state of one link and layout as a checkpoint stores it. */
export interface LinkSnapshot<S> {
  readonly link: string;
  readonly layout: LayoutFields;
  readonly state: S;
}

export const layoutSnapshot = (layout: CsiLayout): LayoutFields => ({
  rx: layout.rx,
  tx: layout.tx,
  subcarriers: layout.subcarriers.slice(),
  bandwidthMhz: layout.bandwidthMhz,
  centreMhz: layout.centreMhz,
  training: layout.training,
  measurement: layout.measurement,
});

/**
 * State per link and layout, with fast lookup (columns carry link numbers) and a limit: beyond eight layouts
 * of a link, the least recently used one is dropped.
 */
export class LinkStates<T> {
  /** By link number; the layouts of a link in the order of their last use, newest first. */
  readonly #entries: Entry<T>[][] = [];
  readonly #links: Context['links'];
  readonly #make: (layout: CsiLayout) => T;

  constructor(links: Context['links'], make: (layout: CsiLayout) => T) {
    this.#links = links;
    this.#make = make;
  }

  of(link: number, layout: CsiLayout): T {
    const entries = (this.#entries[link] ??= []);
    const first = entries[0];
    if (first && (first.layout === layout || first.layout.key === layout.key)) return first.state;
    const found = entries.findIndex((entry) => entry.layout.key === layout.key);
    const entry = found < 0 ? { layout, state: this.#make(layout) } : entries.splice(found, 1)[0]!;
    entries.unshift(entry);
    if (entries.length > LAYOUTS_PER_LINK) entries.pop();
    return entry.state;
  }

  /** Visits all states, in unspecified order. */
  each(visit: (state: T) => void): void {
    // Skips links without one.
    this.#entries.forEach((entries) => {
      for (const { state } of entries) visit(state);
    });
  }

  /** All states, with link ids; `copy` returns plain data that shares nothing with the state. */
  snapshot<S>(copy: (state: T) => S): readonly LinkSnapshot<S>[] {
    return this.#entries.flatMap((entries, index) =>
      entries.map(({ layout, state }) => ({
        link: this.#links.at(index).link.id,
        layout: layoutSnapshot(layout),
        state: copy(state),
      })),
    );
  }

  /** Omits links that the topology no longer has. */
  restore<S>(snapshot: readonly LinkSnapshot<S>[], make: (layout: CsiLayout, state: S) => T): void {
    this.#entries.length = 0;
    for (const { link, layout: fields, state } of snapshot) {
      const entry = this.#links.byId(link);
      if (!entry) continue;
      const layout = csiLayout(fields);
      (this.#entries[entry.index] ??= []).push({ layout, state: make(layout, state) });
    }
  }
}
