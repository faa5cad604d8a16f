/** A logistic model of standardised inputs, with an L2 penalty on its weights. */
export interface Logistic {
  /** Weights for unstandardised inputs, then the bias. */
  readonly head: Float32Array;
}

/** Smallest standard deviation of an input, so that one that never changes has no influence. */
const MIN_DEVIATION = 0.01;
const NEWTON_STEPS = 6;
const SOLVER_STEPS = 20;
/** Change of a weight below which the search ends. */
const ENOUGH = 1e-3;

/**
 * Fits by Newton's method, each step solved by conjugate gradients.
 * @param inputs of each example, all of the same length @param penalty half of it times the sum of squared
 * weights is added to the loss
 */
export function fitLogistic(
  inputs: readonly Float32Array[],
  positive: readonly boolean[],
  penalty: number,
): Logistic {
  const { rows, mean, deviation } = standardise(inputs);
  const width = mean.length + 1;
  const weights = new Float64Array(width);
  for (let step = 0; step < NEWTON_STEPS; step++) {
    const p = rows.map((row) => 1 / (1 + Math.exp(-Math.max(-30, Math.min(30, dot(weights, row))))));
    const share = p.map((value) => value * (1 - value) + 1e-6);
    const gradient = weights.map((value, i) => (i < width - 1 ? penalty * value : 0));
    rows.forEach((row, n) => {
      add(gradient, row, p[n]! - Number(positive[n]));
    });
    const change = solve(gradient, (v) => {
      const out = v.map((value, i) => (i < width - 1 ? penalty * value : 1e-6 * value));
      rows.forEach((row, n) => {
        add(out, row, share[n]! * dot(v, row));
      });
      return out;
    });
    change.forEach((value, i) => {
      weights[i]! -= value;
    });
    if (change.every((value) => Math.abs(value) < ENOUGH)) break;
  }
  const head = Float32Array.from(weights, (value, i) => (i < width - 1 ? value / deviation[i]! : value));
  for (let i = 0; i < mean.length; i++) head[width - 1]! -= head[i]! * mean[i]!;
  return { head };
}

/** The logit of unstandardised inputs. */
export const logitBy = ({ head }: Logistic, inputs: Float32Array): number => {
  let sum = head[inputs.length]!;
  for (let i = 0; i < inputs.length; i++) sum += head[i]! * inputs[i]!;
  return sum;
};

function standardise(inputs: readonly Float32Array[]) {
  const width = inputs[0]!.length;
  const of = (value: (row: Float32Array, i: number) => number) =>
    Float64Array.from(
      { length: width },
      (_, i) => inputs.reduce((sum, row) => sum + value(row, i), 0) / inputs.length,
    );
  const mean = of((row, i) => row[i]!);
  const deviation = of((row, i) => (row[i]! - mean[i]!) ** 2).map(
    (square) => Math.sqrt(square) + MIN_DEVIATION,
  );
  const rows = inputs.map((row) =>
    Float32Array.from({ length: width + 1 }, (_, i) =>
      i < width ? (row[i]! - mean[i]!) / deviation[i]! : 1,
    ),
  );
  return { rows, mean, deviation };
}

/** Conjugate gradients (Hestenes and Stiefel, 1952): x for which `times(x)` is `right`. */
function solve(right: Float64Array, times: (v: Float64Array) => Float64Array): Float64Array {
  const x = new Float64Array(right.length);
  const rest = right.slice();
  let direction = rest.slice();
  let square = dot(rest, rest);
  const enough = 1e-8 * square;
  for (let step = 0; step < SOLVER_STEPS && square > enough; step++) {
    const turned = times(direction);
    const length = square / dot(direction, turned);
    add(x, direction, length);
    add(rest, turned, -length);
    const next = dot(rest, rest);
    const kept = next / square;
    direction = direction.map((value, i) => rest[i]! + kept * value);
    square = next;
  }
  return x;
}

type Numbers = Float64Array | Float32Array;

function dot(a: Numbers, b: Numbers): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

function add(to: Float64Array, what: Numbers, times: number): void {
  for (let i = 0; i < to.length; i++) to[i]! += times * what[i]!;
}
