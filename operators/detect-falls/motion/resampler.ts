import type { Window, WindowLink } from '../../../pipeline/model/index.js';
import { amplitudeAt } from '../../shared/amplitude.js';
import type { LinkSample } from './room.js';
import { RATE_HZ } from './tracks.js';

/** Microseconds between the points used for falls. */
const STEP = 1e6 / RATE_HZ;
/** Points of a hole between windows that are filled with gaps; after a longer one, everything restarts. */
const MAX_MISSING = 2 * RATE_HZ;

/** Extracts the new part of overlapping windows, at the grid point nearest to each multiple of 50 ms since 1970. */
export class Resampler {
  /** Number of the next point, -1 before the first. */
  #next = -1;

  /** Calls `take` for each new point, in order, with all links of the window. */
  take(window: Window, take: (sample: number, links: readonly LinkSample[]) => void): void {
    const { start, step, points } = window;
    const first = Math.ceil(start / STEP);
    // The nearest grid point of the last one must be in this window.
    const last = Math.floor((start + (points - 1) * step) / STEP);
    if (this.#next < 0 || first - this.#next > MAX_MISSING) this.#next = first;
    for (; this.#next < first; this.#next++) take(this.#next, []);
    for (; this.#next <= last; this.#next++) {
      const at = Math.round((this.#next * STEP - start) / step);
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

function sampleOf(link: WindowLink, at: number): LinkSample {
  const antennas = link.rx * link.tx;
  const subcarriers = link.subcarriers.length;
  const amplitudes = new Float32Array(antennas * subcarriers);
  const from = at * antennas * subcarriers * 2;
  for (let i = 0; i < amplitudes.length; i++) {
    amplitudes[i] = amplitudeAt(link.values, from + 2 * i);
  }
  return { id: link.id, antennas, subcarriers, amplitudes, at: 0, gap: link.gaps[at] !== 0 };
}
