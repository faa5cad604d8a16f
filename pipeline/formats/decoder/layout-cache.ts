import { csiLayout, type CsiLayout, type LayoutFields } from '../../model/index.js';

/** A damaged file can state any number of layouts: those beyond this number are made anew for each frame. */
const MAX_LAYOUTS = 256;

/** The layouts of a format, so that all frames of one kind share one object. */
export class LayoutCache {
  readonly #layouts = new Map<string | number, CsiLayout>();

  /** @param key tells this layout from the format's others @param fields are asked for the first time only */
  of(key: string | number, fields: () => LayoutFields): CsiLayout {
    const known = this.#layouts.get(key);
    if (known) return known;
    const layout = csiLayout(fields());
    if (this.#layouts.size < MAX_LAYOUTS) this.#layouts.set(key, layout);
    return layout;
  }
}
