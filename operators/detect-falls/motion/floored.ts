import { Histogram } from './histogram.js';
import { AntennaTracks, FLOORED, LAGS, RATE_HZ, type TracksState } from './tracks.js';

/** Half an hour: the decay time of old noise in a floor. */
export const FADING_SAMPLES = 30 * 60 * RATE_HZ;
/** Samples that S_32 needs before and after: the widest of the tracks that have a floor. */
const FLOOR_DELAY = 20;
const FLOOR_QUANTILE = 0.1;

export interface FlooredState {
  readonly tracks: TracksState;
  readonly floors: readonly Uint16Array[];
}

/** Tracks, and the noise floor of each log track: its 10th percentile over all samples so far. */
export class FlooredTracks {
  tracks: AntennaTracks;
  readonly #floors = Array.from({ length: FLOORED }, () => new Histogram(-8, 2, 250, FADING_SAMPLES));

  constructor(subcarriers: number) {
    this.tracks = new AntennaTracks(subcarriers);
  }

  /** Number of samples behind the floors. */
  get learnt(): number {
    return this.#floors[0]!.total;
  }

  /** By {@link LAGS}, then that of the slow change; NaN before the first sample. */
  floors(): readonly number[] {
    return this.#floors.map((floor) => floor.quantile(FLOOR_QUANTILE));
  }

  /** Restarts the tracks; the floors stay. */
  restart(): void {
    this.tracks = new AntennaTracks(this.tracks.subcarriers);
  }

  push(amplitudes: ArrayLike<number>, at: number, gap: boolean): void {
    this.tracks.push(amplitudes, at, gap);
    if (!gap) this.#learn();
  }

  /** Every value of each track counts towards its floor once all tracks have one. */
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
