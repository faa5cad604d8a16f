import { amplitudeAt } from '../shared/amplitude.js';

/**
 * Nanoseconds: the whole range of delays, its coarse steps, the fine steps, and their range around the
 * strongest path.
 */
const FIRST = -300;
const LAST = 500;
const COARSE = 100;
const FINE = 5;
const BEFORE = 200;
const AFTER = 250;

/** Weight of the sum of absolute values, for values of mean amplitude 1. */
const LAMBDA = 0.1;
/**
 * Coordinate descent stops when no coefficient would move by more than this share of the mean amplitude, or
 * after this many moves.
 */
const SETTLED = 1e-4;
const MOVES = 300;

/** Delays that explain a packet. */
export interface Paths {
  /** Delay of the first coefficient, nanoseconds. */
  readonly first: number;
  /** Nanoseconds between coefficients. */
  readonly step: number;
  readonly count: number;
  /** Index of the strongest one. */
  readonly strongest: number;
}

/**
 * Explains a packet's values over the subcarriers by few delays: min 1/2 |T x - h|^2 + lambda |x|_1 over real
 * and imaginary parts, first over the whole range in coarse steps, then in fine ones around the strongest
 * path. SHARP solves the same problems by OSQP; here it is greedy coordinate descent (Wu and Lange,
 * Coordinate descent algorithms for lasso penalized regression, 2008), using only the correlations: those
 * between delays depend only on their difference.
 */
export class DelayFit {
  readonly #subcarriers: Int16Array;
  readonly #spacing: number;
  readonly #usable: Uint8Array;
  /** Subcarriers with a phase: the squared length of each delay's column. */
  #used = 0;
  /** [difference in fine steps, (re, im)]: sum over usable subcarriers of exp(j 2 pi f d). */
  readonly #gram: Float64Array;
  /** Correlations of the unexplained rest with each delay, and the coefficients; (re, im). */
  readonly #rest: Float64Array;
  readonly #paths: Float64Array;

  /** @param spacing between subcarriers, Hz */
  constructor(subcarriers: Int16Array, spacing: number) {
    const most = (BEFORE + AFTER) / FINE + 1;
    this.#subcarriers = subcarriers;
    this.#spacing = spacing;
    this.#usable = new Uint8Array(subcarriers.length);
    this.#gram = new Float64Array(2 * ((LAST - FIRST) / FINE + 1));
    this.#rest = new Float64Array(2 * most);
    this.#paths = new Float64Array(2 * most);
  }

  /**
   * Paths of the values of one pair of antennas from `at`; null if fewer than two values have a phase. Valid
   * until the next call.
   */
  of(values: Float32Array, at: number): Paths | null {
    const scale = this.#findUsable(values, at);
    if (scale === null) return null;
    const coarse = this.#solve(values, at, scale, FIRST, COARSE, (LAST - FIRST) / COARSE + 1);
    const centre = coarse.first + coarse.strongest * COARSE;
    const first = Math.max(FIRST, centre - BEFORE);
    const last = Math.min(LAST, centre + AFTER);
    return this.#solve(values, at, scale, first, FINE, (last - first) / FINE + 1);
  }

  /** The coefficients found last, (re, im). */
  get coefficients(): Float64Array {
    return this.#paths;
  }

  /** Phase of the paths' sum at subcarrier number `k`, each rotated by the conjugate of the strongest. */
  relativePhase({ first, step, count, strongest }: Paths, k: number): number {
    const paths = this.#paths;
    const f = 2e-9 * Math.PI * this.#spacing * this.#subcarriers[k]!;
    let re = 0;
    let im = 0;
    for (let i = 0; i < count; i++) {
      const x = paths[2 * i]!;
      const y = paths[2 * i + 1]!;
      if (x === 0 && y === 0) continue;
      const angle = -f * (first + i * step);
      re += x * Math.cos(angle) - y * Math.sin(angle);
      im += x * Math.sin(angle) + y * Math.cos(angle);
    }
    const own = Math.atan2(paths[2 * strongest + 1]!, paths[2 * strongest]!) - f * (first + strongest * step);
    return Math.atan2(im, re) - own;
  }

