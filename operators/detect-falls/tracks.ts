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
  /** Where the last LENGTH rows of amplitudes begin, newest first; and by subcarrier, their means. */
  readonly #rows = new Int32Array(LENGTH);
  readonly #means: Float64Array;
  /** By subcarrier, the change of means of 0.25 s. */
  readonly #slow: Float64Array;

  constructor(subcarriers: number) {
    this.subcarriers = subcarriers;
    this.#amplitudes = new Float32Array(HISTORY * subcarriers);
    this.#scalars = new Float32Array(STORED_SAMPLES * SCALARS);
    this.#means = new Float64Array(subcarriers);
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
    const row = (this.#count % HISTORY) * k;
    let sum = 0;
    for (let i = 0; i < k; i++) sum += amplitudes[at + i]!;
    const missing = gap || !(sum > 0) || !Number.isFinite(sum);
    if (missing) {
      const last = ((this.#count + HISTORY - 1) % HISTORY) * k;
      this.#amplitudes.copyWithin(row, last, last + k);
    } else {
      for (let i = 0; i < k; i++) this.#amplitudes[row + i] = (amplitudes[at + i]! * k) / sum;
    }
    this.#count++;
    this.#measure(missing);
  }

  #measure(missing: boolean): void {
    const n = this.#count - 1;
    const to = (n % STORED_SAMPLES) * SCALARS;
    const out = this.#scalars;
    LAGS.forEach((lag, i) => {
      out[to + DIFFERENCE + i] = n >= lag ? this.#difference(n, lag) : 0;
    });
    out[to + SLOW] = n >= SLOW_LAG + 2 * SMOOTH ? this.#slowDifference(n) : 0;
    if (n >= LENGTH) {
      this.#average(n);
      out[to + CORRELATION] = this.#correlation();
      this.#energies(to);
    } else out[to + CORRELATION] = out[to + BAND_ENERGY] = out[to + ENERGY] = 0;
    out[to + GAP] = missing ? 1 : 0;
  }

  #row(n: number): number {
    return (n % HISTORY) * this.subcarriers;
  }

  #average(n: number): void {
    const u = this.#amplitudes;
    const means = this.#means.fill(0);
    for (let j = 0; j < LENGTH; j++) {
      const row = (this.#rows[j] = this.#row(n - j));
      for (let i = 0; i < means.length; i++) means[i]! += u[row + i]!;
    }
    for (let i = 0; i < means.length; i++) means[i]! /= LENGTH;
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

  #slowDifference(n: number): number {
    const u = this.#amplitudes;
    let sum = 0;
    const changes = this.#slow.fill(0);
    for (let j = 0; j <= 2 * SMOOTH; j++) {
      const [row, before] = [this.#row(n - j), this.#row(n - j - SLOW_LAG)];
      for (let i = 0; i < changes.length; i++) changes[i]! += u[row + i]! - u[before + i]!;
    }
    for (const d of changes) sum += d * d;
    return sum / this.subcarriers / (2 * SMOOTH + 1) ** 2;
  }

  /** Autocorrelation at one sample over 1.2 s: covariances over variances, each summed over the subcarriers. */
  #correlation(): number {
    const u = this.#amplitudes;
    const rows = this.#rows;
    let covariance = 0;
    let variance = 0;
    for (let i = 0; i < this.subcarriers; i++) {
      const mean = this.#means[i]!;
      let next = u[rows[0]! + i]! - mean;
      variance += next * next;
      for (let j = 1; j < LENGTH; j++) {
        const value = u[rows[j]! + i]! - mean;
        variance += value * value;
        covariance += value * next;
        next = value;
      }
    }
    return variance > 0 ? covariance / variance : 0;
  }

  /** Energy of the sample `LONG` ago less its 1.2 s mean, and of that signal's means over bands of 5 subcarriers. */
  #energies(to: number): void {
    const u = this.#amplitudes;
    const centre = this.#rows[LONG]!;
    let energy = 0;
    let banded = 0;
    let band = 0;
    let inBand = 0;
    for (let i = 0; i < this.subcarriers; i++) {
      const high = u[centre + i]! - this.#means[i]!;
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
    tracks.#count = state.count;
    tracks.#amplitudes.set(state.amplitudes);
    tracks.#scalars.set(state.scalars);
    return tracks;
  }
}
