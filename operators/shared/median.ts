/**
 * Order statistics of small sorted runs, as defined by numpy.median: for an even number, the mean of the two
 * middle ones.
 */

/** Median of `sorted[start..start + count)`, ascending. NaN if `count` is 0. */
export function sortedMedian(sorted: ArrayLike<number>, start: number, count: number): number {
  if (count === 0) return NaN;
  const middle = start + (count >> 1);
  return count % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/**
 * Median absolute deviation from `median` of `sorted[start..start + count)`: deviations grow on both sides of the
 * median, so the two runs are merged outwards up to the middle, without a second sort.
 */
export function sortedDeviation(
  sorted: ArrayLike<number>,
  start: number,
  count: number,
  median: number,
): number {
  let left = start + ((count - 1) >> 1);
  let right = left + 1;
  let previous = NaN;
  let deviation = NaN;
  for (let taken = 0; taken <= count >> 1; taken++) {
    const below = left < start ? Infinity : Math.abs(median - sorted[left]!);
    const above = right >= start + count ? Infinity : Math.abs(sorted[right]! - median);
    previous = deviation;
    if (below <= above) {
      deviation = below;
      left--;
    } else {
      deviation = above;
      right++;
    }
  }
  return count % 2 === 1 ? deviation : (previous + deviation) / 2;
}

/** Median of any values; NaN if there are none. */
export const median = (values: ArrayLike<number>): number =>
  sortedMedian(Float64Array.from(values).sort(), 0, values.length);

/**
 * Value below which the share `q` (0 to 1) of the values lies, linear between neighbours like numpy.quantile;
 * NaN if there are none.
 */
export const quantile = (values: ArrayLike<number>, q: number): number =>
  sortedQuantile(Float64Array.from(values).sort(), q);

/** One of the values: the first that more than the share `q` (0 to 1) of the values do not exceed, or the largest; NaN if there are none. */
export const rankedQuantile = (values: ArrayLike<number>, q: number): number =>
  Float64Array.from(values).sort()[Math.min(values.length - 1, Math.floor(q * values.length))] ?? NaN;

/** {@link quantile} of values in ascending order. */
export function sortedQuantile(sorted: Float64Array, q: number): number {
  if (sorted.length === 0) return NaN;
  const rank = q * (sorted.length - 1);
  const below = sorted[Math.floor(rank)]!;
  const above = sorted[Math.ceil(rank)]!;
  return below + (above - below) * (rank - Math.floor(rank));
}
