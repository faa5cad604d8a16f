import type { CsiLayout } from '../../pipeline/model/index.js';
import { amplitudeAt } from '../shared/amplitude.js';
import type { Values } from '../shared/frame-mapper.js';

export interface SubcarrierState {
  readonly frames: number;
  readonly counts: Uint32Array;
  readonly mean: Float64Array;
  readonly squares: Float64Array;
}

/** Mean and standard deviation of each subcarrier's amplitude over frames, averaged over antennas. */
export class SubcarrierStatistics {
  readonly #pairs: number;
  readonly #subcarriers: number;
  #frames = 0;
  /** [pair, subcarrier] (Welford). */
  readonly #counts: Uint32Array;
  readonly #mean: Float64Array;
  readonly #squares: Float64Array;

  constructor({ rx, tx, subcarriers }: CsiLayout) {
    this.#pairs = rx * tx;
    this.#subcarriers = subcarriers.length;
    this.#counts = new Uint32Array(this.#pairs * this.#subcarriers);
    this.#mean = new Float64Array(this.#counts.length);
    this.#squares = new Float64Array(this.#counts.length);
  }

  get frames(): number {
    return this.#frames;
  }

  add(values: Values, offset: number): void {
    this.#frames++;
    for (let i = 0; i < this.#mean.length; i++) {
      const amplitude = amplitudeAt(values, offset + 2 * i);
      if (!(amplitude < Infinity)) continue;
      const distance = amplitude - this.#mean[i]!;
      this.#mean[i]! += distance / ++this.#counts[i]!;
      this.#squares[i]! += distance * (amplitude - this.#mean[i]!);
    }
  }

  /** True if it was always zero or invalid on all antennas. */
  isNull(k: number): boolean {
    return this.mean(k) === 0;
  }

  mean(k: number): number {
    return this.#over(k, (i) => this.#mean[i]!);
  }

  /** Standard deviation. */
  deviation(k: number): number {
    return this.#over(k, (i) => Math.sqrt(this.#squares[i]! / Math.max(1, this.#counts[i]!)));
  }

  snapshot(): SubcarrierState {
    return {
      frames: this.#frames,
      counts: this.#counts.slice(),
      mean: this.#mean.slice(),
      squares: this.#squares.slice(),
    };
  }

  restore({ frames, counts, mean, squares }: SubcarrierState): void {
    this.#frames = frames;
    this.#counts.set(counts);
    this.#mean.set(mean);
    this.#squares.set(squares);
  }

  #over(k: number, of: (i: number) => number): number {
    let sum = 0;
    for (let pair = 0; pair < this.#pairs; pair++) sum += of(pair * this.#subcarriers + k);
    return sum / this.#pairs;
  }
}

/** The `count` of `usable` that vary most relative to their mean, ascending. */
export function widest(
  statistics: SubcarrierStatistics,
  usable: readonly number[],
  count: number,
): readonly number[] {
  const width = (k: number): number => statistics.deviation(k) / statistics.mean(k) || 0;
  return [...usable]
    .sort((a, b) => width(b) - width(a) || a - b)
    .slice(0, count)
    .sort(ascending);
}

/** The weakest share of subcarriers is excluded: their index reflects noise. */
const GATE = 0.25;

/** Weight of sigma / mu^2 against sigma / mu. */
const ALPHA = 0.5;

/** The `count` of `usable` with the smallest index, without neighbours as long as there are others; ascending. */
export function calmest(
  statistics: SubcarrierStatistics,
  usable: readonly number[],
  count: number,
): readonly number[] {
  const means = usable.map((k) => statistics.mean(k)).sort(ascending);
  const gate = means[Math.floor(GATE * (means.length - 1))]!;
  const index = (k: number): number => {
    const [mean, deviation] = [statistics.mean(k), statistics.deviation(k)];
    return ALPHA * (deviation / mean ** 2) + (1 - ALPHA) * (deviation / mean);
  };
  const order = usable.filter((k) => statistics.mean(k) >= gate).sort((a, b) => index(a) - index(b) || a - b);
  const chosen = new Set<number>();
  for (const k of order) if (chosen.size < count && !chosen.has(k - 1) && !chosen.has(k + 1)) chosen.add(k);
  for (const k of order) if (chosen.size < count) chosen.add(k);
  return [...chosen].sort(ascending);
}

const ascending = (a: number, b: number): number => a - b;
