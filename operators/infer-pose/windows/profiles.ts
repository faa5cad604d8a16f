import type { Window } from '../../../pipeline/model/index.js';
import { logAmplitudes } from '../inputs/features.js';
import { GROUPS } from '../inputs/grid.js';
import type { Profiles } from '../model/calibration.js';
import { Coverage } from './coverage.js';
import { shareOf } from './request.js';

/** Windows with more gaps than this carry too little information about a link. */
export const MAX_GAPS = 0.5;

/**
 * Learns the empty-room profile of each link from windows of the empty room: the mean log-amplitude of each
 * band. Write it with `writeCalibration`, and name the file in the field `calibration` of infer-pose. A minute
 * is enough; measure again when furniture has been moved.
 */
export class ProfileLearner {
  readonly #sums = new Map<string, { readonly sum: Float64Array; points: number }>();
  readonly #coverage = new Coverage();

  add(window: Window): void {
    const links = window.links.filter(({ gaps }) => shareOf(gaps) <= MAX_GAPS);
    if (links.length > 0) this.#coverage.add(window);
    for (const link of links) {
      const amplitude = logAmplitudes(link);
      let entry = this.#sums.get(link.id);
      if (!entry) this.#sums.set(link.id, (entry = { sum: new Float64Array(GROUPS), points: 0 }));
      for (let t = 0; t < link.gaps.length; t++) {
        if (link.gaps[t] === 1) continue;
        entry.points++;
        for (let g = 0; g < GROUPS; g++) entry.sum[g]! += amplitude[t * GROUPS + g]!;
      }
    }
  }

  /** Seconds of event time that were heard, without gaps between and within windows. */
  get heardSeconds(): number {
    return this.#coverage.seconds;
  }

  /** Rounded to 1e-4, so that its file is the same on every machine. */
  profiles(): Profiles {
    return Object.fromEntries(
      [...this.#sums].map(([id, { sum, points }]) => [
        id,
        Array.from(sum, (value) => Math.round((1e4 * value) / points) / 1e4),
      ]),
    );
  }
}
