/**
 * Receivers without a steady gain scale each packet randomly: all subcarriers together, independently for
 * each packet. Movement does neither. In recordings of empty rooms with ESP32 boards that jitter is 5 to 15
 * times as strong as all other noise.
 */

/**
 * Fourth differences: the part near half the packet rate, where movement has almost no energy. Scaled to
 * preserve white noise.
 */
const FOURTH = [1, -4, 6, -4, 1].map((weight) => weight / Math.sqrt(70)) as [
  number,
  number,
  number,
  number,
  number,
];
/** Factor by which the level's noise must exceed the links' own noise, averaged over the bands, to count as jitter. */
const EXCESS = 4;
/** Power of the level's white noise relative to that of the level: movement stays below, jitter lies above. */
const SHARE = { from: 0.1, to: 0.2 } as const;
/** The same relative to first differences, which contain no slow drifts. */
const WHITE = { from: 0.18, to: 0.32 } as const;

/**
 * The share of the bands' common level that is gain jitter, 0 to 1: most of it is white, and it exceeds what
 * independent noise of the bands would leave in their mean.
 * @param course [points, bands], each band without its mean
 * @param level [points], the mean over the bands
 */
export function jitterShare(course: Float64Array, level: Float64Array): number {
  const points = level.length;
  const bands = course.length / points;
  const noise = steadyNoise(level);
  if (noise === 0) return 0;
  const [power, first] = powersOf(level);
  const [share, white] = [within(noise / power, SHARE), within(noise / first, WHITE)];
  if (share === 0 || white === 0) return 0;
  const rest = new Float64Array(points);
  let own = 0;
  for (let band = 0; band < bands; band++) {
    for (let t = 0; t < points; t++) rest[t] = course[t * bands + band]! - level[t]!;
    own += fourthDifferences(rest, 0, points) / bands;
  }
  const stands = Math.max(0, 1 - (EXCESS * own) / (bands - 1) / noise);
  return stands * share * white;
}

/** 0 up to `from`, 1 from `to` on, linear between. */
const within = (value: number, { from, to }: { readonly from: number; readonly to: number }): number =>
  Math.min(1, Math.max(0, (value - from) / (to - from)));

/** Parts of a window: jitter is present all the time, a quick movement is not. */
const PARTS = 4;

/** Power of the level's noise in the part of the window with the least noise. */
function steadyNoise(level: Float64Array): number {
  const length = Math.floor(level.length / PARTS);
  let least = Infinity;
  for (let part = 0; part < PARTS; part++)
    least = Math.min(least, fourthDifferences(level, part * length, length));
  return least;
}

/** Mean square of the fourth differences of `count` values from `from` on. */
function fourthDifferences(values: Float64Array, from: number, count: number): number {
  const [a, b, c, d, e] = FOURTH;
  const end = from + count - FOURTH.length + 1;
  let sum = 0;
  for (let t = from; t < end; t++) {
    const difference =
      a * values[t]! + b * values[t + 1]! + c * values[t + 2]! + d * values[t + 3]! + e * values[t + 4]!;
    sum += difference * difference;
  }
  return sum / (end - from);
}

/** Mean square of the values, and half that of their first differences. */
function powersOf(values: Float64Array): readonly [power: number, first: number] {
  let power = 0;
  let first = 0;
  for (let t = 0; t < values.length; t++) {
    power += values[t]! ** 2;
    if (t > 0) first += (values[t]! - values[t - 1]!) ** 2;
  }
  return [power / values.length, first / (values.length - 1) / 2];
}
