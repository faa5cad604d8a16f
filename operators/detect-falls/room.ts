import { burst, LOOK_AHEAD, LOOK_BACK, motion, newestMotion } from './features.js';
import { Histogram } from './histogram.js';
import { AntennaTracks, FLOORED, KEPT, LAGS, RATE_HZ, type TracksState } from './tracks.js';

/** Amplitudes of a link at one point of the 20 Hz grid, or a gap. */
export interface LinkSample {
  readonly id: string;
  readonly antennas: number;
  readonly subcarriers: number;
  /** [antenna, subcarrier] from `at`. */
  readonly amplitudes: ArrayLike<number>;
  readonly at: number;
  readonly gap: boolean;
}

/** A local maximum of a room's motion, as each antenna saw it. */
export interface Candidate {
  /** Number of its grid point: `sample / RATE_HZ` seconds since 1970. */
  readonly sample: number;
  /** Features of each antenna of each link that has seen enough. */
  readonly views: readonly View[];
  /** Samples that the least learnt of their noise floors rests on; old ones fade, so it stays below {@link FADING_SAMPLES}. */
  readonly learnt: number;
}

export interface View {
  readonly link: string;
  readonly features: Float64Array;
  /** Motion at its peak over the noise floor, log10 of relative power. */
  readonly peak: number;
  /** Highest motion from 2 s before to 2.5 s after, on the same scale. */
  readonly highest: number;
  /** Seconds above half its height. */
  readonly duration: number;
}

/** Half an hour: the time over which old noise fades from a floor. */
export const FADING_SAMPLES = 30 * 60 * RATE_HZ;
/** What S_32 looks back and ahead, samples: the furthest of the tracks that have a floor. */
const FLOOR_DELAY = 20;
const FLOOR_QUANTILE = 0.1;
/** Share of gaps above which an antenna has no say. */
const MOST_GAPS = 0.1;
/** A candidate is the highest within this many samples on either side ... */
const APART = 1.5 * RATE_HZ;
/** ... of motion's power in a box of 0.6 s. */
const HALF_BOX = 6;
/** Where the smoothed motion of the candidate finder ends, samples before now: what S_8 and the box look ahead. */
const MOTION_DELAY = 8;

/**
 * Follows the motion of a room's links and finds candidates: peaks that may be falls. A candidate comes
 * {@link LOOK_AHEAD} after its peak, when all that its features are made of is there. Memory is bounded by
 * the number of antennas.
 */
export class Room {
  readonly #links = new Map<string, Antenna[]>();
  /** Number of the next grid point, -1 before the first. */
  #next = -1;
  /** Samples since the tracks began. */
  #count = 0;
  /** Power of motion, mean of the antennas in log, by sample; smoothed beside it. */
  readonly #power = new Float64Array(KEPT);
  readonly #smooth = new Float64Array(KEPT);

  get next(): number {
    return this.#next;
  }

