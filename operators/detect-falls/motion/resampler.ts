import type { Window, WindowLink } from '../../../pipeline/model/index.js';
import { amplitudeAt } from '../../shared/amplitude.js';
import type { LinkSample } from './room.js';
import { RATE_HZ } from './tracks.js';

/** Microseconds between the points used for falls. */
const STEP = 1e6 / RATE_HZ;
/**
 * Grids of points for a single link, evenly shifted against each other. Interpolation smooths a slow link at points
 * between its frames, and not at points that meet them: with one grid, the score of a fall depends on where the frames
 * happen to lie.
 */
export const SINGLE_LINK_SHIFTS = 5;
/** Points of a hole between windows that are filled with gaps; after a longer one, everything restarts. */
const MAX_MISSING = 2 * RATE_HZ;

/**
 * Extracts the new part of overlapping windows: at each multiple of 50 ms since 1970, and at as many times evenly spread
 * between the previous one and it as there are other shifts, the nearest point of the window's grid.
 */
export class Resampler {
  /** Microseconds before each multiple. */
  readonly #shifts: readonly number[];
  /** Number of the next point, -1 before the first. */
  #next = -1;

  constructor(shifts: number) {
    this.#shifts = Array.from({ length: shifts }, (_, shift) => (shift * STEP) / shifts);
  }

  /** Calls `take` for each new point, in order, with all links of the window; each antenna has a view for each shift. */
  take(window: Window, take: (sample: number, links: readonly LinkSample[]) => void): void {
    const { start, step, points } = window;
    const first = Math.ceil(start / STEP);
    // The nearest grid point of the last one must be in this window.
    const last = Math.floor((start + (points - 1) * step) / STEP);
    if (this.#next < 0 || first - this.#next > MAX_MISSING) this.#next = first;
    for (; this.#next < first; this.#next++) take(this.#next, []);
    // Windows that do not overlap lack the points before their first one: they have one grid.
    const isWhole = this.#next * STEP - start >= this.#shifts.at(-1)!;
    const shifts = isWhole ? this.#shifts : this.#shifts.map(() => 0);
    for (; this.#next <= last; this.#next++) {
      const time = this.#next * STEP - start;
      const at = shifts.map((shift) => Math.round((time - shift) / step));
      take(
        this.#next,
        window.links.map((link) => sampleOf(link, at)),
      );
    }
  }

  snapshot(): ResamplerState {
    return { next: this.#next };
  }

  restore(state: ResamplerState): void {
    this.#next = state.next;
  }
}

export interface ResamplerState {
  readonly next: number;
}

/** A link at these points of the window; a gap if it has one at any of them. */
function sampleOf(link: WindowLink, points: readonly number[]): LinkSample {
  const antennas = link.rx * link.tx;
  const subcarriers = link.subcarriers.length;
  const size = antennas * subcarriers;
  const amplitudes = new Float32Array(points.length * size);
  points.forEach((point, shift) => {
    const from = point * size * 2;
    for (let i = 0; i < size; i++) amplitudes[shift * size + i] = amplitudeAt(link.values, from + 2 * i);
  });
  const gap = points.some((point) => link.gaps[point] !== 0);
  return { id: link.id, antennas: points.length * antennas, subcarriers, amplitudes, at: 0, gap };
}
