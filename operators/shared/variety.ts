import type { NormalisedWindow } from './motion.js';

/** A transmitter or receiver alternates between so many antennas or filters at most. */
const STATES = 4;
/** Rounds of k-means; more change the result by less than a hundredth. */
const ROUNDS = 5;

/**
 * How much the frames of a window vary beyond a few states: their variance around the nearest of four centres,
 * over their whole variance. A link that alternates between antennas only has its noise left; fading while
 * somebody walks takes ever new values, and keeps a quarter or more. By k-means (Lloyd, 1982), begun with the
 * frames that are farthest apart, so that equal windows give equal results.
 *
 * @param window centred
 * @param points indexes of frames with measurements, at least one
 * @returns 0 to 1; 0 if all frames are equal
 */
export function varietyOf({ columns, values }: NormalisedWindow, points: readonly number[]): number {
  const frames = points.map((point) => values.subarray(point * columns, (point + 1) * columns));
  const zero = new Float64Array(columns);
  const total = frames.reduce((sum, frame) => sum + distance(frame, zero), 0);
  if (total === 0) return 0;
  let centres = farApart(frames);
  for (let round = 0; round < ROUNDS; round++) centres = refined(frames, centres);
  return frames.reduce((sum, frame) => sum + nearest(frame, centres).square, 0) / total;
}

function farApart(frames: readonly Float64Array[]): readonly Float64Array[] {
  const centres = [frames[0]!];
  while (centres.length < STATES) {
    const squares = frames.map((frame) => nearest(frame, centres).square);
    centres.push(frames[squares.indexOf(Math.max(...squares))]!);
  }
  return centres;
}

/** The means of the frames that are nearest to each centre; a centre without frames stays. */
function refined(frames: readonly Float64Array[], centres: readonly Float64Array[]): readonly Float64Array[] {
  const sums = centres.map(({ length }) => new Float64Array(length));
  const counts = centres.map(() => 0);
  for (const frame of frames) {
    const { index } = nearest(frame, centres);
    const sum = sums[index]!;
    for (let k = 0; k < frame.length; k++) sum[k]! += frame[k]!;
    counts[index]!++;
  }
  return sums.map((sum, i) => (counts[i] === 0 ? centres[i]! : sum.map((value) => value / counts[i]!)));
}

function nearest(frame: Float64Array, centres: readonly Float64Array[]): { index: number; square: number } {
  let index = 0;
  let square = Infinity;
  for (let i = 0; i < centres.length; i++) {
    const one = distance(frame, centres[i]!);
    if (one < square) [index, square] = [i, one];
  }
  return { index, square };
}

function distance(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += (a[k]! - b[k]!) ** 2;
  return sum;
}
