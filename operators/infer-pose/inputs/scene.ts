import { LINK_FEATURES } from './features.js';
import {
  CELLS,
  cellCentre,
  directionFeatures,
  DIRECTION_FEATURES,
  PLACE_FEATURES,
  placeFeatures,
  WALL_FEATURES,
  wallFeatures,
  type Axes,
  type LinkPlace,
} from './geometry.js';

/** One window as the network sees it. */
export interface Scene {
  readonly size: { readonly x: number; readonly y: number };
  readonly links: readonly LinkPlace[];
}

/** A batch of windows with the same number of links. */
export interface SceneBatch {
  readonly windows: number;
  readonly links: number;
  /** [windows, links, LINK_FEATURES] */
  readonly features: Float32Array;
  /** [windows, links, CELLS, PLACE_FEATURES] */
  readonly places: Float32Array;
  /** [windows, CELLS, WALL_FEATURES] */
  readonly walls: Float32Array;
  /** Middle of each cell, metres: [windows, CELLS, 2] */
  readonly cells: Float32Array;
}

/** Inputs of the pose head besides the tokens, relative to the root: a batch can hold a window in several frames. */
export interface ViewBatch {
  readonly windows: number;
  readonly links: number;
  /** [windows, links, PLACE_FEATURES + DIRECTION_FEATURES] */
  readonly views: Float32Array;
  /** [windows, WALL_FEATURES] */
  readonly walls: Float32Array;
}

/** Allocates a batch; the caller fills in `features`. */
export function sceneBatch(scenes: readonly Scene[], features: Float32Array): SceneBatch {
  const windows = scenes.length;
  const links = scenes[0]?.links.length ?? 0;
  if (features.length !== windows * links * LINK_FEATURES)
    throw new RangeError('features do not fit the scenes');
  const places = new Float32Array(windows * links * CELLS * PLACE_FEATURES);
  const walls = new Float32Array(windows * CELLS * WALL_FEATURES);
  const cells = new Float32Array(windows * CELLS * 2);
  scenes.forEach((scene, w) => {
    for (let c = 0; c < CELLS; c++) {
      const { x, y } = cellCentre(c, scene.size);
      cells[2 * (w * CELLS + c)] = x;
      cells[2 * (w * CELLS + c) + 1] = y;
      wallFeatures(x, y, scene.size, walls, (w * CELLS + c) * WALL_FEATURES);
      for (let l = 0; l < links; l++) {
        placeFeatures(x, y, scene.links[l]!, places, ((w * links + l) * CELLS + c) * PLACE_FEATURES);
      }
    }
  });
  return { windows, links, features, places, walls, cells };
}

/** The scenes seen from one position each, in axes of their own. */
export function viewBatch(
  scenes: readonly Scene[],
  at: (window: number) => readonly [number, number],
  axesOf: (window: number) => Axes,
): ViewBatch {
  const windows = scenes.length;
  const links = scenes[0]?.links.length ?? 0;
  const width = PLACE_FEATURES + DIRECTION_FEATURES;
  const views = new Float32Array(windows * links * width);
  const walls = new Float32Array(windows * WALL_FEATURES);
  scenes.forEach((scene, w) => {
    const [x, y] = at(w);
    wallFeatures(x, y, scene.size, walls, w * WALL_FEATURES);
    scene.links.forEach((link, l) => {
      const start = (w * links + l) * width;
      placeFeatures(x, y, link, views, start);
      directionFeatures(x, y, link, axesOf(w), views, start + PLACE_FEATURES);
    });
  });
  return { windows, links, views, walls };
}
