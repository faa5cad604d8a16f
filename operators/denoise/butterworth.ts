import type { RowFilter } from './column-filter.js';

/** A second-order section: b0, b1, b2, a1, a2, with a0 = 1. */
export type Section = readonly [b0: number, b1: number, b2: number, a1: number, a2: number];

export interface Band {
  /** Frequencies below are attenuated; undefined: none. */
  readonly low?: number | undefined;
  /** Frequencies above are attenuated; undefined: none. */
  readonly high?: number | undefined;
  /** Sampling rate, in the unit of the other two. */
  readonly rate: number;
}

interface Complex {
  readonly re: number;
  readonly im: number;
}

/**
 * A Butterworth filter as second-order sections: low-pass, high-pass or, with both limits, band-pass, which
 * has twice the order. Uses the bilinear transform with prewarped limits, like scipy.signal.butter.
 */
export function butterworth(order: number, band: Band): readonly Section[] {
  const { poles, zeros } = digital(order, band);
  const sections = paired(poles, zeros);
  const gain = 1 / responseSize(sections, passFrequency(band));
  return sections.map(([b0, b1, b2, a1, a2], i) =>
    i === 0 ? [gain * b0, gain * b1, gain * b2, a1, a2] : [b0, b1, b2, a1, a2],
  );
}

/**
 * Frequency of unit gain, radians per sample: 0, half the rate, or the centre of the band as the transform
 * warps it.
 */
function passFrequency({ low, high, rate }: Band): number {
  if (low === undefined) return 0;
  if (high === undefined) return Math.PI;
  return 2 * Math.atan(Math.sqrt(Math.tan((Math.PI * low) / rate) * Math.tan((Math.PI * high) / rate)));
}

/**
 * Poles with an imaginary part of at least 0, the others being their conjugates; and all zeros, which are
 * real: 1 or -1.
 */
function digital(order: number, { low, high, rate }: Band): { poles: Complex[]; zeros: number[] } {
  const warp = (frequency: number): number => Math.tan((Math.PI * frequency) / rate);
  const poles: Complex[] = [];
  for (let k = 0; k < order; k++) {
    const angle = (Math.PI * (2 * k + 1 + order)) / (2 * order);
    const prototype = { re: Math.cos(angle), im: Math.sin(angle) };
    if (low === undefined) poles.push(bilinear(scale(prototype, warp(high!))));
    else if (high === undefined) poles.push(bilinear(scale(inverse(prototype), warp(low))));
    else poles.push(...bandPoles(prototype, warp(low), warp(high)).map(bilinear));
  }
  const zeros =
    low === undefined
      ? new Array<number>(order).fill(-1)
      : high === undefined
        ? new Array<number>(order).fill(1)
        : [...new Array<number>(order).fill(1), ...new Array<number>(order).fill(-1)];
  // Poles that only rounding moved off the real axis are real.
  const settled = poles.map(({ re, im }) => ({ re, im: Math.abs(im) < 1e-12 ? 0 : im }));
  return { poles: settled.filter(({ im }) => im >= 0), zeros };
}

/** The two poles that a low-pass pole becomes in a band-pass: s = p bw / 2 +- sqrt((p bw / 2)^2 - w0^2). */
function bandPoles(prototype: Complex, low: number, high: number): readonly Complex[] {
  const half = scale(prototype, (high - low) / 2);
  const root = squareRoot({ re: half.re ** 2 - half.im ** 2 - low * high, im: 2 * half.re * half.im });
  return [
    { re: half.re + root.re, im: half.im + root.im },
    { re: half.re - root.re, im: half.im - root.im },
  ];
}

/** z = (1 + s) / (1 - s) */
const bilinear = ({ re, im }: Complex): Complex => divide({ re: 1 + re, im }, { re: 1 - re, im: -im });

/**
 * Poles closest to the unit circle form the last section and take the nearest zeros, as in scipy, which keeps
 * the gain within the sections lowest.
 */
function paired(poles: readonly Complex[], zeros: readonly number[]): readonly Section[] {
  const left = [...poles].sort((a, b) => fromCircle(a) - fromCircle(b));
  const free = [...zeros];
  const sections: Section[] = [];
  while (left.length > 0) {
    const pole = left.shift()!;
    const partner = pole.im === 0 ? takeReal(left) : undefined;
    const count = pole.im !== 0 || partner ? 2 : 1;
    const near = Array.from({ length: Math.min(count, free.length) }, () => takeNearest(free, pole));
    sections.unshift(section(pole, partner, near));
  }
  return sections;
}

const fromCircle = ({ re, im }: Complex): number => Math.abs(1 - Math.hypot(re, im));

/** A second real pole for a section. */
function takeReal(poles: Complex[]): Complex | undefined {
  const index = poles.findIndex(({ im }) => im === 0);
  return index < 0 ? undefined : poles.splice(index, 1)[0];
}

