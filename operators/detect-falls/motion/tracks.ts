/**
 * Motion tracks of one antenna: how fast its amplitudes change, at several lags. Amplitudes arrive on a grid
 * of 20 Hz; each sample's scalars are computed once, on arrival, from the samples before it, and read later
 * around a centre, so that a track centred on time t looks ahead by the delay given here.
 */

export const RATE_HZ = 20;
/**
 * Stored samples: the features reach from 2 s before a peak to 3.7 s after it; the candidate finder and the
 * filters need the rest.
 */
export const STORED_SAMPLES = 192;

/** Lags of the structure function S_l = log10 mean (u(t) - u(t - l))^2, samples. */
export const LAGS = [1, 2, 4, 8, 16, 32] as const;
/** Lag of the slow change D, the same on means of 0.25 s, samples. */
const SLOW_LAG = 20;
/** Half widths in samples of the 0.4 s box on S and D, the 0.25 s mean of D, and the 1.2 s window of r and coh. */
const BOX = 4;
const SMOOTH = 2;
const LONG = 12;
const LENGTH = 2 * LONG + 1;
/** Subcarriers in a band of coh. */
const BAND = 5;
/** Number of stored amplitudes. */
const HISTORY = Math.max(LAGS[LAGS.length - 1]! + 1, SLOW_LAG + 2 * SMOOTH + 1, 2 * LONG + 2);
/** Lower limit of a track, as power of relative amplitude: 60 dB below the resolution of 8-bit CSI. */
const MIN_POWER = 1e-9;

/** Index of each stored scalar of a sample. */
const DIFFERENCE = 0; // LAGS.length of them
const SLOW = LAGS.length;
const CORRELATION = SLOW + 1;
const BAND_ENERGY = SLOW + 2;
const ENERGY = SLOW + 3;
const GAP = SLOW + 4;
const SCALARS = SLOW + 5;

/** Log tracks with a noise floor: S_1, S_2, S_4, S_8, S_16, S_32, D_20. */
export const FLOORED = SLOW + 1;

export interface TracksState {
  readonly subcarriers: number;
  readonly count: number;
  readonly amplitudes: Float32Array;
  readonly scalars: Float32Array;
}

export class AntennaTracks {
  readonly subcarriers: number;
  #count = 0;
  readonly #amplitudes: Float32Array;
  readonly #scalars: Float32Array;
  // Over the last LENGTH samples, by subcarrier: sums of amplitudes, of their squares, and of products of
  // neighbouring samples. They slide with the samples and stay exact: see `rounded`.
  readonly #sums: Float64Array;
  readonly #squares: Float64Array;
  readonly #products: Float64Array;
  /** By subcarrier, the change of sums over 0.25 s. */
  readonly #slow: Float64Array;

  constructor(subcarriers: number) {
    this.subcarriers = subcarriers;
    this.#amplitudes = new Float32Array(HISTORY * subcarriers);
    this.#scalars = new Float32Array(STORED_SAMPLES * SCALARS);
    this.#sums = new Float64Array(subcarriers);
    this.#squares = new Float64Array(subcarriers);
    this.#products = new Float64Array(subcarriers);
    this.#slow = new Float64Array(subcarriers);
  }

  /** Number of samples so far. */
  get count(): number {
    return this.#count;
  }

  /**
   * Adds the next sample: `amplitudes[at...]`, any unit. A gap (no measurement near that time) repeats the
   * last sample and is marked. Amplitudes are divided by their mean, which cancels the receiver's gain.
   */
  push(amplitudes: ArrayLike<number>, at: number, gap: boolean): void {
    const k = this.subcarriers;
    const u = this.#amplitudes;
    const row = this.#row(this.#count);
    let sum = 0;
    for (let i = 0; i < k; i++) sum += amplitudes[at + i]!;
    const missing = gap || !(sum > 0) || !Number.isFinite(sum);
    if (missing) u.copyWithin(row, this.#row(this.#count - 1), this.#row(this.#count - 1) + k);
    else for (let i = 0; i < k; i++) u[row + i] = rounded((amplitudes[at + i]! * k) / sum);
    this.#count++;
    this.#slide();
    this.#measure(missing);
  }

  #measure(missing: boolean): void {
    const n = this.#count - 1;
    const to = (n % STORED_SAMPLES) * SCALARS;
    const out = this.#scalars;
    for (let i = 0; i < LAGS.length; i++)
      out[to + DIFFERENCE + i] = n >= LAGS[i]! ? this.#difference(n, LAGS[i]!) : 0;
    out[to + SLOW] = n >= SLOW_LAG + 2 * SMOOTH ? this.#slowDifference() : 0;
    if (n >= LENGTH) {
      out[to + CORRELATION] = this.#correlation(n);
      this.#energies(to, this.#row(n - LONG));
    } else out[to + CORRELATION] = out[to + BAND_ENERGY] = out[to + ENERGY] = 0;
    out[to + GAP] = missing ? 1 : 0;
  }

