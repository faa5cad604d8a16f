import { Histogram } from './histogram.js';
import { AntennaTracks, FLOORED, LAGS, RATE_HZ, type TracksState } from './tracks.js';

/** Half an hour: the time over which old noise fades from a floor. */
export const FADING_SAMPLES = 30 * 60 * RATE_HZ;
/** What S_32 looks back and ahead, samples: the furthest of the tracks that have a floor. */
const FLOOR_DELAY = 20;
const FLOOR_QUANTILE = 0.1;

export interface FlooredState {
  readonly tracks: TracksState;
  readonly floors: readonly Uint16Array[];
}

/** Tracks, and the noise floor of each log track: its 10th percentile over all that was seen. */
export class FlooredTracks {
  tracks: AntennaTracks;
  readonly #floors = Array.from({ length: FLOORED }, () => new Histogram(-8, 2, 250, FADING_SAMPLES));

  constructor(subcarriers: number) {
    this.tracks = new AntennaTracks(subcarriers);
  }

  /** Samples that the floors rest on. */
  get learnt(): number {
    return this.#floors[0]!.total;
  }

  /** By {@link LAGS}, then that of the slow change; NaN before the first sample. */
  floors(): readonly number[] {
    return this.#floors.map((floor) => floor.quantile(FLOOR_QUANTILE));
  }

  /** Begins the tracks anew and keeps the floors. */
  restart(): void {
    this.tracks = new AntennaTracks(this.tracks.subcarriers);
  }

  push(amplitudes: ArrayLike<number>, at: number, gap: boolean): void {
    this.tracks.push(amplitudes, at, gap);
    if (!gap) this.#learn();
  }

  /** Every value of each track counts towards its floor as soon as all tracks have one. */
  #learn(): void {
    const { tracks } = this;
    const c = tracks.count - 1 - FLOOR_DELAY;
    if (c < FLOOR_DELAY || tracks.gaps(c - FLOOR_DELAY, tracks.count - 1) > 0) return;
    for (let i = 0; i < LAGS.length; i++) this.#floors[i]!.add(tracks.structure(i, c));
    this.#floors[LAGS.length]!.add(tracks.slowChange(c));
  }

  snapshot(): FlooredState {
    return { tracks: this.tracks.snapshot(), floors: this.#floors.map((floor) => floor.snapshot()) };
  }

  static restore(state: FlooredState): FlooredTracks {
    const floored = new FlooredTracks(state.tracks.subcarriers);
    floored.tracks = AntennaTracks.restore(state.tracks);
    floored.#floors.forEach((floor, i) => {
      floor.restore(state.floors[i]!);
    });
    return floored;
  }
}
