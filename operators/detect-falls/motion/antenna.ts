import { burst, LOOK_AHEAD, LOOK_BACK, motion, newestMotion, type Burst } from './features.js';
import { FlooredTracks, type FlooredState } from './floored.js';

/** Share of gaps above which an antenna is ignored. */
const MAX_GAPS = 0.1;
/** Share of gaps above which a link counts as not delivering. */
const MAX_LOST = 0.4;

export interface AntennaState {
  readonly start: number;
  readonly fine: FlooredState;
}

/** One antenna's tracks and noise floors. Samples have the room's numbers. */
export class Antenna {
  #fine: FlooredTracks;
  /** The room's sample at which the tracks began. */
  #start: number;

  constructor(subcarriers: number, start: number) {
    this.#fine = new FlooredTracks(subcarriers);
    this.#start = start;
  }

  get subcarriers(): number {
    return this.#fine.tracks.subcarriers;
  }

  /** Number of samples behind its noise floors. */
  get learnt(): number {
    return this.#fine.learnt;
  }

  restart(): void {
    this.#fine.restart();
    this.#start = 0;
  }

  push(amplitudes: ArrayLike<number>, at: number, gap: boolean): void {
    this.#fine.push(amplitudes, at, gap);
  }

  /** Fills a gap if the room has `count` samples and this antenna has none for the last one. */
  keepUp(count: number): void {
    while (this.#fine.tracks.count + this.#start < count) this.#fine.push([], 0, true);
  }

  /** Motion at sample `c`; null if unknown. */
  motionAt(c: number): number | null {
    const own = c - this.#start;
    const { tracks } = this.#fine;
    return own < MIN_SAMPLES || own > newestMotion(tracks) ? null : motion(tracks, own);
  }

  /** The burst around sample `c`; null if too little of it was observed. */
  burstAt(c: number): Burst | null {
    const own = c - this.#start;
    const { tracks, learnt } = this.#fine;
    if (own < LOOK_BACK || tracks.gaps(own - LOOK_BACK, own + LOOK_AHEAD) > MAX_GAPS || learnt === 0)
      return null;
    return burst(tracks, own, this.#fine.floors());
  }

  /** Whether enough frames arrived for the burst around sample `c`, regardless of the loss rate. */
  delivers(c: number): boolean {
    const own = c - this.#start;
    const { tracks, learnt } = this.#fine;
    return own >= LOOK_BACK && learnt > 0 && tracks.gaps(own - LOOK_BACK, own + LOOK_AHEAD) <= MAX_LOST;
  }

  snapshot(): AntennaState {
    return { start: this.#start, fine: this.#fine.snapshot() };
  }

  static restore(state: AntennaState): Antenna {
    const antenna = new Antenna(state.fine.tracks.subcarriers, state.start);
    antenna.#fine = FlooredTracks.restore(state.fine);
    return antenna;
  }
}

/** Samples before the box and lags of motion are filled. */
const MIN_SAMPLES = 6;