  /** Where sample `n` begins, up to HISTORY before the first one: those are zeros. */
  #row(n: number): number {
    return ((n + HISTORY) % HISTORY) * this.subcarriers;
  }

  /** Moves the sums on to the newest sample. */
  #slide(): void {
    const u = this.#amplitudes;
    const n = this.#count - 1;
    const [now, before] = [this.#row(n), this.#row(n - 1)];
    const [last, gone] = [this.#row(n - LENGTH + 1), this.#row(n - LENGTH)];
    const [smooth, lagged] = [this.#row(n - 2 * SMOOTH - 1), this.#row(n - SLOW_LAG)];
    const laggedSmooth = this.#row(n - SLOW_LAG - 2 * SMOOTH - 1);
    for (let i = 0; i < this.subcarriers; i++) {
      const newest = u[now + i]!;
      const oldest = u[gone + i]!;
      this.#sums[i]! += newest - oldest;
      this.#squares[i]! += newest * newest - oldest * oldest;
      this.#products[i]! += newest * u[before + i]! - u[last + i]! * oldest;
      this.#slow[i]! += newest - u[smooth + i]! - u[lagged + i]! + u[laggedSmooth + i]!;
    }
  }

  #difference(n: number, lag: number): number {
    const u = this.#amplitudes;
    const a = this.#row(n);
    const b = this.#row(n - lag);
    let sum = 0;
    for (let i = 0; i < this.subcarriers; i++) {
      const d = u[a + i]! - u[b + i]!;
      sum += d * d;
    }
    return sum / this.subcarriers;
  }

  #slowDifference(): number {
    let sum = 0;
    for (const d of this.#slow) sum += d * d;
    return sum / this.subcarriers / (2 * SMOOTH + 1) ** 2;
  }

  /**
   * Autocorrelation at one sample over 1.2 s: covariances over variances, each summed over the subcarriers
   * (here times LENGTH squared, which keeps them exact).
   */
  #correlation(n: number): number {
    const u = this.#amplitudes;
    const [now, last] = [this.#row(n), this.#row(n - LENGTH + 1)];
    let covariance = 0;
    let variance = 0;
    for (let i = 0; i < this.subcarriers; i++) {
      const sum = this.#sums[i]!;
      const square = sum * sum;
      variance += LENGTH * this.#squares[i]! - square;
      covariance +=
        LENGTH * LENGTH * this.#products[i]! -
        (LENGTH + 1) * square +
        LENGTH * sum * (u[now + i]! + u[last + i]!);
    }
    return variance > 0 ? covariance / (LENGTH * variance) : 0;
  }

  /**
   * Energy of the sample `LONG` ago, which begins at `centre`, less its 1.2 s mean, and of that signal's means
   * over bands of 5 subcarriers.
   */
  #energies(to: number, centre: number): void {
    const u = this.#amplitudes;
    let energy = 0;
    let banded = 0;
    let band = 0;
    let inBand = 0;
    for (let i = 0; i < this.subcarriers; i++) {
      const high = u[centre + i]! - this.#sums[i]! / LENGTH;
      energy += high * high;
      band += high;
      inBand++;
      if (inBand === BAND || i === this.subcarriers - 1) {
        banded += (band * band) / inBand;
        band = inBand = 0;
      }
    }
    this.#scalars[to + ENERGY] = energy;
    this.#scalars[to + BAND_ENERGY] = banded;
  }

  /** Newest centre at which the structure function of the lag `LAGS[i]` is complete. */
  newest(i: number): number {
    return this.#count - 1 - BOX - (LAGS[i]! >> 1);
  }

  #box(scalar: number, from: number, to: number): number {
    let sum = 0;
    for (let n = from; n <= to; n++) sum += this.#scalars[(n % STORED_SAMPLES) * SCALARS + scalar]!;
    return sum / (to - from + 1);
  }

  /** S of the lag `LAGS[i]` centred on sample `c`. */
  structure(i: number, c: number): number {
    const at = c + (LAGS[i]! >> 1);
    return Math.log10(Math.max(MIN_POWER, this.#box(DIFFERENCE + i, at - BOX, at + BOX)));
  }

  /** D_20 centred on sample `c`. */
  slowChange(c: number): number {
    const at = c + (SLOW_LAG >> 1) + SMOOTH;
    return Math.log10(Math.max(MIN_POWER, this.#box(SLOW, at - BOX, at + BOX)));
  }

  /** r_1 centred on sample `c`. */
  correlation(c: number): number {
    return this.#scalars[((c + LONG) % STORED_SAMPLES) * SCALARS + CORRELATION]!;
  }

  /** Share of the fast signal's energy that neighbouring subcarriers have in common: 1 for motion, 1/5 for noise. */
  coherence(c: number): number {
    const energy = this.#box(ENERGY, c, c + 2 * LONG);
    return energy > 0 ? this.#box(BAND_ENERGY, c, c + 2 * LONG) / energy : 0;
  }

  /** Share of gaps in the samples `from` to `to`, both included. */
  gaps(from: number, to: number): number {
    return this.#box(GAP, from, to);
  }

  snapshot(): TracksState {
    return {
      subcarriers: this.subcarriers,
      count: this.#count,
      amplitudes: this.#amplitudes.slice(),
      scalars: this.#scalars.slice(),
    };
  }

  static restore(state: TracksState): AntennaTracks {
    const tracks = new AntennaTracks(state.subcarriers);
    tracks.#scalars.set(state.scalars);
    // The sums follow from the samples they cover, and those that the slow change leaves.
    const first = Math.max(0, state.count - HISTORY);
    const amplitudes = state.amplitudes.map(rounded);
    for (let n = first; n < state.count; n++) {
      const row = tracks.#row(n);
      tracks.#amplitudes.set(amplitudes.subarray(row, row + state.subcarriers), row);
      tracks.#count = n + 1;
      tracks.#slide();
    }
    return tracks;
  }
}

/** Amplitudes are multiples of 2^-18 of their mean, far below their noise ... */
const RESOLUTION = 2 ** 18;
/** ... and below 64 (24 bits), so that sums and sums of products are exact, and a restored state resumes equally. */
const MOST = 2 ** 24 / RESOLUTION;

const rounded = (amplitude: number): number =>
  Math.min(MOST, Math.round(amplitude * RESOLUTION) / RESOLUTION);
