import { symmetricEigen } from '../shared/eigen.js';
import type { RowFilter } from './column-filter.js';

export interface Principal {
  /** Variances, largest first. */
  readonly variances: Float64Array;
  /** [component, column]: unit vectors whose largest entry is positive. */
  readonly components: Float64Array;
  /** [row, component] */
  readonly scores: Float64Array;
}

/** Principal components of `rows` [rows, columns], centred, by the covariance matrix (numpy.cov, eigh). */
export function principalComponents(data: Float64Array, columns: number): Principal {
  const rows = data.length / columns;
  const centred = data.slice();
  for (let column = 0; column < columns; column++) {
    let sum = 0;
    for (let row = 0; row < rows; row++) sum += data[row * columns + column]!;
    for (let row = 0; row < rows; row++) centred[row * columns + column]! -= sum / rows;
  }
  const covariance = new Float64Array(columns * columns);
  for (let i = 0; i < columns; i++)
    for (let j = i; j < columns; j++) {
      let sum = 0;
      for (let row = 0; row < rows; row++) sum += centred[row * columns + i]! * centred[row * columns + j]!;
      covariance[i * columns + j] = covariance[j * columns + i] = sum / (rows - 1);
    }
  const { values, vectors } = symmetricEigen(covariance, columns);
  for (let c = 0; c < columns; c++) turnPositive(vectors.subarray(c * columns, (c + 1) * columns));
  const scores = new Float64Array(rows * columns);
  for (let row = 0; row < rows; row++)
    for (let c = 0; c < columns; c++)
      for (let k = 0; k < columns; k++)
        scores[row * columns + c]! += centred[row * columns + k]! * vectors[c * columns + k]!;
  return { variances: values, components: vectors, scores };
}

/** The sign of an eigenvector is arbitrary: its largest entry becomes positive. */
function turnPositive(vector: Float64Array): void {
  let largest = 0;
  for (const value of vector) if (Math.abs(value) > Math.abs(largest)) largest = value;
  if (largest < 0) for (let i = 0; i < vector.length; i++) vector[i]! *= -1;
}

export interface SubspaceState {
  /** [rows, columns], oldest first. */
  readonly history: Float64Array;
  /** [component, column] */
  readonly basis: Float64Array;
}

/**
 * Projects each row onto the strongest principal components of the last `history` rows, around their mean.
 * The components are updated by one step of orthogonal iteration per row (Golub and Van Loan, Matrix
 * Computations, 8.2.4), a hundredth of the cost of a new solution. Rows pass unchanged until `history` of
 * them have arrived.
 */
export class Subspace implements RowFilter<SubspaceState> {
  readonly #columns: number;
  readonly #count: number;
  readonly #rows: number;
  /** [rows, columns], a ring. */
  readonly #history: Float64Array;
  readonly #mean: Float64Array;
  readonly #basis: Float64Array;
  readonly #step: Float64Array;
  #filled = 0;
  #next = 0;

