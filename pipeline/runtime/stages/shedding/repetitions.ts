import type { Window } from '../../../model/index.js';

/** How far the frames of an environment's last window reach, microseconds, and whether that window was left out. */
interface Last {
  readonly until: number;
  readonly leftOut: boolean;
}

/**
 * Tells windows of rooms that have fallen silent: they hold no frame that the one before them did not hold, and none for
 * some time before their end. They come for as long as a window lasts, ten from each room at the usual settings.
 */
export class Repetitions {
  readonly #silence: number;
  readonly #last = new Map<string, Last>();

  /** @param silenceMs what goes on for less is no silence: under overload frames are left out too */
  constructor(silenceMs: number) {
    this.#silence = silenceMs * 1000;
  }

  /**
   * Whether a window is to be left out: it repeats, and there is overload, or that was so for the one before it.
   * To be asked once for each window, in order.
   */
  isLeftOut(window: Window, isOverloaded: () => boolean): boolean {
    const last = this.#last.get(window.environment);
    const until = framesUntil(window);
    const silent = window.start + window.points * window.step - until >= this.#silence;
    const repeats = silent && last !== undefined && until <= last.until;
    const leftOut = repeats && (last.leftOut || isOverloaded());
    this.#last.set(window.environment, { until: until === -Infinity && last ? last.until : until, leftOut });
    return leftOut;
  }
}

/** The end of the last grid point at which some link has a frame, microseconds; -Infinity where none has. */
function framesUntil({ start, step, points, links }: Window): number {
  if (links.length === 0) return start + points * step;
  const last = Math.max(...links.map(({ gaps }) => gaps.lastIndexOf(0)));
  return last < 0 ? -Infinity : start + (last + 1) * step;
}
