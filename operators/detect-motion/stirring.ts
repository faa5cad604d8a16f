import { PROFILE } from '../shared/link-motion.js';

export interface StirringState {
  readonly kept: readonly (readonly [time: number, profile: Float64Array])[];
  readonly share: number;
}

/** Distance between two compared profiles, microseconds: windows of two seconds then share no frame. */
const APART = 2_000_000;
/** Interval at which profiles are stored, and the age at which they are dropped. */
const SPACING = 500_000;
const SPAN = 5_000_000;
/** Time over which the share is averaged, microseconds. */
const MEMORY = 10_000_000;

/**
 * Similarity of changes in neighbouring groups of carriers from one window to the next: 0 in an empty room,
 * where only the noise of means changes; 0.5 to 0.9 with people who sit or lie, because they breathe and sway
 * by millimetres. Each step has the same weight, however large, so that a walk is forgotten as fast as it was
 * learnt.
 */
export class Stirring {
  #profiles: (readonly [time: number, profile: Float64Array])[] = [];
  #share = 0;

  /** @returns the share, 0 to 1, mean of about ten seconds */
  see(time: number, profile: Float64Array): number {
    const before = this.#profiles.findLast(([at]) => at <= time - APART);
    this.#profiles = this.#profiles.filter(([at]) => at <= time && time - at < SPAN);
    const newest = this.#profiles.at(-1)?.[0] ?? -Infinity;
    const elapsed = Math.min(MEMORY, time - newest);
    if (elapsed < SPACING) return this.#share;
    this.#profiles.push([time, profile]);
    const share = before && time - before[0] < SPAN ? alike(before[1], profile) : 0;
    this.#share += (elapsed / MEMORY) * (share - this.#share);
    return this.#share;
  }

  snapshot(): StirringState {
    return {
      kept: this.#profiles.map(([time, profile]) => [time, profile.slice()] as const),
      share: this.#share,
    };
  }

  restore({ kept, share }: StirringState): void {
    this.#profiles = kept.map(([time, profile]) => [time, profile.slice()] as const);
    this.#share = share;
  }
}

function alike(before: Float64Array, now: Float64Array): number {
  let squares = 0;
  let neighbours = 0;
  let last = 0;
  for (let i = 0; i < PROFILE; i++) {
    const change = now[i]! - before[i]!;
    squares += change * change;
    neighbours += change * last;
    last = change;
  }
  return squares > 0 ? Math.max(-1, (neighbours / squares) * (PROFILE / (PROFILE - 1))) : 0;
}
