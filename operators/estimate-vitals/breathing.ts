import { quantile } from '../shared/median.js';
import { BIN, type Series } from './bins.js';
import { Spectrum } from './spectrum.js';
import { mean } from '../shared/mean.js';

export interface Breathing {
  /** Breaths per minute. */
  readonly rate: number;
  /** 0 to 1. */
  readonly quality: number;
}

const RATE_HZ = 1e6 / BIN;
/** Band of breathing, hertz: 6 to 30 breaths per minute. */
const LOWEST = 0.1;
const HIGHEST = 0.5;
/** Band with only movement and noise, hertz. */
const ABOVE = [0.65, 2.45] as const;
/** Height of a peak above the band's median, in deviations of the noise: up to 4 by chance, certain from 8. */
const BY_CHANCE = 4;
const CERTAIN = 8;
/**
 * Breaths within the series: with fewer, a slow drift or another movement looks the same; from so many on, it
 * does not.
 */
const BREATHS = { few: 4, enough: 4.5 } as const;
/** Half of a peak's width, in points of the band. */
const HALF = 4;
/** Largest offset of the top of its double, in such points. */
const DOUBLE = 1.5;

/** Finds the breathing rate in the bins of all links of a room. */
export class BreathingEstimator {
  readonly #spectrum: Spectrum;
  /** Hertz between two points of the band: a quarter of the resolution of the Hann window. */
  readonly #step: number;
  /** Length of the series. */
  readonly #seconds: number;
  /** Points of the band, one more at each end; then those above. */
  readonly #band: readonly number[];
  readonly #above: readonly number[];

  /** For series of `bins`. */
  constructor(bins: number) {
    const resolution = RATE_HZ / bins;
    this.#step = resolution / 2;
    this.#seconds = bins / RATE_HZ;
    this.#band = points(LOWEST - this.#step, HIGHEST + this.#step, this.#step);
    this.#above = points(...ABOVE, resolution);
    this.#spectrum = new Spectrum(bins, RATE_HZ, [...this.#band, ...this.#above]);
  }

  /** Null if there is no peak within the band, or between its points. */
  estimate(links: readonly Series[]): Breathing | null {
    const power = this.#combine(links);
    if (!power) return null;
    const band = power.subarray(0, this.#band.length);
    const peak = this.#peak(band);
    if (peak === null) return null;
    const [left, top, right] = [band[peak - 1]!, band[peak]!, band[peak + 1]!];
    const shift = (0.5 * (left - right)) / (left - 2 * top + right);
    const frequency = this.#band[peak]! + shift * this.#step;
    if (frequency < LOWEST || frequency > HIGHEST) return null;
    const clear = this.#quality(band, power.subarray(band.length), peak);
    return { rate: 60 * frequency, quality: clear * enough(frequency * this.#seconds) };
  }

  /**
   * Mean over all columns of their power relative to their own noise: the likelihood of a rhythm whose size
   * and phase in each column are free. A column that shows the rhythm clearly has a large weight, and noise
   * averages out over the others.
   */
  #combine(links: readonly Series[]): Float64Array | null {
    const total = new Float64Array(this.#band.length + this.#above.length);
    let count = 0;
    for (const column of links.flatMap(({ columns }) => columns)) {
      const power = this.#spectrum.of(column);
      const noise = mean(power.subarray(this.#band.length));
      if (!(noise > 0)) continue;
      for (let j = 0; j < total.length; j++) total[j]! += power[j]! / noise;
      count++;
    }
    return count > 0 ? total.map((sum) => sum / count) : null;
  }

  /** The highest point except the ends; null if it is not a peak but the slope of one beyond the band. */
  #peak(band: Float64Array): number | null {
    const inner = band.subarray(1, band.length - 1);
    const peak = 1 + inner.indexOf(Math.max(...inner));
    return band[peak]! > band[peak - 1]! && band[peak]! >= band[peak + 1]! ? peak : null;
  }

  /**
   * Height of the peak above the next one, relative to its height above the band; reduced if chance may have
   * caused it. The peak's double, which any non-sinusoidal breath has, does not count as another peak.
   */
  #quality(band: Float64Array, above: Float64Array, peak: number): number {
    const others = Array.from(band.keys()).filter((j) => !this.#isPart(j, peak));
    const middle = quantile(
      others.map((j) => band[j]!),
      0.5,
    );
    const isTop = (j: number) =>
      band[j]! >= (band[j - 1] ?? Infinity) && band[j]! >= (band[j + 1] ?? Infinity);
    const next = Math.max(middle, ...others.filter(isTop).map((j) => band[j]!));
    const height = band[peak]! - middle;
    if (!(height > 0)) return 0;
    const deviation = Math.sqrt(mean(above.map((value) => (value - 1) ** 2)));
    const sureness = (height / deviation - BY_CHANCE) / (CERTAIN - BY_CHANCE);
    return Math.max(0, (band[peak]! - next) / height) * Math.min(1, Math.max(0, sureness));
  }

  #isPart(j: number, peak: number): boolean {
    const double = (2 * this.#band[peak]! - this.#band[0]!) / this.#step;
    return Math.abs(j - peak) <= HALF || Math.abs(j - double) <= DOUBLE;
  }
}

/**
 * Difference between the loudest and a quiet second by chance alone, log of power: a constant part, and one
 * that averaging over links reduces. Determined on simulated rooms, see docs/reports/vitals.md.
 */
const CHANCE = { always: 0.3, oneLink: 1.6 };
/** Share of seconds that are quieter than a quiet one. */
const QUIET = 0.1;

/**
 * Whether somebody moved: in some second, changes faster than breathing are louder than chance allows
 * relative to a quiet one, in the mean of the logarithms over links.
 */
export function moved(links: readonly Series[]): boolean {
  const profiles = links.map(loudness);
  const limit = CHANCE.always + CHANCE.oneLink / Math.sqrt(links.length);
  const seconds = Math.min(...profiles.map(({ length }) => length));
  for (let second = 0; second < seconds; second++)
    if (mean(profiles.map((profile) => profile[second]!)) > limit) return true;
  return false;
}

/** Log of the power of each second, less its moving mean over a second, relative to a quiet second. */
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
    // A constant signal still has the rounding of its samples.
    seconds.push(energy + 1e-12);
  }
  const quiet = quantile(seconds, QUIET);
  return seconds.map((energy) => Math.log(energy / quiet));
}

/** Share of the quality that this number of breaths leaves. */
const enough = (breaths: number): number =>
  Math.min(1, Math.max(0, (breaths - BREATHS.few) / (BREATHS.enough - BREATHS.few)));

const points = (from: number, to: number, step: number): number[] =>
  Array.from({ length: Math.floor((to - from) / step + 1e-6) + 1 }, (_, i) => from + i * step);
