import type { Random } from './shared/random.js';

/** How the gain follows the level; each link draws its own values from the ranges. */
export interface FollowingOptions {
  /** Share of links whose gain follows; those of the others stays. */
  readonly share: number;
  /** Steps of the gain, decibels. */
  readonly stepDb: readonly [number, number];
  /** Packets for which a gain holds: with 1, each packet has its own. */
  readonly packets: readonly [number, number];
}

/** Receivers whose gain stays as it is. */
export const STEADY: FollowingOptions = { share: 0, stepDb: [1, 3], packets: [1, 4] };

/** Gain controls of a source. */
export const GAINS = { steady: STEADY, following: { ...STEADY, share: 1 } } as const;

/** Error of the level by which the gain is chosen, decibels. */
const LEVEL_ERROR_DB = 0.5;

/** Chooses a link's gain by its level. */
export class GainControl {
  /** Packets for which a gain holds; Infinity: the gain stays. */
  readonly packets: number;
  readonly #stepDb: number;
  /** Where the steps lie, as a share of one. */
  readonly #phase: number;

  constructor(random: Random, { share, stepDb, packets }: FollowingOptions) {
    const follows = random.chance(share);
    this.#stepDb = random.uniform(...stepDb);
    this.#phase = random.next();
    const held = Math.round(random.uniform(...packets));
    this.packets = follows ? held : Infinity;
  }

  /** The gain of packets of this level, a factor. @param levelDb relative to the empty room's */
  gainAt(random: Random, levelDb: number): number {
    const wanted = -(levelDb + LEVEL_ERROR_DB * random.normal());
    const db = this.#stepDb * (Math.round(wanted / this.#stepDb + this.#phase) - this.#phase);
    return 10 ** (db / 20);
  }
}
