import { quantile } from '../shared/median.js';
import { BIN, type Series } from './bins.js';
import { Spectrum } from './spectrum.js';

export interface Breathing {
  /** Breaths a minute. */
  readonly rate: number;
  /** 0 to 1. */
  readonly quality: number;
}

const RATE_HZ = 1e6 / BIN;
/** Where breathing lies, hertz: 6 to 30 breaths a minute. */
const LOWEST = 0.1;
const HIGHEST = 0.5;
/** Where only movement and noise lie, and where only noise is left, hertz. */
const ABOVE = [0.65, 1.5] as const;
const NOISE = [1.8, 2.45] as const;
/** Share of all columns that is taken: those with the clearest peak. */
const SELECTED = 0.25;
/** Share of the power that the peak must hold for the best quality. */
const FULL_STRENGTH = 0.5;

/** Finds the rate of breathing in the bins of all links of a room. */
export class BreathingEstimator {
  readonly #spectrum: Spectrum;
  /** Hertz between two points of the band: a quarter of the resolution of the Hann window. */
  readonly #step: number;
  /** Half of the peak's width, in such points. */
  readonly #half: number;
  /** Points of the band, one more at both ends; then those above, then those of noise alone. */
  readonly #band: readonly number[];
  readonly #above: readonly number[];
  readonly #noise: readonly number[];

  /** For series of `bins`. */
  constructor(bins: number) {
    const resolution = RATE_HZ / bins;
    this.#step = resolution / 2;
    this.#half = 3;
    this.#band = points(LOWEST - this.#step, HIGHEST + this.#step, this.#step);
    this.#above = points(...ABOVE, resolution);
    this.#noise = points(...NOISE, resolution);
    this.#spectrum = new Spectrum(bins, RATE_HZ, [...this.#band, ...this.#above, ...this.#noise]);
  }

  /** Null where there is no peak within the band, that between its points included. */
  estimate(links: readonly Series[]): Breathing | null {
    const power = this.#combine(links);
    if (!power) return null;
    const peak = this.#peak(power);
    if (peak === null) return null;
    const [left, top, right] = [power[peak - 1]!, power[peak]!, power[peak + 1]!];
    const shift = (0.5 * (left - right)) / (left - 2 * top + right);
    const frequency = this.#band[peak]! + shift * this.#step;
    if (frequency < LOWEST || frequency > HIGHEST) return null;
    return { rate: 60 * frequency, quality: this.#quality(power, peak) };
  }

  /** Mean spectrum of the columns with the clearest peaks of all links, each by how clear its peak is. */
  #combine(links: readonly Series[]): Float64Array | null {
    const spectra = links.flatMap(({ columns }) => columns.map((column) => this.#spectrum.of(column)));
    const clear = spectra.map((power) => ({ power, peak: Math.max(...this.#inner(power)) }));
    const chosen = clear.sort((a, b) => b.peak - a.peak).slice(0, Math.ceil(SELECTED * clear.length));
    const total = chosen.reduce((sum, { peak }) => sum + peak, 0);
    if (!(total > 0)) return null;
    const mean = new Float64Array(chosen[0]!.power.length);
    for (const { power, peak } of chosen)
      for (let j = 0; j < mean.length; j++) mean[j]! += (peak / total) * power[j]!;
    return mean;
  }

  /** The band without the points at its ends. */
  #inner = (power: Float64Array): Float64Array => power.subarray(1, this.#band.length - 1);

  /** The highest point; null where it is no peak, but the slope of one beyond the band. */
  #peak(power: Float64Array): number | null {
    const inner = this.#inner(power);
    const peak = 1 + inner.indexOf(Math.max(...inner));
    return power[peak]! > power[peak - 1]! && power[peak]! >= power[peak + 1]! ? peak : null;
  }

  /**
   * How much of what is not noise lies in the peak, less where the peak holds less than half of all power. Noise is
   * white; movement fills the band and what lies above it.
   */
  #quality(power: Float64Array, peak: number): number {
    const band = this.#band.length;
    const above = mean(power.subarray(band, band + this.#above.length));
    const noise = mean(power.subarray(band + this.#above.length));
    const from = Math.max(1, peak - this.#half);
    const to = Math.min(band - 1, peak + this.#half + 1);
    let inPeak = 0;
    let beside = 0;
    for (let j = 1; j < band - 1; j++) {
      const signal = (power[j]! - noise) * this.#step;
      if (j >= from && j < to) inPeak += signal;
      else beside += signal;
    }
    const moved = Math.max(0, above - noise) * (ABOVE[1] - ABOVE[0]);
    const strength = Math.max(0, inPeak);
    const purity = strength / (strength + Math.max(0, beside) + moved || 1);
    return purity * Math.min(1, strength / FULL_STRENGTH);
  }
}

/**
 * By how much the loudest second is louder than a quiet one by chance alone, log of power: a part that is always there,
 * and one that the mean over links makes smaller. Found on simulated rooms, see docs/reports/vitals.md.
 */
const CHANCE = { always: 0.3, oneLink: 1.6 };
/** Share of seconds that are quieter than a quiet one. */
const QUIET = 0.1;

/**
 * Whether somebody moved: a second in which what is faster than breathing is louder than chance has it in a quiet one,
 * in the mean of the logarithms over links.
 */
export function moved(links: readonly Series[]): boolean {
  const profiles = links.map(loudness);
  const limit = CHANCE.always + CHANCE.oneLink / Math.sqrt(links.length);
  const seconds = Math.min(...profiles.map(({ length }) => length));
  for (let second = 0; second < seconds; second++)
    if (mean(profiles.map((profile) => profile[second]!)) > limit) return true;
  return false;
}

/** Log of the power of each second, less its moving mean over a second, over that of a quiet second. */
function loudness({ columns }: Series): number[] {
  const bins = columns[0]!.length;
  const seconds: number[] = [];
  for (let from = 2; from + RATE_HZ + 2 <= bins; from += RATE_HZ) {
    let energy = 0;
    for (const column of columns)
      for (let i = from; i < from + RATE_HZ; i++) {
        const around = column[i - 2]! + column[i - 1]! + column[i]! + column[i + 1]! + column[i + 2]!;
        energy += (column[i]! - around / 5) ** 2;
      }
    // What does not change at all still has the rounding of its samples.
    seconds.push(energy + 1e-12);
  }
  const quiet = quantile(seconds, QUIET);
  return seconds.map((energy) => Math.log(energy / quiet));
}

const points = (from: number, to: number, step: number): number[] =>
  Array.from({ length: Math.floor((to - from) / step + 1e-6) + 1 }, (_, i) => from + i * step);

function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  return sum / values.length;
}
