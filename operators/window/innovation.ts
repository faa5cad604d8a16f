/**
 * For complex series with a covariance: the median of the power of each that the others do not predict, which
 * is the reciprocal of the inverse's diagonal. Uses the Cholesky decomposition and the inverse of its factor.
 *
 * @param covariance lower triangle from `at`: [row, column, (re, im)], rows of `stride` columns
 * @param ridge added to the diagonal
 * @returns NaN if there is no series
 */
export function innovation(
  covariance: Float64Array,
  at: number,
  count: number,
  stride: number,
  ridge: number,
): number {
  if (count > scratch.diagonal.length) scratch = scratchOf(count);
  const { factor, column } = scratch;
  const diagonal = scratch.diagonal.subarray(0, count).fill(0);
  factorize(covariance, at, count, stride, ridge);
  // Column c of the inverse factor by forward substitution; the inverse's diagonal is the sum of squares down each column.
  for (let c = 0; c < count; c++) {
    for (let r = c; r < count; r++) {
      let re = r === c ? 1 : 0;
      let im = 0;
      for (let k = c; k < r; k++) {
        const a = factor[2 * (r * count + k)]!;
        const b = factor[2 * (r * count + k) + 1]!;
        re -= a * column[2 * k]! - b * column[2 * k + 1]!;
        im -= a * column[2 * k + 1]! + b * column[2 * k]!;
      }
      const pivot = factor[2 * (r * count + r)]!;
      column[2 * r] = re / pivot;
      column[2 * r + 1] = im / pivot;
      diagonal[c]! += column[2 * r]! ** 2 + column[2 * r + 1]! ** 2;
    }
  }
  return 1 / diagonal.sort()[count >> 1]!;
}

interface Scratch {
  /** Below the diagonal: [row, column, (re, im)]; on it, only the real part. */
  readonly factor: Float64Array;
  readonly column: Float64Array;
  readonly diagonal: Float64Array;
}

/** The same for all calls: made anew, they were a third of what decoding to windows allocates. */
let scratch = scratchOf(0);

function scratchOf(count: number): Scratch {
  return {
    factor: new Float64Array(2 * count * count),
    column: new Float64Array(2 * count),
    diagonal: new Float64Array(count),
  };
}

/** Leaves the lower factor of the Hermitian matrix in the scratch. */
function factorize(covariance: Float64Array, at: number, count: number, stride: number, ridge: number): void {
  const { factor } = scratch;
  for (let r = 0; r < count; r++) {
    for (let c = 0; c <= r; c++) {
      let re = covariance[at + 2 * (r * stride + c)]! + (r === c ? ridge : 0);
      let im = covariance[at + 2 * (r * stride + c) + 1]!;
      for (let k = 0; k < c; k++) {
        const a = factor[2 * (r * count + k)]!;
        const b = factor[2 * (r * count + k) + 1]!;
        const x = factor[2 * (c * count + k)]!;
        const y = factor[2 * (c * count + k) + 1]!;
        re -= a * x + b * y;
        im -= b * x - a * y;
      }
      const cell = 2 * (r * count + c);
      if (r === c) factor[cell] = Math.sqrt(Math.max(re, ridge));
      else {
        const pivot = factor[2 * (c * count + c)]!;
        factor[cell] = re / pivot;
        factor[cell + 1] = im / pivot;
      }
    }
  }
}