  /** Begins the tracks anew at grid point `next` and keeps the noise floors: after an interruption. */
  restart(next: number): void {
    this.#next = next;
    this.#count = 0;
    for (const antennas of this.#links.values()) for (const antenna of antennas) antenna.restart();
  }

  /** Takes all links at the grid point {@link next}. A link that is not among them has a gap. */
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
    if (list?.length !== antennas || list[0]!.tracks.subcarriers !== subcarriers) {
      list = Array.from({ length: antennas }, () => new Antenna(subcarriers, this.#count));
      this.#links.set(id, list);
    }
    list.forEach((antenna, i) => {
      antenna.push(amplitudes, at + i * subcarriers, gap);
    });
  }

  #follow(): void {
    const c = this.#count - 1 - MOTION_DELAY;
    if (c < 0) return;
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
    this.#power[c % KEPT] = seen > 0 ? 10 ** (sum / seen) : 0;
    const s = c - HALF_BOX;
    if (s < HALF_BOX) return;
    let box = 0;
    for (let n = s - HALF_BOX; n <= s + HALF_BOX; n++) box += this.#power[n % KEPT]!;
    this.#smooth[s % KEPT] = box / (2 * HALF_BOX + 1);
  }

  #isPeak(c: number): boolean {
    const height = this.#smooth[c % KEPT]!;
    for (let n = c - APART; n < c; n++) if (this.#smooth[n % KEPT]! >= height) return false;
    for (let n = c + 1; n <= c + APART; n++) if (this.#smooth[n % KEPT]! > height) return false;
    return height > 0;
  }

  #candidate(c: number): Candidate {
    const views: View[] = [];
    let learnt = Infinity;
    for (const [link, antennas] of this.#links) {
      for (const antenna of antennas) {
        const seen = antenna.view(c);
        if (!seen) continue;
        views.push({ link, ...seen });
        learnt = Math.min(learnt, antenna.learnt);
      }
    }
    return { sample: this.#next - 1 - LOOK_AHEAD, views, learnt };
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

interface AntennaState {
  readonly tracks: TracksState;
  readonly start: number;
  readonly floors: readonly Uint16Array[];
}

/** One antenna's tracks and the noise floor of each of its log tracks. */
class Antenna {
  tracks: AntennaTracks;
  /** The room's sample at which the tracks began. */
  #start: number;
  readonly #floors = Array.from({ length: FLOORED }, () => new Histogram(-8, 2, 250, FADING_SAMPLES));

  constructor(subcarriers: number, start: number) {
    this.tracks = new AntennaTracks(subcarriers);
    this.#start = start;
  }

  /** Samples that its noise floors rest on. */
  get learnt(): number {
    return this.#floors[0]!.total;
  }

  restart(): void {
    this.tracks = new AntennaTracks(this.tracks.subcarriers);
    this.#start = 0;
  }

  push(amplitudes: ArrayLike<number>, at: number, gap: boolean): void {
    this.tracks.push(amplitudes, at, gap);
    if (!gap) this.#learn();
  }

  /** Fills in a gap where the room has `count` samples and this antenna had none for the last. */
  keepUp(count: number): void {
    while (this.tracks.count + this.#start < count) this.tracks.push([], 0, true);
  }

  /** Every value of each track counts towards its floor as soon as all tracks have one. */
  #learn(): void {
    const { tracks } = this;
    const c = tracks.count - 1 - FLOOR_DELAY;
    if (c < FLOOR_DELAY || tracks.gaps(c - FLOOR_DELAY, tracks.count - 1) > 0) return;
    for (let i = 0; i < LAGS.length; i++) this.#floors[i]!.add(tracks.structure(i, c));
    this.#floors[LAGS.length]!.add(tracks.slowChange(c));
  }

  motionAt(c: number): number | null {
    const own = c - this.#start;
    if (own < HALF_BOX || own > newestMotion(this.tracks)) return null;
    return motion(this.tracks, own);
  }

  view(c: number): Omit<View, 'link'> | null {
    const own = c - this.#start;
    if (own < LOOK_BACK || this.tracks.gaps(own - LOOK_BACK, own + LOOK_AHEAD) > MOST_GAPS) return null;
    if (this.#floors[0]!.total === 0) return null;
    return burst(
      this.tracks,
      own,
      this.#floors.map((floor) => floor.quantile(FLOOR_QUANTILE)),
    );
  }

  snapshot(): AntennaState {
    return {
      tracks: this.tracks.snapshot(),
      start: this.#start,
      floors: this.#floors.map((floor) => floor.snapshot()),
    };
  }

  static restore(state: AntennaState): Antenna {
    const antenna = new Antenna(state.tracks.subcarriers, state.start);
    antenna.tracks = AntennaTracks.restore(state.tracks);
    antenna.#floors.forEach((floor, i) => {
      floor.restore(state.floors[i]!);
    });
    return antenna;
  }
}
