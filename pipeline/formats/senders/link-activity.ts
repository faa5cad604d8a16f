import { SILENT_AFTER_US, type CsiBlock } from '../../model/index.js';
import { isoTime } from '../../base/iso-time.js';

/**
 * Which links of a source are active, and their signal and noise levels. Only for status pages, so not part
 * of any snapshot.
 */
export class LinkActivity {
  /** Event time of the newest frame by link number, microseconds. */
  readonly #newest: Float64Array;
  readonly #rssi = new SecondMean();
  readonly #noise = new SecondMean();
  /**
   * The largest so far, so that it does not depend on how frames of several layouts are split into blocks.
   */
  #antennas = 0;
  #subcarriers = 0;

  readonly #ids: readonly string[];
  readonly #links: readonly { readonly rssi: SecondMean; readonly noise: SecondMean }[];

  /** @param links of the topology's table, in order */
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
      const second = Math.floor(at / SECOND);
      this.#rssi.see(second, rssi[row]!);
      own.rssi.see(second, rssi[row]!);
      this.#noise.see(second, noise[row]!);
      own.noise.see(second, noise[row]!);
    }
  }

  /**
   * `active_links`: those with a frame in the last five seconds of event time; `rssi` and `noise`: mean dBm
   * of the newest second, omitted if unknown; `antennas` and `subcarriers` of the largest layout; `heard`:
   * the same for each link that ever had a frame, with the frames of that second and the time of the newest.
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
    const active = this.#newest.filter((time) => time > newest - SILENT_AFTER_US).length;
    const [rssi, noise] = [this.#rssi.mean, this.#noise.mean];
    return {
      active_links: active,
      ...(this.#antennas > 0 && { antennas: this.#antennas, subcarriers: this.#subcarriers }),
      ...(!Number.isNaN(rssi) && { rssi }),
      ...(!Number.isNaN(noise) && { noise }),
      ...(active > 0 && { heard: this.#heard(newest) }),
    };
  }

  /** @param now event time of the newest of all frames, microseconds */
  #heard(now: number): Readonly<Record<string, HeardLink>> {
    return Object.fromEntries(
      this.#ids.flatMap((id, index) => {
        const last = this.#newest[index]!;
        if (last === -Infinity) return [];
        const { rssi, noise } = this.#links[index]!;
        // The last second of a silent link does not describe the present.
        const rate = now - last < SILENT_AFTER_US ? rssi.rate : 0;
        return [
          [
            id,
            {
              ...(rate !== null && { rate }),
              last: isoTime(last),
              ...(!Number.isNaN(rssi.mean) && { rssi: rssi.mean }),
              ...(!Number.isNaN(noise.mean) && { noise: noise.mean }),
            },
          ],
        ];
      }),
    );
  }
}

/** Activity of one link. */
export interface HeardLink {
  /**
   * Frames per second, in the newest whole second; 0 after five silent seconds, omitted before the first has
   * ended.
   */
  readonly rate?: number;
  /** ISO 8601, event time of the newest frame. */
  readonly last: string;
  /** dBm; omitted if unknown. */
  readonly rssi?: number;
  readonly noise?: number;
}

/**
 * Frames and mean level of the newest whole second of event time, or of the partial first second until it
 * ends. The result does not depend on the order of frames.
 */
class SecondMean {
  #newest = new Second(-Infinity);
  /** The newest earlier second with a frame. */
  #whole = new Second(-Infinity);

  /**
   * @param number of the second, since 1970
   * @param level dBm; 0 and above mean unknown
   */
  see(number: number, level: number): void {
    if (number > this.#newest.number) {
      this.#whole = this.#newest;
      this.#newest = new Second(number);
    }
    if (number === this.#newest.number) {
      this.#newest.add(level);
      return;
    }
    if (number > this.#whole.number) this.#whole = new Second(number);
    if (number === this.#whole.number) this.#whole.add(level);
  }

  /** Frames per second; null before the first second has ended. */
  get rate(): number | null {
    const { number, frames } = this.#whole;
    return number === -Infinity ? null : Math.round((10 * frames) / (this.#newest.number - number)) / 10;
  }

  /** dBm, rounded to a tenth; NaN if unknown. */
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
