import { sortedQuantile } from '../shared/median.js';

/** The statistics that can be computed from the values of a window. */
export const STATISTICS = {
  count: 'Number of records.',
  mean: 'Mean.',
  min: 'Smallest value.',
  max: 'Largest value.',
  sum: 'Sum.',
  last: 'Value of the newest record.',
  median: 'Median.',
  p05: 'Quantile 0.05.',
  p25: 'Quantile 0.25.',
  p75: 'Quantile 0.75.',
  p95: 'Quantile 0.95.',
  p99: 'Quantile 0.99.',
} as const;

export type Statistic = keyof typeof STATISTICS;

const QUANTILES: Partial<Record<Statistic, number>> = {
  median: 0.5,
  p05: 0.05,
  p25: 0.25,
  p75: 0.75,
  p95: 0.95,
  p99: 0.99,
};

export const needsValues = (statistic: Statistic): boolean => QUANTILES[statistic] !== undefined;

/** Values of a series within one hop. */
export interface Pane {
  count: number;
  sum: number;
  min: number;
  max: number;
  /** Event time of the newest record. */
  last: number;
  newest: number;
  /** Empty if no quantile is requested. */
  readonly values: number[];
}

export const emptyPane = (): Pane => ({
  count: 0,
  sum: 0,
  min: Infinity,
  max: -Infinity,
  last: NaN,
  newest: -Infinity,
  values: [],
});

/** Adds a value; does not store it in `values`. */
export function addTo(pane: Pane, time: number, value: number): void {
  pane.count++;
  pane.sum += value;
  pane.min = Math.min(pane.min, value);
  pane.max = Math.max(pane.max, value);
  if (time < pane.newest) return;
  pane.newest = time;
  pane.last = value;
}

/** All of several panes, oldest first. */
export function merged(panes: readonly Pane[]): Pane {
  const all = { ...emptyPane(), values: panes.flatMap(({ values }) => values) };
  for (const { count, sum, min, max, last, newest } of panes) {
    all.count += count;
    all.sum += sum;
    all.min = Math.min(all.min, min);
    all.max = Math.max(all.max, max);
    if (newest < all.newest) continue;
    all.newest = newest;
    all.last = last;
  }
  return all;
}

/** The requested statistics, in that order, of a pane with at least one value. */
export function statisticsOf(
  pane: Pane,
  asked: readonly Statistic[],
): readonly (readonly [Statistic, number])[] {
  const sorted = Float64Array.from(asked.some(needsValues) ? pane.values : []).sort();
  return asked.map((statistic) => [statistic, statisticOf(pane, sorted, statistic)]);
}

function statisticOf(pane: Pane, sorted: Float64Array, statistic: Statistic): number {
  const quantile = QUANTILES[statistic];
  if (quantile !== undefined) return sortedQuantile(sorted, quantile);
  if (statistic === 'mean') return pane.sum / pane.count;
  return pane[statistic as 'count' | 'min' | 'max' | 'sum' | 'last'];
}
