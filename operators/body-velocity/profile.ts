/** Velocities along one axis: `bins` of equal width from -`limit` to `limit`, given by their centres. */
export const velocities = (bins: number, limit: number): Float64Array =>
  Float64Array.from({ length: bins }, (_, i) => ((2 * i + 1) / bins - 1) * limit);

/** Measurement of one link: its share of power by frequency, and how velocities appear in it. */
export interface Seen {
  /** Sums to 1, lowest frequency first, 0 Hz at `length >> 1`. */
  readonly spectrum: Float64Array;
  /** Hertz between adjacent frequencies. */
  readonly step: number;
  /** Standard deviation of the window's main lobe in power, hertz. */
  readonly width: number;
  /** Hertz per metre per second, along x and y. */
  readonly axis: readonly [x: number, y: number];
}

/** A distribution of velocities in the room, and how well it explains the measurements. */
export interface Profile {
  /** [vy, vx], sums to 1. */
  readonly shares: Float64Array;
  /** Share of the spectra that it explains, 0 to 1. */
  readonly fit: number;
}

/** Steps of the solver; it converges well before. */
const STEPS = 150;

/**
 * The sparse distribution of velocities that explains all links' spectra: the least sum of squared
 * differences plus
 * `sparsity` times its sum, without negative shares, by accelerated proximal gradient steps (FISTA, Beck and
 * Teboulle 2009). Null if there is no power to explain.
 * @param grid velocities along each axis, metres per second
 */
export function profileOf(seen: readonly Seen[], grid: Float64Array, sparsity: number): Profile | null {
  const rows = seen.map((link) => projection(link, grid));
  const cells = grid.length ** 2;
  const target = seen.map(({ spectrum }) => spectrum);
  const power = target.reduce((sum, one) => sum + one.reduce((a, b) => a + b * b, 0), 0);
  if (!(power > 0)) return null;
  const rate = 1 / largestEigenvalue(rows, cells);
  const found = new Float64Array(cells);
  const ahead = new Float64Array(cells);
  let momentum = 1;
  for (let step = 0; step < STEPS; step++) {
    const slope = gradient(rows, target, ahead);
    const faster = (1 + Math.sqrt(1 + 4 * momentum * momentum)) / 2;
    const share = (momentum - 1) / faster;
    for (let cell = 0; cell < cells; cell++) {
      const next = Math.max(0, ahead[cell]! - rate * (slope[cell]! + sparsity));
      ahead[cell] = next + share * (next - found[cell]!);
      found[cell] = next;
    }
    momentum = faster;
  }
  const total = found.reduce((a, b) => a + b, 0);
  if (!(total > 0)) return null;
  const rest = target.reduce((sum, one, i) => sum + squaredDistance(shown(rows[i]!, found), one), 0);
  return { shares: found.map((value) => value / total), fit: Math.max(0, 1 - rest / power) };
}

/** Shares this close together belong to one part of the body and its limbs, metres per second. */
const NEAR = 0.2;
const ABOUT = 0.5;

/**
 * The velocity of the trunk: the densest cluster of shares, and the mean around it. The mean of all shares
 * would be biased towards zero by reflections that see the body mirrored.
 */
export function trunkVelocity(shares: Float64Array, grid: Float64Array): readonly [x: number, y: number] {
  const cells = [...shares.keys()]
    .filter((cell) => shares[cell]! > 0)
    .map(
      (cell) => [grid[cell % grid.length]!, grid[Math.floor(cell / grid.length)]!, shares[cell]!] as const,
    );
  const weighed = (at: readonly [number, number, number], deviation: number) =>
    cells.map(
      ([x, y, share]) => share * Math.exp(-0.5 * (((x - at[0]) ** 2 + (y - at[1]) ** 2) / deviation ** 2)),
    );
  const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
  const near = cells.map((cell) => sum(weighed(cell, NEAR)));
  const weights = weighed(cells[near.indexOf(Math.max(...near))]!, ABOUT);
  const mean = (axis: 0 | 1) => sum(weights.map((weight, i) => weight * cells[i]![axis])) / sum(weights);
  return [mean(0), mean(1)];
}

/** How one link sees each velocity: [cell, frequency], each a main lobe that sums to 1. */
interface Projection {
  readonly bins: number;
  /** Frequencies and lobe of each cell, `lobe` numbers each. Frequencies beyond the ends alias. */
  readonly at: Int32Array;
  readonly lobes: Float64Array;
  readonly lobe: number;
}

/** Lobe width in standard deviations. */
const REACH = 3;

function projection({ spectrum, step, width, axis }: Seen, grid: Float64Array): Projection {
  const bins = spectrum.length;
  const reach = Math.ceil((REACH * width) / step);
  const lobe = 2 * reach + 1;
  const cells = grid.length ** 2;
  const at = new Int32Array(cells * lobe);
  const lobes = new Float64Array(cells * lobe);
  for (let cell = 0; cell < cells; cell++) {
    const [x, y] = [grid[cell % grid.length]!, grid[Math.floor(cell / grid.length)]!];
    const middle = (axis[0] * x + axis[1] * y) / step + (bins >> 1);
    const first = Math.round(middle) - reach;
    let sum = 0;
    for (let i = 0; i < lobe; i++) {
      at[cell * lobe + i] = wrapped(first + i, bins);
      sum += lobes[cell * lobe + i] = Math.exp(-0.5 * (((first + i - middle) * step) / width) ** 2);
    }
    for (let i = 0; i < lobe; i++) lobes[cell * lobe + i]! /= sum;
  }
  return { bins, at, lobes, lobe };
}

/** The spectrum that a link sees of a distribution. */
function shown({ bins, at, lobes, lobe }: Projection, shares: Float64Array): Float64Array {
  const out = new Float64Array(bins);
  for (let cell = 0; cell < shares.length; cell++) {
    const share = shares[cell]!;
    if (share === 0) continue;
    for (let i = cell * lobe; i < (cell + 1) * lobe; i++) out[at[i]!]! += share * lobes[i]!;
  }
  return out;
}

function gradient(
  rows: readonly Projection[],
  target: readonly Float64Array[],
  shares: Float64Array,
): Float64Array {
  const out = new Float64Array(shares.length);
  rows.forEach((row, link) => {
    const rest = shown(row, shares);
    for (let i = 0; i < rest.length; i++) rest[i]! -= target[link]![i]!;
    addTransposed(row, rest, out);
  });
  return out;
}

function addTransposed({ at, lobes, lobe }: Projection, rest: Float64Array, out: Float64Array): void {
  for (let cell = 0; cell < out.length; cell++) {
    let sum = out[cell]!;
    for (let i = cell * lobe; i < (cell + 1) * lobe; i++) sum += lobes[i]! * rest[at[i]!]!;
    out[cell] = sum;
  }
}

const wrapped = (index: number, bins: number): number => ((index % bins) + bins) % bins;

/** Bounds the curvature: for a non-negative matrix, the largest row sum of A'A is an upper bound of its eigenvalues. */
function largestEigenvalue(rows: readonly Projection[], cells: number): number {
  const sums = new Float64Array(cells);
  for (const row of rows) addTransposed(row, shown(row, new Float64Array(cells).fill(1)), sums);
  return sums.reduce((a, b) => Math.max(a, b), 0);
}

function squaredDistance(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i]! - b[i]!) ** 2;
  return sum;
}
