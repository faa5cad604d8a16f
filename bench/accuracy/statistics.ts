/**
 * Area under the ROC curve: the probability that a positive scores above a negative; ties count half. NaN if
 * either is empty.
 */
export function rocAuc(positives: readonly number[], negatives: readonly number[]): number {
  const sorted = Float64Array.from(negatives).sort();
  let sum = 0;
  for (const score of positives) {
    const below = firstNotBelow(sorted, score);
    let equal = below;
    while (equal < sorted.length && sorted[equal] === score) equal++;
    sum += below + (equal - below) / 2;
  }
  return sum / (positives.length * negatives.length);
}

function firstNotBelow(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Share of the scores at `threshold` or above. */
export const share = (scores: readonly number[], threshold: number): number =>
  scores.filter((score) => score >= threshold).length / scores.length;

/** The lowest threshold that at most the share `rate` of the scores reach. */
export function thresholdAt(scores: readonly number[], rate: number): number {
  const sorted = Float64Array.from(scores).sort();
  const allowed = Math.floor(rate * sorted.length);
  const highestRefused = sorted[sorted.length - 1 - allowed]!;
  return highestRefused + Math.max(1e-9, Math.abs(highestRefused) * 1e-12);
}

const RESAMPLES = 1000;

/** 95 % interval of a statistic by bootstrap over both samples (percentiles; Efron and Tibshirani, 1993). Deterministic. */
export function interval(
  positives: readonly number[],
  negatives: readonly number[],
  statistic: (positives: readonly number[], negatives: readonly number[]) => number,
): readonly [number, number] {
  let state = 1;
  const random = (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const draw = (from: readonly number[]) => from.map(() => from[random(from.length)]!);
  const values = Float64Array.from({ length: RESAMPLES }, () =>
    statistic(draw(positives), draw(negatives)),
  ).sort();
  return [values[Math.floor(0.025 * RESAMPLES)]!, values[Math.ceil(0.975 * RESAMPLES) - 1]!];
}
