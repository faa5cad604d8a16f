import { amplitudeAt } from '../../shared/amplitude.js';
import { Histogram } from '../motion/histogram.js';
import {
  DEPARTURES,
  MIN_POWER,
  Profiles,
  SLOW_CHANGES,
  SLOW_LIKENESSES,
  type ProfilesState,
} from './profiles.js';

/**
 * How much the amplitudes of one antenna change, by lag: log10 of the mean square of u(t) - u(t - lag), ten
 * times a second, relative to its noise floor. Short lags separate fast motion from slow; long ones separate
 * a breathing person from an empty room.
 */

/** Length of a step in microseconds, and steps per second. */
export const STEP_US = 100_000;
export const STEPS_PER_S = 1e6 / STEP_US;
/** Milliseconds. A body at 1.5 m/s moves a quarter of a wavelength of 2.4 GHz within 20 ms. */
export const LAGS_MS = [20, 40, 60, 100, 200, 400, 1000] as const;
/**
 * Lags for the similarity of changes in neighbouring bands: a body's echo is similar over several megahertz,
 * noise is not.
 */
const COHERENT_MS = [20, 100, 400, 1000] as const;
/** Changes relative to their noise floor: by lag, then the slow ones of {@link Profiles}. */
export const FLOORED = LAGS_MS.length + SLOW_CHANGES;
/** Then follows the similarity of changes in neighbouring bands: at short lags, then slow. */
const SLOW_ALIKE = FLOORED + COHERENT_MS.length;
const MEASURED = SLOW_ALIKE + SLOW_LIKENESSES;
/** Values of a step, followed by its deviations from the usual. NaN for unknown values. */
export const CHANNELS = MEASURED + DEPARTURES;
/** Index of the lag used for motion. */
export const MOTION = LAGS_MS.indexOf(100);
/** Stored steps: five seconds back, ten ahead, and a margin. */
export const STORED_STEPS = 192;

/**
 * Bands over which subcarriers are averaged: seven bands of a 20 MHz channel lower the noise by 9 dB and
 * preserve the echo of a body.
 */
const BANDS = 7;
/** Each step covers this many microseconds of past changes. */
const LOOK_US = 200_000;
const MAX_LAG_US = 1_000_000;
/** A lag counts from this share of the frame interval on: points in between are interpolated. */
const MIN_LAG = 0.8;
const FLOOR_QUANTILE = 0.1;
/** Half an hour: the decay time of old noise in a floor. */
const FADING_STEPS = 30 * 60 * STEPS_PER_S;
const newFloor = (): Histogram => new Histogram(-8, 2, 250, FADING_STEPS);

export interface ChangesState {
  readonly subcarriers: number;
  readonly bands: Float32Array;
  readonly gaps: Uint8Array;
  readonly points: number;
  readonly loudness: Float32Array;
  readonly steps: Float32Array;
  readonly profiles: ProfilesState;
  readonly floors: readonly Uint16Array[];
}

/**
 * One antenna. Points have the numbers of the windows' grid, steps are `STEP_US` long; both are numbered
 * without gaps.
 */
export class Changes {
  readonly subcarriers: number;
  /** Microseconds per grid point. */
  readonly #grid: number;
  readonly #bands: number;
  readonly #history: number;
  readonly #values: Float32Array;
  readonly #gaps: Uint8Array;
  /** Number of points so far. */
  #points = 0;
  /** By point: log10 of the mean amplitude. */
  readonly #loudness: Float32Array;
  /** By step: changes, before subtraction of their floors, then similarities. */
  readonly #steps = new Float32Array(STORED_STEPS * MEASURED).fill(NaN);
  readonly #profiles: Profiles;
  readonly #floors = LAGS_MS.map(newFloor);

  constructor(subcarriers: number, grid: number) {
    this.subcarriers = subcarriers;
    this.#grid = grid;
    this.#bands = Math.min(BANDS, subcarriers);
    this.#history = Math.ceil((MAX_LAG_US + LOOK_US) / grid) + 2;
    this.#values = new Float32Array(this.#history * this.#bands);
    this.#gaps = new Uint8Array(this.#history).fill(1);
    this.#loudness = new Float32Array(this.#history);
    this.#profiles = new Profiles(this.#bands, STORED_STEPS, newFloor);
  }

  /** Number of steps behind the noise floor; old ones decay. */
  get learnt(): number {
    return this.#floors[MOTION]!.total;
  }

  /** Restarts the tracks; the floors stay. */
  restart(): void {
    this.#points = 0;
    this.#gaps.fill(1);
    this.#steps.fill(NaN);
    this.#profiles.restart();
  }

