import { Fourier } from './fourier.js';

/** Gaussian window with the standard deviation `sigma` in samples, periodic, like scipy.signal.get_window. */
export const gaussian = (length: number, sigma: number): Float64Array =>
  Float64Array.from({ length }, (_, i) => Math.exp(-0.5 * ((i - length / 2) / sigma) ** 2));

/** Hann window, symmetric, like scipy.signal.windows.hann. */
export const hann = (length: number): Float64Array =>
  Float64Array.from({ length }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / (length - 1)));

/** Power spectra of complex series under a window, summed over series. */
export class DopplerSpectrum {
  readonly bins: number;
  /** Lowest (most negative) frequency first; 0 is at `bins >> 1`. */
  readonly power: Float64Array;
  readonly #window: Float64Array;
  readonly #fourier: Fourier;
  readonly #input: Float64Array;

  /** @param bins number of frequencies, at least the number of samples in the window */
  constructor(window: Float64Array, bins: number) {
    this.bins = bins;
    this.power = new Float64Array(bins);
    this.#window = window;
    this.#fourier = new Fourier(bins);
    this.#input = new Float64Array(2 * bins);
  }

  /** Adds a series as long as the window: `at` returns the index of the real part of sample `i` in `values`. */
  add(values: Float32Array | Float64Array, at: (i: number) => number, meanRe: number, meanIm: number): void {
    for (let i = 0; i < this.#window.length; i++) {
      const index = at(i);
      this.#input[2 * i] = (values[index]! - meanRe) * this.#window[i]!;
      this.#input[2 * i + 1] = (values[index + 1]! - meanIm) * this.#window[i]!;
    }
    this.#fourier.transform(this.#input);
    const { output } = this.#fourier;
    const half = this.bins >> 1;
    for (let k = 0; k < this.bins; k++)
      this.power[(k + half) % this.bins]! += output[2 * k]! ** 2 + output[2 * k + 1]! ** 2;
  }

  clear(): void {
    this.power.fill(0);
  }
}

/** A Gaussian window is this many standard deviations long (csiread: 128 samples, 64 of them one deviation). */
export const DEVIATIONS = 4;

/** Under a Gaussian window of so many samples; twice as many frequencies. */
export const gaussianSpectrum = (window: number): DopplerSpectrum =>
  new DopplerSpectrum(gaussian(window, window / DEVIATIONS), 2 * window);

/** SHARP treats frequencies below this share of the strongest one as noise: -12 dB. */
const SHARP_FLOOR = 10 ** -1.2;

/** Shares of the power below the mean frequency, and below the fastest part. */
const EDGE = 0.95;

/** Movement in a spectrum. */
export interface Movement {
  /** Mean frequency, weighted by power, hertz; positive if paths become shorter. */
  readonly shift: number;
  /** Frequency, in either direction, below which 95 % of the power lies, hertz. */
  readonly edge: number;
}

/**
 * Movement from the power above the noise: above the median of all frequencies or, as in SHARP, above -12 dB
 * of the strongest. Zeros if there is none.
 * @param step hertz between frequencies
 */
export function movement(power: Float64Array, step: number, sharp: boolean): Movement {
  const zero = power.length >> 1;
  const floor = sharp ? SHARP_FLOOR * power.reduce((a, b) => Math.max(a, b), 0) : middle(power);
  let [total, moment] = [0, 0];
  const either = new Float64Array(zero + 1);
  power.forEach((value, k) => {
    const above = Math.max(0, value - floor);
    total += above;
    moment += above * (k - zero) * step;
    either[Math.abs(k - zero)]! += above;
  });
  if (!(total > 0)) return { shift: 0, edge: 0 };
  let edge = 0;
  for (let below = either[0]!; below < EDGE * total && edge < zero; below += either[edge]!) edge++;
  return { shift: moment / total, edge: edge * step };
}

const middle = (power: Float64Array): number => power.slice().sort()[power.length >> 1]!;
