import type { Window } from '../../../pipeline/model/index.js';
import { mean } from '../../shared/mean.js';

/** Frames a second of each link below which far fewer falls are found over several links. */
const ENOUGH_HZ = 25;
/** Loss and gaps may lower the rate for this long before it counts, microseconds. */
const LASTING_US = 30e6;
/** Event time between the starts of two windows after which counting starts again, microseconds. */
const MAX_HOLE_US = 5e6;

/** Mean frames a second of a window's links; NaN without any. */
export const rateOf = ({ links, points, step }: Window): number =>
  mean(links.map(({ frames }) => (frames * 1e6) / (points * step)));

/** Notices that the links of a room have had too few frames for a while. */
export class FrameRate {
  /** Event time since which there have been too few; null: there are enough. */
  #since: number | null = null;
  #newest = -Infinity;
  #isTold = false;

  /** The mean rate of the links, frames a second, once there have been too few for a while; null otherwise. */
  see(window: Window): number | null {
    const { links, start } = window;
    if (this.#isTold || links.length === 0) return null;
    if (start < this.#newest || start - this.#newest > MAX_HOLE_US) this.#since = null;
    this.#newest = start;
    const rate = rateOf(window);
    if (rate >= ENOUGH_HZ) {
      this.#since = null;
      return null;
    }
    this.#since ??= start;
    if (start - this.#since < LASTING_US) return null;
    this.#isTold = true;
    return rate;
  }
}