  /** Reciprocal of the mean amplitude of the values with a phase; null if there are fewer than two. */
  #findUsable(values: Float32Array, at: number): number | null {
    let used = 0;
    let sum = 0;
    let changed = false;
    for (let k = 0; k < this.#usable.length; k++) {
      const amplitude = amplitudeAt(values, at + 2 * k);
      const usable = amplitude > 0 && amplitude < Infinity ? 1 : 0;
      if (usable) sum += amplitude;
      changed ||= usable !== this.#usable[k];
      this.#usable[k] = usable;
      used += usable;
    }
    if (changed) this.#correlate();
    this.#used = used;
    return used < 2 ? null : used / sum;
  }

  #correlate(): void {
    for (let d = 0; 2 * d < this.#gram.length; d++) {
      let re = 0;
      let im = 0;
      for (let k = 0; k < this.#usable.length; k++) {
        if (!this.#usable[k]) continue;
        const angle = 2e-9 * Math.PI * this.#spacing * this.#subcarriers[k]! * d * FINE;
        re += Math.cos(angle);
        im += Math.sin(angle);
      }
      this.#gram[2 * d] = re;
      this.#gram[2 * d + 1] = im;
    }
  }

  #solve(values: Float32Array, at: number, scale: number, first: number, step: number, count: number): Paths {
    this.#paths.fill(0, 0, 2 * count);
    this.#project(values, at, scale, first, step, count);
    for (let move = 0; move < MOVES; move++) {
      const i = this.#farthest(count);
      if (i < 0) break;
      this.#descend(i, count, step / FINE);
    }
    let strongest = 0;
    let most = 0;
    for (let i = 0; i < count; i++) {
      const power = this.#paths[2 * i]! ** 2 + this.#paths[2 * i + 1]! ** 2;
      if (power > most) [strongest, most] = [i, power];
    }
    return { first, step, count, strongest };
  }

  /**
   * Correlations of the values with each delay: sum of h exp(j 2 pi f delay). The factor is rotated from
   * delay to delay.
   */
  #project(
    values: Float32Array,
    at: number,
    scale: number,
    first: number,
    step: number,
    count: number,
  ): void {
    const rest = this.#rest.fill(0, 0, 2 * count);
    for (let k = 0; k < this.#usable.length; k++) {
      if (!this.#usable[k]) continue;
      const f = 2e-9 * Math.PI * this.#spacing * this.#subcarriers[k]!;
      const [stepRe, stepIm] = [Math.cos(f * step), Math.sin(f * step)];
      const [re, im] = [Math.cos(f * first), Math.sin(f * first)];
      const [x, y] = [values[at + 2 * k]! * scale, values[at + 2 * k + 1]! * scale];
      let turnedRe = x * re - y * im;
      let turnedIm = x * im + y * re;
      for (let i = 0; i < count; i++) {
        rest[2 * i]! += turnedRe;
        rest[2 * i + 1]! += turnedIm;
        const next = turnedRe * stepRe - turnedIm * stepIm;
        turnedIm = turnedRe * stepIm + turnedIm * stepRe;
        turnedRe = next;
      }
    }
  }

  /** The coefficient farthest from its best value with the others fixed; -1 if all have converged. */
  #farthest(count: number): number {
    const rest = this.#rest;
    const paths = this.#paths;
    const norm = this.#used;
    let farthest = -1;
    let most = SETTLED;
    for (let i = 0; i < count; i++) {
      const u = shrunk(rest[2 * i]! + norm * paths[2 * i]!) / norm - paths[2 * i]!;
      const v = shrunk(rest[2 * i + 1]! + norm * paths[2 * i + 1]!) / norm - paths[2 * i + 1]!;
      const distance = Math.max(Math.abs(u), Math.abs(v));
      if (distance > most) [farthest, most] = [i, distance];
    }
    return farthest;
  }

  /** Sets a coefficient to its best value with the others fixed. */
  #descend(i: number, count: number, stride: number): void {
    const rest = this.#rest;
    const paths = this.#paths;
    const norm = this.#used;
    const x = paths[2 * i]!;
    const y = paths[2 * i + 1]!;
    const u = shrunk(rest[2 * i]! + norm * x) / norm - x;
    const v = shrunk(rest[2 * i + 1]! + norm * y) / norm - y;
    paths[2 * i] = x + u;
    paths[2 * i + 1] = y + v;
    // Influence of delay i on delay j: g(j - i), conjugate for j before i.
    for (let j = 0; j < count; j++) {
      const d = 2 * Math.abs(j - i) * stride;
      const re = this.#gram[d]!;
      const im = j >= i ? this.#gram[d + 1]! : -this.#gram[d + 1]!;
      rest[2 * j]! -= re * u - im * v;
      rest[2 * j + 1]! -= re * v + im * u;
    }
  }
}

const shrunk = (value: number): number =>
  value > LAMBDA ? value - LAMBDA : value < -LAMBDA ? value + LAMBDA : 0;
