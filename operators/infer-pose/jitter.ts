/**
 * Receivers without a steady gain scale each packet randomly: all subcarriers together, independently for
 * each packet. Movement does neither. In recordings of empty rooms with ESP32 boards that jitter is 5 to 15
 * times as strong as all other noise.
 */

/**
 * Fourth differences: the part near half the packet rate, where movement has almost no energy. Scaled to
 * preserve white noise.
 */
const FOURTH = [1, -4, 6, -4, 1].map((weight) => weight / Math.sqrt(70));
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
  const power = meanSquare(points, (t) => level[t]!);
  const noise = steadyNoise(level);
  if (noise === 0) return 0;
  const first = meanSquare(points - 1, (t) => level[t + 1]! - level[t]!) / 2;
  const [share, white] = [within(noise / power, SHARE), within(noise / first, WHITE)];
  if (share === 0 || white === 0) return 0;
  let own = 0;
  for (let band = 0; band < bands; band++)
    own += fourthDifferences(points, (t) => course[t * bands + band]! - level[t]!) / bands;
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
  return Math.min(
    ...Array.from({ length: PARTS }, (_, part) =>
      fourthDifferences(length, (t) => level[part * length + t]!),
    ),
  );
}

function fourthDifferences(points: number, at: (t: number) => number): number {
  return meanSquare(points - FOURTH.length + 1, (t) => {
    let sum = 0;
    for (let k = 0; k < FOURTH.length; k++) sum += FOURTH[k]! * at(t + k);
    return sum;
  });
}

function meanSquare(count: number, at: (t: number) => number): number {
  let sum = 0;
  for (let t = 0; t < count; t++) sum += at(t) ** 2;
  return sum / count;
}
