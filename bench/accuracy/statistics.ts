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
