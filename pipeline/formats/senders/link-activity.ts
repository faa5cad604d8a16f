import type { CsiBlock } from '../../model/index.js';

/** Which links of a source are heard, how strongly, and above which noise: for status pages, so it is no part of any snapshot. */
export class LinkActivity {
  /** Event time of the newest frame by link number, microseconds. */
  readonly #newest: Float64Array;
  readonly #rssi = new SecondMean();
  readonly #noise = new SecondMean();
  /** The largest seen, so that it does not depend on how frames of several layouts lie in blocks. */
  #antennas = 0;
  #subcarriers = 0;

  /** @param links in the topology's table */
  constructor(links: number) {
    this.#newest = new Float64Array(links).fill(-Infinity);
  }

  see({ count, time, link, rssi, noise, layout }: CsiBlock): void {
    this.#antennas = Math.max(this.#antennas, layout.rx);
    this.#subcarriers = Math.max(this.#subcarriers, layout.subcarriers.length);
    for (let row = 0; row < count; row++) {
      const at = time[row]!;
      if (at > this.#newest[link[row]!]!) this.#newest[link[row]!] = at;
      this.#rssi.see(at, rssi[row]!);
      this.#noise.see(at, noise[row]!);
    }
  }

  /**
   * `active_links`: those with a frame in the last five seconds of event time; `rssi` and `noise`: mean dBm of the
   * newest second, left out where unknown; `antennas` and `subcarriers` of the largest layout.
   */
  describe(): {
    readonly active_links: number;
    readonly antennas?: number;
    readonly subcarriers?: number;
    readonly rssi?: number;
    readonly noise?: number;
  } {
    const newest = this.#newest.reduce((a, b) => Math.max(a, b), -Infinity);
    const active = this.#newest.filter((time) => time > newest - ACTIVE_US).length;
    const [rssi, noise] = [this.#rssi.mean, this.#noise.mean];
    return {
      active_links: active,
      ...(this.#antennas > 0 && { antennas: this.#antennas, subcarriers: this.#subcarriers }),
      ...(!Number.isNaN(rssi) && { rssi }),
      ...(!Number.isNaN(noise) && { noise }),
    };
  }
}

/** Mean of the levels of the newest whole second of event time; of what there is before the first one is over. */
class SecondMean {
  #second = -1;
  #sum = 0;
  #count = 0;
  #last = NaN;

  /** @param level dBm; others than below 0 say that it is not known */
  see(time: number, level: number): void {
    if (time >= (this.#second + 1) * SECOND) {
      this.#last = this.#sum / this.#count;
      this.#second = Math.floor(time / SECOND);
      this.#sum = 0;
      this.#count = 0;
    }
    if (level < 0) {
      this.#sum += level;
      this.#count++;
    }
  }

  /** dBm, to a tenth; NaN where unknown. */
  get mean(): number {
    const mean = Number.isNaN(this.#last) ? this.#sum / this.#count : this.#last;
    return Math.round(mean * 10) / 10;
  }
}

const SECOND = 1_000_000;
const ACTIVE_US = 5 * SECOND;