  constructor(columns: number, components: number, history: number) {
    this.#columns = columns;
    this.#count = Math.min(components, columns);
    this.#rows = history;
    this.#history = new Float64Array(history * columns);
    this.#mean = new Float64Array(columns);
    this.#step = new Float64Array(columns);
    // Starts with smooth curves over the columns, as channels have.
    this.#basis = Float64Array.from({ length: this.#count * columns }, (_, i) => {
      const [component, column] = [Math.floor(i / columns), i % columns];
      const norm = Math.sqrt((component === 0 ? 1 : 2) / columns);
      return norm * Math.cos((Math.PI * component * (column + 0.5)) / columns);
    });
  }

  apply(row: Float64Array): void {
    this.#history.set(row, this.#next * this.#columns);
    this.#next = (this.#next + 1) % this.#rows;
    this.#filled = Math.min(this.#rows, this.#filled + 1);
    this.#findMean();
    for (let component = 0; component < this.#count; component++) this.#turn(component);
    if (this.#filled === this.#rows) this.#project(row);
  }

  snapshot(): SubspaceState {
    const used = this.#filled * this.#columns;
    const oldest = this.#filled === this.#rows ? this.#next * this.#columns : 0;
    const history = new Float64Array(used);
    history.set(this.#history.subarray(oldest, used));
    history.set(this.#history.subarray(0, oldest), used - oldest);
    return { history, basis: this.#basis.slice() };
  }

  restore({ history, basis }: SubspaceState): void {
    this.#history.set(history);
    this.#basis.set(basis);
    this.#filled = history.length / this.#columns;
    this.#next = this.#filled % this.#rows;
  }

  /** Rows ordered by age, so that a restored ring yields the same sums. */
  #findMean(): void {
    const columns = this.#columns;
    this.#mean.fill(0);
    for (let age = 0; age < this.#filled; age++) {
      const start = this.#slot(age) * columns;
      for (let k = 0; k < columns; k++) this.#mean[k]! += this.#history[start + k]!;
    }
    for (let k = 0; k < columns; k++) this.#mean[k]! /= this.#filled;
  }

  /** Rotates a component towards its share of the covariance, orthogonal to the stronger ones. */
  #turn(component: number): void {
    const columns = this.#columns;
    const basis = this.#basis;
    const step = this.#step.fill(0);
    const own = component * columns;
    for (let age = 0; age < this.#filled; age++) {
      const start = this.#slot(age) * columns;
      let score = 0;
      for (let k = 0; k < columns; k++)
        score += (this.#history[start + k]! - this.#mean[k]!) * basis[own + k]!;
      for (let k = 0; k < columns; k++) step[k]! += score * (this.#history[start + k]! - this.#mean[k]!);
    }
    for (let other = 0; other < own; other += columns) {
      let share = 0;
      for (let k = 0; k < columns; k++) share += step[k]! * basis[other + k]!;
      for (let k = 0; k < columns; k++) step[k]! -= share * basis[other + k]!;
    }
    let power = 0;
    for (const value of step) power += value * value;
    // Nothing varies along it, so it stays.
    if (!(power > 0 && power < Infinity)) return;
    const norm = 1 / Math.sqrt(power);
    for (let k = 0; k < columns; k++) basis[own + k] = step[k]! * norm;
  }

  #project(row: Float64Array): void {
    const columns = this.#columns;
    const rebuilt = this.#step.fill(0);
    for (let start = 0; start < this.#basis.length; start += columns) {
      let score = 0;
      for (let k = 0; k < columns; k++) score += (row[k]! - this.#mean[k]!) * this.#basis[start + k]!;
      for (let k = 0; k < columns; k++) rebuilt[k]! += score * this.#basis[start + k]!;
    }
    for (let k = 0; k < columns; k++) row[k] = this.#mean[k]! + rebuilt[k]!;
  }

  #slot(age: number): number {
    return (this.#next - this.#filled + age + this.#rows) % this.#rows;
  }
}

/** Components of each antenna pair separately: rows hold the pairs' columns one after another. */
export class PairSubspaces implements RowFilter<readonly SubspaceState[]> {
  readonly #pairs: readonly Subspace[];

  constructor(columns: number, pairs: number, components: number, history: number) {
    this.#pairs = Array.from({ length: pairs }, () => new Subspace(columns / pairs, components, history));
  }

  apply(row: Float64Array): void {
    const width = row.length / this.#pairs.length;
    this.#pairs.forEach((pair, i) => {
      pair.apply(row.subarray(i * width, (i + 1) * width));
    });
  }

  snapshot(): readonly SubspaceState[] {
    return this.#pairs.map((pair) => pair.snapshot());
  }

  restore(states: readonly SubspaceState[]): void {
    this.#pairs.forEach((pair, i) => {
      pair.restore(states[i]!);
    });
  }
}
