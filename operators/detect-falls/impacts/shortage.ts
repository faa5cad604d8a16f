import type { Window } from '../../../pipeline/model/index.js';
import { mean } from '../../shared/mean.js';

/** Loss, gaps and people may lower a figure for this long before it counts, microseconds. */
const LASTING_US = 30e6;
/** Event time between the starts of two windows after which counting starts again, microseconds. */
const MAX_HOLE_US = 5e6;

/** Mean frames a second of a window's links; NaN without any. */
export const rateOf = ({ links, points, step }: Window): number =>
  mean(links.map(({ frames }) => (frames * 1e6) / (points * step)));

/** Mean signal to noise of a window's links, dB; NaN while none is known. */
export const snrOf = ({ links }: Window): number =>
  mean(links.map(({ quality }) => quality.snrDb).filter(Number.isFinite));

/** Notices that a figure of a room's windows has been too low for a while. */
export class Shortage {
  readonly #figure: (window: Window) => number;
  readonly #enough: number;
  /** Event time since which it has been too low; null: it is enough. */
  #since: number | null = null;
  #newest = -Infinity;
  #isTold = false;

  /** @param figure NaN: unknown, as if there were no such window */
  constructor(figure: (window: Window) => number, enough: number) {
    this.#figure = figure;
    this.#enough = enough;
  }

  /** The figure, once it has been too low for a while; null otherwise. */
  see(window: Window): number | null {
    if (this.#isTold) return null;
    const figure = this.#figure(window);
    if (Number.isNaN(figure)) return null;
    const { start } = window;
    if (start < this.#newest || start - this.#newest > MAX_HOLE_US) this.#since = null;
    this.#newest = start;
    if (figure >= this.#enough) {
      this.#since = null;
      return null;
    }
    this.#since ??= start;
    if (start - this.#since < LASTING_US) return null;
    this.#isTold = true;
    return figure;
  }
}
