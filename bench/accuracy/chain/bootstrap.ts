import { Random } from '../../../pipeline/sources/simulator/shared/random.js';

/** A figure with its 95 % interval; NaN if there are no data. */
export interface Figure {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** Number of rooms (or people) behind it. */
  readonly rooms: number;
}

const RESAMPLES = 1000;

/**
 * A figure of several rooms with its interval by bootstrap over whole rooms: pose frames of one room resemble each
 * other, so pose frames are never drawn by themselves. Percentiles; Efron and Tibshirani, 1993. Deterministic.
 */
export const over = <T>(rooms: readonly T[], statistic: (rooms: readonly T[]) => number): Figure =>
  allOver(rooms, ['value'], (drawn) => ({ value: statistic(drawn) })).value;

/** Several figures of the same rooms, which a statistic computes together. */
export function allOver<T, Name extends string>(
  rooms: readonly T[],
  names: readonly Name[],
  statistic: (rooms: readonly T[]) => Readonly<Record<Name, number>>,
): Readonly<Record<Name, Figure>> {
  const whole = rooms.length === 0 ? null : statistic(rooms);
  const random = new Random(1, rooms.length);
  const drawn = Array.from({ length: rooms.length === 0 ? 0 : RESAMPLES }, () =>
    statistic(rooms.map(() => rooms[random.below(rooms.length)]!)),
  );
  const figureOf = (name: Name): Figure => {
    const sorted = drawn
      .map((one) => one[name])
      .filter((one) => !Number.isNaN(one))
      .sort((a, b) => a - b);
    const percentile = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? NaN;
    return {
      value: whole?.[name] ?? NaN,
      low: percentile(0.025),
      high: percentile(0.975),
      rooms: rooms.length,
    };
  };
  return Object.fromEntries(names.map((name) => [name, figureOf(name)])) as Record<Name, Figure>;
}

/** Mean over the values of all rooms. */
export function meanOver(rooms: readonly (readonly number[])[]): Figure {
  const sums = rooms
    .filter((values) => values.length > 0)
    .map((values) => ({ sum: values.reduce((a, b) => a + b, 0), count: values.length }));
  return over(sums, (drawn) => {
    const count = drawn.reduce((all, one) => all + one.count, 0);
    return drawn.reduce((all, one) => all + one.sum, 0) / count;
  });
}

/** Median over the values of all rooms. */
export const medianOver = (rooms: readonly (readonly number[])[]): Figure =>
  over(
    rooms.filter((values) => values.length > 0),
    (drawn) => {
      const sorted = Float64Array.from(drawn.flat()).sort();
      return (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2;
    },
  );

/** A rate of rare events with its exact 95 % interval (Garwood, 1936). */
export function poissonRate(events: number, hours: number): Figure {
  const low = events === 0 ? 0 : solve((mean) => 1 - poissonBelow(events - 1, mean) - 0.025, events);
  const high = solve((mean) => 0.025 - poissonBelow(events, mean), Math.max(1, events));
  return { value: events / hours, low: low / hours, high: high / hours, rooms: events };
}

/**
 * A share of rooms with its exact 95 % interval (Clopper and Pearson, 1934). Unlike the bootstrap, it says what is
 * possible if all rooms agree: where none of 20 is wrong, 17 % of all rooms may be.
 * @param hits number of rooms that count
 */
export function shareOfRooms(hits: number, rooms: number): Figure {
  if (rooms === 0) return { value: NaN, low: NaN, high: NaN, rooms };
  const low = hits === 0 ? 0 : solve((share) => 1 - binomialBelow(hits - 1, rooms, share) - 0.025, 1);
  const high = hits === rooms ? 1 : solve((share) => 0.025 - binomialBelow(hits, rooms, share), 1);
  return { value: hits / rooms, low, high, rooms };
}

/** Probability of at most `hits` in `trials`, each with a probability of `share`. */
function binomialBelow(hits: number, trials: number, share: number): number {
  let ways = 1;
  let sum = 0;
  for (let k = 0; k <= hits; k++) {
    sum += ways * share ** k * (1 - share) ** (trials - k);
    ways *= (trials - k) / (k + 1);
  }
  return sum;
}

/** Probability of at most `events` where `mean` are expected. */
function poissonBelow(events: number, mean: number): number {
  let term = Math.exp(-mean);
  let sum = term;
  for (let k = 1; k <= events; k++) sum += term *= mean / k;
  return sum;
}

/** The zero of an increasing function, by bisection. */
function solve(of: (x: number) => number, near: number): number {
  let [low, high] = [0, near];
  while (of(high) < 0) high *= 2;
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (of(middle) < 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** A known figure, not an estimate. */
export const exact = (value: number): Figure => ({ value, low: value, high: value, rooms: 0 });
