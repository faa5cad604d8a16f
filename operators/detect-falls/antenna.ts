import { burst, LOOK_AHEAD, LOOK_BACK, motion, newestMotion, type Burst } from './features.js';
import { FlooredTracks, type FlooredState } from './floored.js';

/** Share of gaps above which an antenna has no say. */
const MOST_GAPS = 0.1;
/** The same for what is pooled over links: many links lose a tenth of their packets, and others make up for it. */
const MOST_POOLED_GAPS = 0.4;
/**
 * Bands that the amplitudes are averaged in for what is pooled over links. A body's echo is alike over several
 * megahertz and noise is not: seven bands of a 20 MHz channel lower the noise by 9 dB.
 */
const BANDS = 7;

export interface AntennaState {
  readonly start: number;
  readonly fine: FlooredState;
  readonly bands: FlooredState;
}

/** One antenna's tracks and noise floors: of its subcarriers, and of bands of them. Samples are numbered as the room's. */
export class Antenna {
  /** Of each subcarrier by itself. */
  #fine: FlooredTracks;
  #bands: FlooredTracks;
  /** The room's sample at which the tracks began. */
  #start: number;
  readonly #means: Float32Array;

  constructor(subcarriers: number, start: number) {
    const bands = Math.min(BANDS, subcarriers);
    this.#fine = new FlooredTracks(subcarriers, 0);
    this.#bands = new FlooredTracks(bands, MOST_POOLED_GAPS);
    this.#means = new Float32Array(bands);
    this.#start = start;
  }

  get subcarriers(): number {
    return this.#fine.tracks.subcarriers;
  }

  /** Samples that its noise floors rest on. */
  get learnt(): number {
    return this.#fine.learnt;
  }

  /** The same, of the bands. */
  get bandsLearnt(): number {
    return this.#bands.learnt;
  }

  restart(): void {
    this.#fine.restart();
    this.#bands.restart();
    this.#start = 0;
  }

  push(amplitudes: ArrayLike<number>, at: number, gap: boolean): void {
    this.#fine.push(amplitudes, at, gap);
    const { length } = this.#means;
    for (let band = 0; band < length; band++) {
      const first = Math.round((band * this.subcarriers) / length);
      const end = Math.round(((band + 1) * this.subcarriers) / length);
      let sum = 0;
      for (let i = first; i < end; i++) sum += amplitudes[at + i]!;
      this.#means[band] = sum / (end - first);
    }
    this.#bands.push(this.#means, 0, gap);
  }

  /** Fills in a gap where the room has `count` samples and this antenna had none for the last. */
  keepUp(count: number): void {
    while (this.#fine.tracks.count + this.#start < count) {
      this.#fine.push([], 0, true);
      this.#bands.push([], 0, true);
    }
  }

  /** Motion at sample `c`, null where it is not known. */
  motionAt(c: number): number | null {
    return this.#motionOf(this.#fine, c);
  }

  /** The same, of the bands. */
  bandMotionAt(c: number): number | null {
    return this.#motionOf(this.#bands, c);
  }

  #motionOf({ tracks }: FlooredTracks, c: number): number | null {
    const own = c - this.#start;
    return own < LEAST_SAMPLES || own > newestMotion(tracks) ? null : motion(tracks, own);
  }

  /** The burst about sample `c`, null where too little was seen of it. */
  burstAt(c: number): Burst | null {
    const own = c - this.#start;
    const { tracks, learnt } = this.#fine;
    if (own < LOOK_BACK || tracks.gaps(own - LOOK_BACK, own + LOOK_AHEAD) > MOST_GAPS || learnt === 0)
      return null;
    return burst(tracks, own, this.#fine.floors());
  }

  /** What pooled features read about sample `c`, null where too little was seen from `back` before to `ahead` after it. */
  about(c: number, back: number, ahead: number): About | null {
    const own = c - this.#start;
    const { tracks } = this.#bands;
    if (own < back || tracks.gaps(own - back, own + ahead) > MOST_POOLED_GAPS || this.#bands.learnt === 0)
      return null;
    return { bands: tracks, fine: this.#fine.tracks, floors: this.#bands.floors(), centre: own };
  }

  snapshot(): AntennaState {
    return { start: this.#start, fine: this.#fine.snapshot(), bands: this.#bands.snapshot() };
  }

  static restore(state: AntennaState): Antenna {
    const antenna = new Antenna(state.fine.tracks.subcarriers, state.start);
    antenna.#fine = FlooredTracks.restore(state.fine, 0);
    antenna.#bands = FlooredTracks.restore(state.bands, MOST_POOLED_GAPS);
    return antenna;
  }
}

/** Samples before motion has its box and lags. */
const LEAST_SAMPLES = 6;

/** An antenna's tracks about one of its samples. */
export interface About {
  readonly bands: FlooredTracks['tracks'];
  readonly fine: FlooredTracks['tracks'];
  /** Of the bands. */
  readonly floors: readonly number[];
  readonly centre: number;
}
