import { Antenna, type AntennaState } from './antenna.js';
import { LOOK_AHEAD, LOOK_BACK, type Burst } from './features.js';
import { STORED_SAMPLES, RATE_HZ } from './tracks.js';

/** Amplitudes of a link at one point of the 20 Hz grid, or a gap. */
export interface LinkSample {
  readonly id: string;
  /** An antenna counts once for each shift of the grid at which it is sampled. */
  readonly antennas: number;
  readonly subcarriers: number;
  /** [antenna, subcarrier] from `at`. */
  readonly amplitudes: ArrayLike<number>;
  readonly at: number;
  readonly gap: boolean;
}

/** A local maximum of a room's motion, as seen by each antenna. */
export interface Candidate {
  /** Number of its grid point: `sample / RATE_HZ` seconds since 1970. */
  readonly sample: number;
  /** Features of each antenna of each link with enough data. */
  readonly views: readonly View[];
  /** Links that deliver, including those with too many gaps around the burst. */
  readonly links: number;
  /**
   * Samples behind the least learnt of their noise floors; old ones decay, so it stays below {@link
   * FADING_SAMPLES}.
   */
  readonly learnt: number;
}

export interface View extends Burst {
  readonly link: string;
}

/** A candidate is the highest within this many samples on either side ... */
const APART = 1.5 * RATE_HZ;
/** ... of the power of motion in a box of 0.6 s. */
const HALF_BOX = 6;
/** End of the candidate finder's smoothed motion, in samples before now: the look-ahead of S_8 and the box. */
const MOTION_DELAY = 8;

/**
 * Tracks the motion of a room's links and finds candidates: peaks that may be falls. A candidate is returned
 * {@link LOOK_AHEAD} after its peak, when all its features are known. Memory is bounded by the number of
 * antennas.
 */
export class Room {
  readonly #links = new Map<string, Antenna[]>();
  /** Number of the next grid point, -1 before the first. */
  #next = -1;
  /** Samples since the tracks started. */
  #count = 0;
  /** Power of motion, mean of the antennas in log, by sample, and its smoothed version. */
  readonly #power = new Float64Array(STORED_SAMPLES);
  readonly #smooth = new Float64Array(STORED_SAMPLES);

  get next(): number {
    return this.#next;
  }

  /** Restarts the tracks at grid point `next` after an interruption; the noise floors stay. */
  restart(next: number): void {
    this.#next = next;
    this.#count = 0;
    for (const antennas of this.#links.values()) for (const antenna of antennas) antenna.restart();
  }

  /** Adds all links at the grid point {@link next}; a missing link has a gap. Null if no candidate became known. */
  push(samples: readonly LinkSample[]): Candidate | null {
    for (const sample of samples) this.#push(sample);
    for (const antennas of this.#links.values())
      for (const antenna of antennas) antenna.keepUp(this.#count + 1);
    this.#count++;
    this.#next++;
    this.#follow();
    const c = this.#count - 1 - LOOK_AHEAD;
    return c >= LOOK_BACK && this.#isPeak(c) ? this.#candidate(c) : null;
  }

  #push({ id, antennas, subcarriers, amplitudes, at, gap }: LinkSample): void {
    let list = this.#links.get(id);
    if (list?.length !== antennas || list[0]!.subcarriers !== subcarriers) {
      list = Array.from({ length: antennas }, () => new Antenna(subcarriers, this.#count));
      this.#links.set(id, list);
    }
    list.forEach((antenna, i) => {
      antenna.push(amplitudes, at + i * subcarriers, gap);
    });
  }

  /** Mean over the antennas of their log motion at sample `c`; null if none has any. */
  #meanMotion(c: number): number | null {
    let sum = 0;
    let seen = 0;
    for (const antennas of this.#links.values()) {
      for (const antenna of antennas) {
        const e = antenna.motionAt(c);
        if (e === null) continue;
        sum += e;
        seen++;
      }
    }
    return seen > 0 ? sum / seen : null;
  }

  #follow(): void {
    const c = this.#count - 1 - MOTION_DELAY;
    if (c < 0) return;
    const mean = this.#meanMotion(c);
    this.#power[c % STORED_SAMPLES] = mean === null ? 0 : 10 ** mean;
    const s = c - HALF_BOX;
    if (s < HALF_BOX) return;
    let box = 0;
    for (let n = s - HALF_BOX; n <= s + HALF_BOX; n++) box += this.#power[n % STORED_SAMPLES]!;
    this.#smooth[s % STORED_SAMPLES] = box / (2 * HALF_BOX + 1);
  }

  #isPeak(c: number): boolean {
    const height = this.#smooth[c % STORED_SAMPLES]!;
    for (let n = c - APART; n < c; n++) if (this.#smooth[n % STORED_SAMPLES]! >= height) return false;
    for (let n = c + 1; n <= c + APART; n++) if (this.#smooth[n % STORED_SAMPLES]! > height) return false;
    return height > 0;
  }

  #candidate(c: number): Candidate {
    const views: View[] = [];
    let learnt = Infinity;
    let links = 0;
    for (const [link, antennas] of this.#links) {
      if (antennas.some((antenna) => antenna.delivers(c))) links++;
      for (const antenna of antennas) {
        const seen = antenna.burstAt(c);
        if (!seen) continue;
        views.push({ link, ...seen });
        learnt = Math.min(learnt, antenna.learnt);
      }
    }
    return { sample: this.#next - 1 - LOOK_AHEAD, views, links, learnt };
  }

  snapshot(): RoomState {
    return {
      next: this.#next,
      count: this.#count,
      power: this.#power.slice(),
      smooth: this.#smooth.slice(),
      links: [...this.#links].map(([id, antennas]) => ({ id, antennas: antennas.map((a) => a.snapshot()) })),
    };
  }

  restore(state: RoomState): void {
    this.#next = state.next;
    this.#count = state.count;
    this.#power.set(state.power);
    this.#smooth.set(state.smooth);
    this.#links.clear();
    for (const { id, antennas } of state.links)
      this.#links.set(
        id,
        antennas.map((a) => Antenna.restore(a)),
      );
  }
}

export interface RoomState {
  readonly next: number;
  readonly count: number;
  readonly power: Float64Array;
  readonly smooth: Float64Array;
  readonly links: readonly { readonly id: string; readonly antennas: readonly AntennaState[] }[];
}
