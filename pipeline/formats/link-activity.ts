import type { CsiBlock } from '../model/index.js';

/** Which links of a source are heard, and how strongly: for status pages, so it is no part of any snapshot. */
export class LinkActivity {
  /** Event time of the newest frame by link number, microseconds. */
  readonly #newest: Float64Array;
  #second = -1;
  #sum = 0;
  #count = 0;
  /** Mean of the newest whole second, dBm; NaN before there is one. */
  #mean = NaN;

  /** @param links in the topology's table */
  constructor(links: number) {
    this.#newest = new Float64Array(links).fill(-Infinity);
  }

  see({ count, time, link, rssi }: CsiBlock): void {
    for (let row = 0; row < count; row++) {
      const at = time[row]!;
      if (at > this.#newest[link[row]!]!) this.#newest[link[row]!] = at;
      if (at >= (this.#second + 1) * SECOND) this.#begin(Math.floor(at / SECOND));
      const level = rssi[row]!;
      if (level < 0) {
        this.#sum += level;
        this.#count++;
      }
    }
  }

  /** `active_links`: those with a frame in the last five seconds of event time; `rssi`: mean dBm of the newest second, left out where unknown. */
  describe(): { readonly active_links: number; readonly rssi?: number } {
    const newest = this.#newest.reduce((a, b) => Math.max(a, b), -Infinity);
    const active = this.#newest.filter((time) => time > newest - ACTIVE_US).length;
    const rssi = Number.isNaN(this.#mean) ? this.#sum / this.#count : this.#mean;
    return Number.isNaN(rssi)
      ? { active_links: active }
      : { active_links: active, rssi: Math.round(rssi * 10) / 10 };
  }

  #begin(second: number): void {
    this.#mean = this.#sum / this.#count;
    this.#second = second;
    this.#sum = 0;
    this.#count = 0;
  }
}

const SECOND = 1_000_000;
const ACTIVE_US = 5 * SECOND;
