import { LINK_FEATURES } from '../inputs/features.js';
import { CELLS, DIRECTION_FEATURES, PLACE_FEATURES, WALL_FEATURES } from '../inputs/geometry.js';
import { WIDTHS } from '../networks/layers.js';
import type { SceneBatch } from '../inputs/scene.js';
import type { LookBatch, Parts, SeenBatch } from '../networks/parts.js';

/**
 * Fills batches up to a few sizes. GPUs compile kernels or choose algorithms for each new shape, which takes
 * longer than computing some rows in vain.
 */
export class PaddedParts implements Parts {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Computes every size of batches of up to `most` windows once. */
  async warmUp(links: number, most: number): Promise<void> {
    const zeros = (...shape: number[]) => new Float32Array(shape.reduce((product, one) => product * one, 1));
    for (const windows of paddedSizes(most)) {
      await this.#parts.see({
        ...{ windows, links, features: zeros(windows, links, LINK_FEATURES) },
        ...{
          places: zeros(windows, links, CELLS, PLACE_FEATURES),
          walls: zeros(windows, CELLS, WALL_FEATURES),
        },
        cells: zeros(windows, CELLS, 2),
      });
    }
    for (const windows of paddedSizes(LOOKS * most)) {
      await this.#parts.look({
        ...{
          windows,
          links,
          tokens: zeros(windows, links, WIDTHS.token),
          walls: zeros(windows, WALL_FEATURES),
        },
        views: zeros(windows, links, PLACE_FEATURES + DIRECTION_FEATURES),
      });
    }
  }

  async see(batch: SceneBatch): Promise<SeenBatch> {
    const { windows, links } = batch;
    const padded = paddedSize(windows);
    const to = (values: Float32Array) => filled(values, windows, padded);
    const { features, places, walls, cells } = batch;
    const seen = await this.#parts.see({
      ...{ windows: padded, links, features: to(features), places: to(places) },
      ...{ walls: to(walls), cells: to(cells) },
    });
    const from = (values: Float32Array) => values.subarray(0, (values.length / padded) * windows);
    return {
      ...{ cells: from(seen.cells), counts: from(seen.counts), joined: from(seen.joined) },
      ...{ tokens: from(seen.tokens), heard: from(seen.heard) },
    };
  }

  async look(batch: LookBatch): Promise<Float32Array> {
    const { windows, links, tokens, views, walls } = batch;
    const padded = paddedSize(windows);
    const to = (values: Float32Array) => filled(values, windows, padded);
    const outputs = await this.#parts.look({
      ...{ windows: padded, links, tokens: to(tokens), views: to(views), walls: to(walls) },
    });
    return outputs.subarray(0, (outputs.length / padded) * windows);
  }
}

/** Rows of the second part for a window: eight frames, at a place or two. */
const LOOKS = 16;

/** The next power of two. */
export const paddedSize = (windows: number): number => 2 ** Math.ceil(Math.log2(windows));

/** The sizes that batches of up to `most` windows are filled up to. */
export const paddedSizes = (most: number): readonly number[] =>
  Array.from({ length: Math.log2(paddedSize(most)) + 1 }, (_, power) => 2 ** power);

/** `values` of `windows` rows, with rows of zeros up to `padded`. */
function filled(values: Float32Array, windows: number, padded: number): Float32Array {
  if (windows === padded) return values;
  const out = new Float32Array((values.length / windows) * padded);
  out.set(values);
  return out;
}
