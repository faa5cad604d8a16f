import type { Window } from '../../../model/index.js';

/** How far the frames of an environment's last window reach, microseconds, and whether that window was shed. */
interface Last {
  readonly until: number;
  readonly shed: boolean;
}

/**
 * Finds windows of silent rooms: they repeat the frames of the previous window and have none near their end.
 * A room that falls silent still produces windows for the length of one: ten of them with the usual settings.
 */
export class Repetitions {
  readonly #silence: number;
  readonly #last = new Map<string, Last>();

  /** @param silenceMs shorter gaps do not count as silence: under overload, frames are shed too */
  constructor(silenceMs: number) {
    this.#silence = silenceMs * 1000;
  }

  /**
   * Whether to shed a window: it repeats the previous one, and either there is overload or that one was shed.
   * Call it once for each window, in order.
   */
  isShed(window: Window, isOverloaded: () => boolean): boolean {
    const last = this.#last.get(window.environment);
    const until = framesUntil(window);
    const silent = window.start + window.points * window.step - until >= this.#silence;
    const repeats = silent && last !== undefined && until <= last.until;
    const shed = repeats && (last.shed || isOverloaded());
    this.#last.set(window.environment, { until: until === -Infinity && last ? last.until : until, shed });
    return shed;
  }
}

/** The end of the last grid point at which a link has a frame, microseconds; -Infinity if there is none. */
function framesUntil({ start, step, points, links }: Window): number {
  if (links.length === 0) return start + points * step;
  const last = Math.max(...links.map(({ gaps }) => gaps.lastIndexOf(0)));
  return last < 0 ? -Infinity : start + (last + 1) * step;
}
