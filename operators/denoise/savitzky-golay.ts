import type { RowFilter } from './column-filter.js';

/**
 * Weights that evaluate, at sample `at`, the least-squares polynomial through `count` evenly spaced samples:
 * a row of the hat matrix. Computed by orthogonal polynomials, which stay exact where normal equations would
 * not (Savitzky and Golay 1964; Gorry 1990).
 * @param degree at most count - 1; larger values are reduced to that
 */
export function fitWeights(count: number, degree: number, at: number): Float64Array {
  const weights = new Float64Array(count);
  const basis: Float64Array[] = [];
  for (let power = 0; power <= Math.min(degree, count - 1); power++) {
    const column = Float64Array.from({ length: count }, (_, i) => abscissaOf(i, count) ** power);
    // Twice: the second pass removes the rounding errors of the first.
    for (let pass = 0; pass < 2; pass++) for (const other of basis) orthogonalise(column, other);
    const length = Math.sqrt(dot(column, column));
    basis.push(column.map((value) => value / length));
  }
  for (const column of basis) for (let i = 0; i < count; i++) weights[i]! += column[i]! * column[at]!;
  return weights;
}

/** Place of a sample on the axis of the fit: -1 for the first to 1 for the last. */
const abscissaOf = (index: number, count: number): number => (count > 1 ? (2 * index) / (count - 1) - 1 : 0);

const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, value, i) => sum + value * b[i]!, 0);

function orthogonalise(column: Float64Array, unit: Float64Array): void {
  const share = dot(column, unit);
  for (let i = 0; i < column.length; i++) column[i]! -= share * unit[i]!;
}

/**
 * The Savitzky-Golay filter of a whole series, centred; the first and the last half window are values of the
 * polynomial through the outermost `window` samples, like scipy.signal.savgol_filter with mode `interp`.
 * @param window odd, at most as long as the series
 */
export function savitzkyGolay(series: ArrayLike<number>, window: number, degree: number): Float64Array {
  const half = window >> 1;
  return Float64Array.from({ length: series.length }, (_, i) => {
    const first = Math.min(Math.max(0, i - half), series.length - window);
    const weights = fitWeights(window, degree, i - first);
    return weights.reduce((sum, weight, k) => sum + weight * series[first + k]!, 0);
  });
}

export interface SlidingFitState {
  /** [rows, columns], oldest first. */
  readonly history: Float64Array;
}

/**
 * The causal Savitzky-Golay filter: the newest value of the least-squares polynomial through the last
 * `window` rows, fewer at the start.
 */
export class SlidingFit implements RowFilter<SlidingFitState> {
  readonly #columns: number;
  readonly #window: number;
  /** [rows so far - 1]: weights from the oldest row to the newest. */
  readonly #weights: readonly Float64Array[];
  /** [window, columns], a ring. */
  readonly #history: Float64Array;
  #count = 0;
  #next = 0;

  /** @param weights of {@link newestWeights} */
  constructor(columns: number, weights: readonly Float64Array[]) {
    this.#columns = columns;
    this.#window = weights.length;
    this.#weights = weights;
    this.#history = new Float64Array(this.#window * columns);
  }

  apply(row: Float64Array): void {
    const columns = this.#columns;
    this.#history.set(row, this.#next * columns);
    this.#count = Math.min(this.#window, this.#count + 1);
    this.#next = (this.#next + 1) % this.#window;
    const weights = this.#weights[this.#count - 1]!;
    row.fill(0);
    let slot = (this.#next - this.#count + this.#window) % this.#window;
    for (let age = 0; age < this.#count; age++) {
      const weight = weights[age]!;
      const start = slot * columns;
      for (let column = 0; column < columns; column++)
        row[column]! += weight * this.#history[start + column]!;
      slot = slot + 1 === this.#window ? 0 : slot + 1;
    }
  }

  snapshot(): SlidingFitState {
    const history = new Float64Array(this.#count * this.#columns);
    for (let age = 0; age < this.#count; age++) {
      const slot = (this.#next - this.#count + age + this.#window) % this.#window;
      const start = slot * this.#columns;
      history.set(this.#history.subarray(start, start + this.#columns), age * this.#columns);
    }
    return { history };
  }

  restore({ history }: SlidingFitState): void {
    this.#history.set(history);
    this.#count = history.length / this.#columns;
    this.#next = this.#count % this.#window;
  }
}

/** For one sample to `window` samples: the weights for the newest value of the fit. */
export const newestWeights = (window: number, degree: number): readonly Float64Array[] =>
  Array.from({ length: window }, (_, i) => fitWeights(i + 1, degree, i));
