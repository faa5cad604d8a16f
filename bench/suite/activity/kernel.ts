/** A vector with the number of its class. */
export interface Sample {
  readonly inputs: Float64Array;
  readonly label: number;
}

export interface KernelSettings {
  /** Width of the Gaussian kernel, relative to the mean square distance of a feature. */
  readonly gamma: number;
  /** Added to the diagonal: how little single samples are trusted. */
  readonly ridge: number;
}

/** Scores classes: the higher, the likelier. */
export type Classifier = (inputs: Float64Array) => Float64Array;

/** Standardised features are clipped at this many deviations. */
const LIMIT = 4;

/**
 * Ridge regression on a Gaussian kernel, one target of 0 or 1 for each class (least-squares support vectors; Suykens and
 * Vandewalle, 1999). Deterministic; features are standardised by the samples.
 */
export function trainKernel(
  samples: readonly Sample[],
  classes: number,
  { gamma, ridge }: KernelSettings,
): Classifier {
  const standard = standardiser(samples);
  const rows = samples.map(({ inputs }) => standard(inputs));
  const count = rows.length;
  const width = rows[0]!.length;
  const kernel = (a: Float64Array, b: Float64Array): number => {
    let sum = 0;
    for (let i = 0; i < width; i++) sum += (a[i]! - b[i]!) ** 2;
    return Math.exp((-gamma * sum) / width);
  };
  const matrix = new Float64Array(count * count);
  for (let i = 0; i < count; i++) {
    for (let j = 0; j < i; j++) matrix[i * count + j] = kernel(rows[i]!, rows[j]!);
    matrix[i * count + i] = 1 + ridge;
  }
  factorise(matrix, count);
  const share = Float64Array.from(
    { length: classes },
    (_, label) => samples.filter((sample) => sample.label === label).length / count,
  );
  const weights = Array.from({ length: classes }, (_, label) =>
    solve(
      matrix,
      Float64Array.from(samples, (sample) => Number(sample.label === label) - share[label]!),
    ),
  );
  return (inputs) => {
    const own = standard(inputs);
    const near = Float64Array.from(rows, (row) => kernel(own, row));
    return share.map((offset, label) => {
      const of = weights[label]!;
      let sum = offset;
      for (let i = 0; i < count; i++) sum += near[i]! * of[i]!;
      return sum;
    });
  };
}

function standardiser(samples: readonly Sample[]): (inputs: Float64Array) => Float64Array {
  const width = samples[0]!.inputs.length;
  const mean = new Float64Array(width);
  const deviation = new Float64Array(width);
  for (const { inputs } of samples) for (let i = 0; i < width; i++) mean[i]! += inputs[i]! / samples.length;
  for (const { inputs } of samples)
    for (let i = 0; i < width; i++) deviation[i]! += (inputs[i]! - mean[i]!) ** 2 / samples.length;
  for (let i = 0; i < width; i++) deviation[i] = Math.sqrt(deviation[i]!) + 1e-6;
  return (inputs) =>
    inputs.map((value, i) => Math.max(-LIMIT, Math.min(LIMIT, (value - mean[i]!) / deviation[i]!)));
}

/** Cholesky's factor of a positive definite matrix, in place of its lower triangle. */
function factorise(matrix: Float64Array, size: number): void {
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = matrix[i * size + j]!;
      for (let k = 0, a = i * size, b = j * size; k < j; k++) sum -= matrix[a + k]! * matrix[b + k]!;
      matrix[i * size + j] = i === j ? Math.sqrt(sum) : sum / matrix[j * size + j]!;
    }
  }
}

/** The solution of factor times its transpose times x = right. */
function solve(factor: Float64Array, right: Float64Array): Float64Array {
  const size = right.length;
  const x = right.slice();
  for (let i = 0; i < size; i++) {
    for (let k = 0; k < i; k++) x[i]! -= factor[i * size + k]! * x[k]!;
    x[i]! /= factor[i * size + i]!;
  }
  for (let i = size - 1; i >= 0; i--) {
    x[i]! /= factor[i * size + i]!;
    for (let k = 0; k < i; k++) x[k]! -= factor[i * size + k]! * x[i]!;
  }
  return x;
}