  /** Adds the next point: `values[at...]` is [subcarrier, (re, im)]. The receiver's gain cancels. */
  push(values: ArrayLike<number>, at: number, gap: boolean): void {
    const row = this.#points % this.#history;
    const out = this.#values.subarray(row * this.#bands, (row + 1) * this.#bands);
    const sum = gap ? 0 : this.#inBands(values, at, out);
    this.#gaps[row] = sum > 0 && Number.isFinite(sum) ? 0 : 1;
    if (this.#gaps[row] === 0) for (let band = 0; band < out.length; band++) out[band]! *= out.length / sum;
    this.#loudness[row] = Math.log10(sum / out.length);
    this.#points++;
  }

  /** Adds a point without a measurement. */
  skip(): void {
    this.#gaps[this.#points++ % this.#history] = 1;
  }

  #inBands(values: ArrayLike<number>, at: number, out: Float32Array): number {
    let sum = 0;
    for (let band = 0; band < out.length; band++) {
      const first = Math.round((band * this.subcarriers) / out.length);
      const end = Math.round(((band + 1) * this.subcarriers) / out.length);
      let power = 0;
      for (let i = first; i < end; i++) power += amplitudeAt(values, at + 2 * i);
      out[band] = power / (end - first);
      sum += out[band]!;
    }
    return sum;
  }

  /** Ends step `step`: measures its changes. `spacing`: recent frame interval, microseconds. */
  end(step: number, spacing: number): void {
    const at = (step % STORED_STEPS) * MEASURED;
    const out = this.#steps.subarray(at, at + MEASURED).fill(NaN);
    LAGS_MS.forEach((lag, i) => {
      if (lag * 1000 < MIN_LAG * Math.max(this.#grid, spacing)) return;
      const { power, alike, count } = this.#changed(Math.round((lag * 1000) / this.#grid));
      if (count === 0) return;
      out[i] = Math.log10(Math.max(MIN_POWER, power / (count * this.#bands)));
      this.#floors[i]!.add(out[i]);
      const coherent = (COHERENT_MS as readonly number[]).indexOf(lag);
      if (coherent >= 0) out[FLOORED + coherent] = power > 0 ? alike / power : 0;
    });
    this.#average(this.#profiles.of(step));
    this.#profiles.end(step, out.subarray(LAGS_MS.length), out.subarray(SLOW_ALIKE));
  }

  /** The mean of the points that a step covers; NaN if it has none. */
  #average(profile: Float32Array): void {
    const loudness = profile.fill(0).length - 1;
    let count = 0;
    for (let n = this.#firstOfStep(); n < this.#points; n++) {
      const row = n % this.#history;
      if (this.#gaps[row] !== 0) continue;
      for (let band = 0; band < loudness; band++) profile[band]! += this.#values[row * loudness + band]!;
      profile[loudness]! += this.#loudness[row]!;
      count++;
    }
    for (let i = 0; i < profile.length; i++) profile[i]! /= count;
  }

  #firstOfStep(): number {
    return Math.max(0, this.#points - Math.round(LOOK_US / this.#grid));
  }

  #changed(lag: number): { readonly power: number; readonly alike: number; readonly count: number } {
    let [power, alike, count] = [0, 0, 0];
    const k = this.#bands;
    const u = this.#values;
    for (let n = Math.max(lag, this.#firstOfStep()); n < this.#points; n++) {
      const [row, before] = [n % this.#history, (n - lag) % this.#history];
      if (this.#gaps[row] !== 0 || this.#gaps[before] !== 0) continue;
      let last = 0;
      for (let band = 0; band < k; band++) {
        const d = u[row * k + band]! - u[before * k + band]!;
        power += d * d;
        alike += d * last;
        last = d;
      }
      count++;
    }
    return { power, alike, count };
  }

  /** Change at the lag of motion, log10 of relative power; NaN if unknown. */
  motion(step: number): number {
    return this.#steps[(step % STORED_STEPS) * MEASURED + MOTION]!;
  }

  /** The floor of each change; NaN before its first value. */
  floors(): Float64Array {
    return Float64Array.from([...this.#floors, ...this.#profiles.floors], (floor) =>
      floor.quantile(FLOOR_QUANTILE),
    );
  }

  /** Steps `from` to `to` (excluded), [step, channel], relative to these floors. */
  between(from: number, to: number, floors: ArrayLike<number>): Float32Array {
    const out = new Float32Array((to - from) * CHANNELS);
    const departures = this.#profiles.departuresBefore(to);
    for (let step = from; step < to; step++) {
      const at = (step % STORED_STEPS) * MEASURED;
      const row = out.subarray((step - from) * CHANNELS, (step - from + 1) * CHANNELS);
      for (let i = 0; i < MEASURED; i++) row[i] = this.#steps[at + i]! - (i < FLOORED ? floors[i]! : 0);
      departures(step, row.subarray(MEASURED));
    }
    return out;
  }

  snapshot(): ChangesState {
    return {
      subcarriers: this.subcarriers,
      bands: this.#values.slice(),
      gaps: this.#gaps.slice(),
      points: this.#points,
      loudness: this.#loudness.slice(),
      steps: this.#steps.slice(),
      profiles: this.#profiles.snapshot(),
      floors: this.#floors.map((floor) => floor.snapshot()),
    };
  }

  static restore(state: ChangesState, grid: number): Changes {
    const changes = new Changes(state.subcarriers, grid);
    changes.#values.set(state.bands);
    changes.#gaps.set(state.gaps);
    changes.#points = state.points;
    changes.#loudness.set(state.loudness);
    changes.#steps.set(state.steps);
    changes.#profiles.restore(state.profiles);
    changes.#floors.forEach((floor, i) => {
      floor.restore(state.floors[i]!);
    });
    return changes;
  }
}
