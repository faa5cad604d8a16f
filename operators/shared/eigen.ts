/** Eigenvalues of a symmetric matrix, descending, and a unit eigenvector of each. */
export interface Eigen {
  readonly values: Float64Array;
  /** [eigenvector, component] */
  readonly vectors: Float64Array;
}

/** Number of sweeps; a matrix of any size converges long before. */
const SWEEPS = 60;

/**
 * All eigenvalues and eigenvectors of the symmetric matrix `matrix` [size, size], by cyclic Jacobi rotations
 * (Golub and Van Loan, Matrix Computations, 8.5): slower than tridiagonal QL, but more accurate for small
 * eigenvalues.
 */
export function symmetricEigen(matrix: Float64Array, size: number): Eigen {
  const a = matrix.slice();
  const v = new Float64Array(size * size);
  for (let i = 0; i < size; i++) v[i * size + i] = 1;
  let total = 0;
  for (const value of a) total += value * value;
  for (let sweep = 0; sweep < SWEEPS && offDiagonal(a, size) > 1e-30 * total; sweep++)
    for (let p = 0; p < size - 1; p++) for (let q = p + 1; q < size; q++) rotate(a, v, size, p, q);
  const order = Array.from({ length: size }, (_, i) => i).sort((i, j) => a[j * size + j]! - a[i * size + i]!);
  const vectors = new Float64Array(size * size);
  order.forEach((from, to) => {
    vectors.set(v.subarray(from * size, (from + 1) * size), to * size);
  });
  return { values: Float64Array.from(order, (i) => a[i * size + i]!), vectors };
}

function offDiagonal(a: Float64Array, size: number): number {
  let sum = 0;
  for (let p = 0; p < size; p++) for (let q = p + 1; q < size; q++) sum += a[p * size + q]! ** 2;
  return 2 * sum;
}

/** Makes a[p][q] zero and updates the rows of `v`. */
function rotate(a: Float64Array, v: Float64Array, size: number, p: number, q: number): void {
  const apq = a[p * size + q]!;
  if (apq === 0) return;
  const theta = (a[q * size + q]! - a[p * size + p]!) / (2 * apq);
  const t = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  for (let k = 0; k < size; k++) {
    const kp = a[k * size + p]!;
    const kq = a[k * size + q]!;
    a[k * size + p] = c * kp - s * kq;
    a[k * size + q] = s * kp + c * kq;
  }
  for (let k = 0; k < size; k++) {
    const pk = a[p * size + k]!;
    const qk = a[q * size + k]!;
    a[p * size + k] = c * pk - s * qk;
    a[q * size + k] = s * pk + c * qk;
    const vp = v[p * size + k]!;
    const vq = v[q * size + k]!;
    v[p * size + k] = c * vp - s * vq;
    v[q * size + k] = s * vp + c * vq;
  }
}
