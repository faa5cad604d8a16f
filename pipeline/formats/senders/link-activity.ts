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

  readonly #ids: readonly string[];
  readonly #links: readonly { readonly rssi: SecondMean; readonly noise: SecondMean }[];

  /** @param links of the topology's table, in its order */
  constructor(links: Iterable<{ readonly link: { readonly id: string } }>) {
    this.#ids = Array.from(links, ({ link }) => link.id);
    this.#links = this.#ids.map(() => ({ rssi: new SecondMean(), noise: new SecondMean() }));
    this.#newest = new Float64Array(this.#ids.length).fill(-Infinity);
  }

  see({ count, time, link, rssi, noise, layout }: CsiBlock): void {
    this.#antennas = Math.max(this.#antennas, layout.rx);
    this.#subcarriers = Math.max(this.#subcarriers, layout.subcarriers.length);
    for (let row = 0; row < count; row++) {
      const at = time[row]!;
      const index = link[row]!;
      if (at > this.#newest[index]!) this.#newest[index] = at;
      const own = this.#links[index]!;
      for (const levels of [this.#rssi, own.rssi]) levels.see(at, rssi[row]!);
      for (const levels of [this.#noise, own.noise]) levels.see(at, noise[row]!);
    }
  }

  /**
   * `active_links`: those with a frame in the last five seconds of event time; `rssi` and `noise`: mean dBm of the
   * newest second, left out where unknown; `antennas` and `subcarriers` of the largest layout; `heard`: the same by
   * link, of those that were ever heard, with the frames of that second and the time of the newest.
   */
  describe(): {
    readonly active_links: number;
    readonly antennas?: number;
    readonly subcarriers?: number;
    readonly rssi?: number;
    readonly noise?: number;
    readonly heard?: Readonly<Record<string, HeardLink>>;
  } {
    const newest = this.#newest.reduce((a, b) => Math.max(a, b), -Infinity);
    const active = this.#newest.filter((time) => time > newest - ACTIVE_US).length;
    const [rssi, noise] = [this.#rssi.mean, this.#noise.mean];
    return {
      active_links: active,
      ...(this.#antennas > 0 && { antennas: this.#antennas, subcarriers: this.#subcarriers }),
      ...(!Number.isNaN(rssi) && { rssi }),
      ...(!Number.isNaN(noise) && { noise }),
      ...(active > 0 && { heard: this.#heard(newest) }),
    };
  }

  /** @param now event time of the newest frame of all, microseconds */
  #heard(now: number): Readonly<Record<string, HeardLink>> {
    return Object.fromEntries(
      this.#ids.flatMap((id, index) => {
        const last = this.#newest[index]!;
        if (last === -Infinity) return [];
        const { rssi, noise } = this.#links[index]!;
        // Of a silent link, the second that was its last says nothing of now.
        const rate = now - last < ACTIVE_US ? rssi.rate : 0;
        return [
          [
            id,
            {
              ...(rate !== null && { rate }),
              last: new Date(last / 1000).toISOString(),
              ...(!Number.isNaN(rssi.mean) && { rssi: rssi.mean }),
              ...(!Number.isNaN(noise.mean) && { noise: noise.mean }),
            },
          ],
        ];
      }),
    );
  }
}

/** What is heard on one link. */
export interface HeardLink {
  /** Frames a second, of the newest whole second; 0 after five silent seconds, left out before the first is over. */
  readonly rate?: number;
  /** ISO 8601, event time of the newest frame. */
  readonly last: string;
  /** dBm; left out where unknown. */
  readonly rssi?: number;
  readonly noise?: number;
}

/**
 * Frames and mean level of the newest whole second of event time; of what there is before the first one is over. In
 * whichever order frames come, it says the same.
 */
class SecondMean {
  #newest = new Second(-Infinity);
  /** The newest one before it in which a frame came. */
  #whole = new Second(-Infinity);

  /** @param level dBm; others than below 0 say that it is not known */
  see(time: number, level: number): void {
    const number = Math.floor(time / SECOND);
    if (number > this.#newest.number) {
      this.#whole = this.#newest;
      this.#newest = new Second(number);
    } else if (number > this.#whole.number && number < this.#newest.number) this.#whole = new Second(number);
    for (const second of [this.#newest, this.#whole]) if (second.number === number) second.add(level);
  }

  /** Frames a second; null before the first second is over. */
  get rate(): number | null {
    const { number, frames } = this.#whole;
    return number === -Infinity ? null : Math.round((10 * frames) / (this.#newest.number - number)) / 10;
  }

  /** dBm, to a tenth; NaN where unknown. */
  get mean(): number {
    const whole = this.#whole.mean;
    return Math.round((Number.isNaN(whole) ? this.#newest.mean : whole) * 10) / 10;
  }
}

class Second {
  /** Since 1970. */
  readonly number: number;
  frames = 0;
  #sum = 0;
  #known = 0;

  constructor(number: number) {
    this.number = number;
  }

  add(level: number): void {
    this.frames++;
    if (level >= 0 || Number.isNaN(level)) return;
    this.#sum += level;
    this.#known++;
  }

  get mean(): number {
    return this.#sum / this.#known;
  }
}

const SECOND = 1_000_000;
const ACTIVE_US = 5 * SECOND;
