import { Value } from 'typebox/value';
import type { CsiLayout } from '../../pipeline/model/index.js';
import { denoise } from '../denoise/denoise.js';
import { SlidingHampel } from '../denoise/hampel.js';
import { LinkGrid, type Grid } from '../window/link-grid.js';
import { window } from '../window/window.js';

/** Frames of one link in order of time, all of one layout. */
export interface LinkFrames {
  readonly layout: CsiLayout;
  /** Microseconds. */
  readonly times: Float64Array;
  /** [frames, rx, tx, subcarriers, (re, im)] as from a source. */
  readonly values: Float32Array;
}

/** A link on the grid of windows. */
export interface GridCourse {
  /** [points, rx, tx, subcarriers, (re, im)] */
  readonly values: Float32Array;
  /** 1 if no frame was near enough. */
  readonly gaps: Uint8Array;
}

/** Default settings of both. */
const DENOISE = Value.Parse(denoise.config, Value.Default(denoise.config, {}));
const WINDOW = Value.Parse(window.config, Value.Default(window.config, {}));
const IDLE_US = WINDOW.idle_ms * 1000;

/**
 * The output of `denoise` and `window` with default settings for one link's frames, for training: points 0 to
 * `points - 1` of a grid of `step` microseconds. It uses the classes of the two operators without the
 * runtime; it omits `phase-sanitize` between them, which changes no amplitude and so does not affect how
 * `window` interpolates them. It also omits `normalize-gain`, which the shipped topologies have before them: the gains
 * of the rooms of this training are steady. test/training/front-end.test.ts compares this with the operators themselves.
 */
export function throughChain(
  { layout, times, values }: LinkFrames,
  step: number,
  points: number,
): GridCourse {
  const columns = layout.rx * layout.tx * layout.subcarriers.length;
  const hampel = new SlidingHampel(columns, DENOISE.window, DENOISE.threshold);
  const grid: Grid = {
    step,
    capacity: points + Math.ceil(IDLE_US / step) + 2,
    maxGapPeriods: WINDOW.max_gap_periods,
    maxGap: IDLE_US,
  };
  const link = new LinkGrid('', layout, grid, 0);
  const cleaned = new Float32Array(2 * columns);
  for (let frame = 0; frame < times.length; frame++) {
    const at = 2 * columns * frame;
    hampel.apply(values.subarray(at, at + 2 * columns), cleaned, 0);
    link.add(times[frame]!, cleaned, 0, 0, 0);
  }
  link.hold(points, 0);
  const course = link.window(0, points);
  return course ?? { values: new Float32Array(2 * columns * points), gaps: new Uint8Array(points).fill(1) };
}
