import type { Random } from './shared/random.js';

/** Errors of the RSSI of packets; each link draws its own from the ranges. */
export interface RssiOptions {
  /** Standard deviation, decibels. */
  readonly noiseDb: readonly [number, number];
  /** Share of packets whose RSSI is {@link OUTLIER_DB} too large. */
  readonly outliers: readonly [number, number];
  /** What each packet reports instead, dBm; undefined: what is measured. */
  readonly always?: number | undefined;
}

export const EXACT: RssiOptions = { noiseDb: [0, 0], outliers: [0, 0] };

/** As in a recording of an ESP32 by its serial port. */
const OUTLIER_DB = [4, 5] as const;

/** What a link's receiver reports as RSSI. */
export class RssiMeter {
  readonly #noiseDb: number;
  readonly #outliers: number;
  readonly #always: number | undefined;

  constructor(random: Random, { noiseDb, outliers, always }: RssiOptions) {
    this.#noiseDb = random.uniform(...noiseDb);
    this.#outliers = random.uniform(...outliers);
    this.#always = always;
  }

  /** dBm, in whole decibels. */
  read(random: Random, powerDbm: number): number {
    const noise = this.#noiseDb > 0 ? this.#noiseDb * random.normal() : 0;
    const isOutlier = this.#outliers > 0 && random.chance(this.#outliers);
    return this.#always ?? Math.round(powerDbm + noise + (isOutlier ? random.uniform(...OUTLIER_DB) : 0));
  }
}