function takeNearest(zeros: number[], { re }: Complex): number {
  let best = 0;
  zeros.forEach((zero, i) => {
    if (Math.abs(zero - re) < Math.abs(zeros[best]! - re)) best = i;
  });
  return zeros.splice(best, 1)[0]!;
}

function section(pole: Complex, partner: Complex | undefined, zeros: readonly number[]): Section {
  const [first = 0, second = 0] = zeros;
  const b: readonly [number, number, number] =
    zeros.length === 2
      ? [1, -(first + second), first * second]
      : zeros.length === 1
        ? [1, -first, 0]
        : [1, 0, 0];
  if (pole.im !== 0) return [...b, -2 * pole.re, pole.re ** 2 + pole.im ** 2];
  return partner ? [...b, -(pole.re + partner.re), pole.re * partner.re] : [...b, -pole.re, 0];
}

/** Magnitude of the response at `omega` radians per sample. */
export function responseSize(sections: readonly Section[], omega: number): number {
  const z = { re: Math.cos(omega), im: -Math.sin(omega) };
  const polynomial = (c0: number, c1: number, c2: number): number =>
    Math.hypot(c0 + c1 * z.re + c2 * (z.re ** 2 - z.im ** 2), c1 * z.im + c2 * 2 * z.re * z.im);
  return sections.reduce(
    (size, [b0, b1, b2, a1, a2]) => (size * polynomial(b0, b1, b2)) / polynomial(1, a1, a2),
    1,
  );
}

const scale = ({ re, im }: Complex, by: number): Complex => ({ re: re * by, im: im * by });
const inverse = (value: Complex): Complex => divide({ re: 1, im: 0 }, value);
function divide(a: Complex, b: Complex): Complex {
  const size = b.re ** 2 + b.im ** 2;
  return { re: (a.re * b.re + a.im * b.im) / size, im: (a.im * b.re - a.re * b.im) / size };
}
function squareRoot({ re, im }: Complex): Complex {
  const size = Math.hypot(re, im);
  return { re: Math.sqrt((size + re) / 2), im: Math.sign(im || 1) * Math.sqrt((size - re) / 2) };
}

export interface SectionsState {
  /** [section, column, 2]; empty before the first row. */
  readonly memory: Float64Array;
}

/** Second-order sections over rows, causal, in transposed direct form II: scipy.signal.sosfilt. */
export class Sections implements RowFilter<SectionsState> {
  readonly #sections: readonly Section[];
  readonly #columns: number;
  readonly #memory: Float64Array;
  #begun: boolean;

  /** @param settled true: starts as if the first row had been constant forever; false: as if zeros had been */
  constructor(sections: readonly Section[], columns: number, settled: boolean) {
    this.#sections = sections;
    this.#columns = columns;
    this.#memory = new Float64Array(sections.length * columns * 2);
    this.#begun = !settled;
  }

  apply(row: Float64Array): void {
    if (!this.#begun) this.#settle(row);
    const memory = this.#memory;
    for (let s = 0, at = 0; s < this.#sections.length; s++) {
      const [b0, b1, b2, a1, a2] = this.#sections[s]!;
      for (let column = 0; column < this.#columns; column++, at += 2) {
        const x = row[column]!;
        const y = b0 * x + memory[at]!;
        memory[at] = b1 * x - a1 * y + memory[at + 1]!;
        memory[at + 1] = b2 * x - a2 * y;
        row[column] = y;
      }
    }
  }

  snapshot(): SectionsState {
    return { memory: this.#begun ? this.#memory.slice() : new Float64Array(0) };
  }

  restore({ memory }: SectionsState): void {
    this.#begun = memory.length > 0;
    this.#memory.set(memory);
  }

  /** The state after a constant input of this row, which avoids a jump at the start. */
  #settle(row: Float64Array): void {
    for (let column = 0; column < this.#columns; column++) {
      let x = row[column]!;
      for (let s = 0; s < this.#sections.length; s++) {
        const [b0, b1, b2, a1, a2] = this.#sections[s]!;
        const y = (x * (b0 + b1 + b2)) / (1 + a1 + a2);
        const at = (s * this.#columns + column) * 2;
        this.#memory[at + 1] = b2 * x - a2 * y;
        this.#memory[at] = b1 * x - a1 * y + this.#memory[at + 1]!;
        x = y;
      }
    }
    this.#begun = true;
  }
}

/** Filters a whole series by second-order sections, from a state of zeros. */
export function sosFilter(sections: readonly Section[], series: ArrayLike<number>): Float64Array {
  const filter = new Sections(sections, 1, false);
  const row = new Float64Array(1);
  return Float64Array.from(series, (value) => {
    row[0] = value;
    filter.apply(row);
    return row[0];
  });
}
