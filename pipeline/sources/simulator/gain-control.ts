import type { Random } from './shared/random.js';

/** How gains follow the level, if they do. */
export interface FollowingOptions {
  /** Share of links whose gain follows; those of the others stays. */
  readonly share: number;
  /** Steps of the gain, decibels; each link draws its own from this range. */
  readonly stepDb: readonly [number, number];
}

/** Receivers whose gain stays as it is. */
export const STEADY: FollowingOptions = { share: 0, stepDb: [0.2, 2.5] };

/** Gain controls of a source. */
export const GAINS = { steady: STEADY, following: { ...STEADY, share: 1 } } as const;

/** Error of the level by which the gain is chosen, decibels. */
const LEVEL_ERROR_DB = 0.1;

/**
 * Chooses a link's gain for each packet by its level. In recordings of ESP32s, the level of the numbers stays
 * within 0.1 to 1 dB while their RSSI follows a walker by 3 dB.
 */
export class GainControl {
  readonly #follows: boolean;
  readonly #stepDb: number;
  /** Where the steps lie, as a share of one. */
  readonly #phase: number;

  constructor(random: Random, { share, stepDb }: FollowingOptions) {
    this.#follows = random.chance(share);
    this.#stepDb = random.uniform(...stepDb);
    this.#phase = random.next();
  }

  /** The gain of a packet of this level, a factor. @param levelDb relative to the empty room's */
  gainAt(random: Random, levelDb: number): number {
    if (!this.#follows) return 1;
    const wanted = -(levelDb + LEVEL_ERROR_DB * random.normal());
    const db = this.#stepDb * (Math.round(wanted / this.#stepDb + this.#phase) - this.#phase);
    return 10 ** (db / 20);
  }
}
