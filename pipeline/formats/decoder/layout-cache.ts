import { csiLayout, type CsiLayout, type LayoutFields } from '../../model/index.js';

/** A damaged file can state any number of layouts: beyond this number, each frame gets a new one. */
const MAX_LAYOUTS = 256;

/** Caches the layouts of a format, so that all frames of one kind share one object. */
export class LayoutCache {
  readonly #layouts = new Map<string | number, CsiLayout>();

  /**
   * @param key distinguishes this layout from others of the format
   * @param fields called only for a new layout
   */
  of(key: string | number, fields: () => LayoutFields): CsiLayout {
    const known = this.#layouts.get(key);
    if (known) return known;
    const layout = csiLayout(fields());
    if (this.#layouts.size < MAX_LAYOUTS) this.#layouts.set(key, layout);
    return layout;
  }
}
