/** Median, least and most of several measurements. */
export type Spread = readonly [median: number, least: number, most: number];

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
  return [median, sorted[0]!, sorted.at(-1)!];
}
