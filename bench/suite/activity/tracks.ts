import type { Grid } from '../clips.js';
import { median } from '../../../operators/shared/median.js';

/**
 * How the amplitude of one antenna changes over a clip: tracks with a value for each point of the grid,
 * mostly log10 of power. The amplitude is divided by the clip's mean; the second set of differences is also
 * divided by each point's own mean, which cancels the receiver's gain.
 */
export type Tracks = readonly Float64Array[];

/** Lags of the differences, points (at 50 Hz: 0.06 to 1.6 s). */
const LAGS = [3, 5, 8, 13, 20, 40, 80];
/** Bands of the spectrum, hertz. */
const BANDS = [
  [0.3, 0.8],
  [0.8, 1.6],
  [1.6, 2.6],
  [2.6, 4],
  [4, 6],
  [6, 8],
  [8, 10],
] as const;
/** Points of a spectrum, and the step from one spectrum to the next. */
const SPECTRUM = 64;
const HOP = 10;
/** Widths of moving means in points: of differences, of levels, of correlations. */
const [SHORT, MEDIUM, LONG] = [15, 25, 61];
const CORRELATION_LAGS = [3, 5, 10];
/** Neighbouring carriers that change alike under movement, and independently under noise. */
const NEIGHBOURS = 5;
const MIN_POWER = 1e-7;

const log = (value: number): number => Math.log10(value + MIN_POWER);

/** An antenna's tracks, and its spectra: log10 of the power at each frequency, every fifth of a second. */
export interface Course {
  readonly tracks: Tracks;
  readonly spectra: readonly Float64Array[];
}

/** Course of antenna number `antenna` over a clip. */
export function courseOf({ amplitude, points, antennas, carriers, step }: Grid, antenna: number): Course {
  const level = new Float64Array(points);
  const values = new Float64Array(points * carriers);
  let sum = 0;
  for (let t = 0; t < points; t++)
    for (let k = 0; k < carriers; k++)
      sum += values[t * carriers + k] = amplitude[(t * antennas + antenna) * carriers + k]!;
  const scale = sum > 0 ? values.length / sum : 1;
  for (let i = 0; i < values.length; i++) values[i]! *= scale;
  for (let t = 0; t < points; t++) level[t] = mean(values, t * carriers, carriers);
  const even = values.map((value, i) => value / Math.max(1e-6, level[Math.floor(i / carriers)]!));
  const gain = level.map((one) => Math.log10(Math.max(1e-6, one)));
  const powers = powersOf(values, carriers);
  const tracks = [
    ...LAGS.map((lag) => differences(values, carriers, lag)),
    ...LAGS.map((lag) => differences(even, carriers, lag)),
    ...bandPowers(powers, points, 1e6 / step),
    ...[20, 50].map((lag) => differences(gain, 1, lag)),
    distanceFromUsual(values, carriers),
    smoothed(
      gain.map((value) => value - median(gain)),
      SHORT,
    ),
    ...fluctuation(values, carriers),
  ];
  return { tracks, spectra: powers.map((power) => power.map(log)) };
}

const mean = (of: Float64Array, at: number, count: number): number => {
  let sum = 0;
  for (let i = at; i < at + count; i++) sum += of[i]!;
  return sum / count;
};

/** Mean of `width` points around each point; the outermost point is repeated beyond the ends. */
function smoothed(values: Float64Array, width: number): Float64Array {
  const half = (width - 1) / 2;
  const at = (i: number) => values[Math.max(0, Math.min(values.length - 1, i))]!;
  const out = new Float64Array(values.length);
  let sum = 0;
  for (let i = -half; i <= half; i++) sum += at(i);
  for (let t = 0; t < out.length; t++) {
    out[t] = sum / width;
    sum += at(t + half + 1) - at(t - half);
  }
  return out;
}

/** Mean square of the change over `lag` points, centred, log. */
function differences(values: Float64Array, width: number, lag: number): Float64Array {
  const points = values.length / width;
  const out = new Float64Array(points);
  const half = lag >> 1;
  const count = Math.max(0, points - lag);
  for (let t = 0; t < count; t++) {
    let sum = 0;
    for (let k = 0; k < width; k++) sum += (values[(t + lag) * width + k]! - values[t * width + k]!) ** 2;
    out[t + half] = sum / width;
  }
  if (count > 0) {
    out.fill(out[half]!, 0, half);
    out.fill(out[half + count - 1]!, half + count);
  }
  return smoothed(out, SHORT).map(log);
}

/** Power at each frequency, averaged over the carriers, around every tenth point. */
const powersOf = (values: Float64Array, width: number): readonly Float64Array[] =>
  Array.from({ length: Math.ceil(values.length / width / HOP) }, (_, i) =>
    powerAround(values, width, i * HOP),
  );

/** Power in each band, log; interpolated linearly between spectra. @param rate points per second */
function bandPowers(powers: readonly Float64Array[], points: number, rate: number): Float64Array[] {
  const spectra = powers.map((power) => BANDS.map((band) => log(powerIn(power, band, rate))));
  return BANDS.map((_, band) =>
    Float64Array.from({ length: points }, (_value, t) => {
      const i = Math.floor(t / HOP);
      const [a, b] = [spectra[i]![band]!, spectra[Math.min(spectra.length - 1, i + 1)]![band]!];
      return a + ((t % HOP) / HOP) * (b - a);
    }),
  );
}

const powerIn = (power: Float64Array, [low, high]: readonly [number, number], rate: number): number =>
  power.reduce((sum, one, bin) => {
    const frequency = (bin * rate) / SPECTRUM;
    return frequency >= low && frequency < high ? sum + one : sum;
  }, 0);

const HANN = Float64Array.from(
  { length: SPECTRUM },
  (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / (SPECTRUM - 1)),
);

/** Power at each frequency around a point, averaged over the carriers. */
function powerAround(values: Float64Array, width: number, centre: number): Float64Array {
  const points = values.length / width;
  const row = (i: number) => Math.max(0, Math.min(points - 1, centre - SPECTRUM / 2 + i)) * width;
  const own = new Float64Array(SPECTRUM * width);
  for (let k = 0; k < width; k++) {
    let sum = 0;
    for (let i = 0; i < SPECTRUM; i++) sum += values[row(i) + k]!;
    for (let i = 0; i < SPECTRUM; i++) own[i * width + k] = (values[row(i) + k]! - sum / SPECTRUM) * HANN[i]!;
  }
  return Float64Array.from({ length: SPECTRUM / 2 + 1 }, (_, bin) => powerAt(own, width, bin));
}

/** Mean over the carriers of the power in one bin of the spectrum. */
function powerAt(own: Float64Array, width: number, bin: number): number {
  const [re, im] = [new Float64Array(width), new Float64Array(width)];
  for (let i = 0; i < SPECTRUM; i++) {
    const turn = (2 * Math.PI * bin * i) / SPECTRUM;
    const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
    for (let k = 0; k < width; k++) {
      re[k]! += own[i * width + k]! * cos;
      im[k]! += own[i * width + k]! * sin;
    }
  }
  let power = 0;
  for (let k = 0; k < width; k++) power += re[k]! ** 2 + im[k]! ** 2;
  return power / width;
}

/** How far the carriers are from their medians over the clip: a new posture is a new level. */
function distanceFromUsual(values: Float64Array, width: number): Float64Array {
  const points = values.length / width;
  const out = new Float64Array(points);
  for (let k = 0; k < width; k++) {
    const own = Float64Array.from({ length: points }, (_, t) => values[t * width + k]!);
    const usual = median(own);
    smoothed(own, MEDIUM).forEach((value, t) => {
      out[t]! += (value - usual) ** 2 / width;
    });
  }
  return smoothed(out, SHORT).map(log);
}

/**
 * For changes faster than about a second: autocorrelations, and the share that neighbouring carriers have in
 * common.
 */
function fluctuation(values: Float64Array, width: number): Float64Array[] {
  const points = values.length / width;
  const fast = new Float64Array(values.length);
  for (let k = 0; k < width; k++) {
    const own = Float64Array.from({ length: points }, (_, t) => values[t * width + k]!);
    const slow = smoothed(own, LONG);
    for (let t = 0; t < points; t++) fast[t * width + k] = own[t]! - slow[t]!;
  }
  const power = smoothed(products(fast, width, 0), LONG);
  const over = (track: Float64Array) => smoothed(track, LONG).map((value, t) => value / (power[t]! + 1e-9));
  const bands = Math.floor(width / NEIGHBOURS);
  const common = new Float64Array(points * bands);
  for (let t = 0; t < points; t++)
    for (let b = 0; b < bands; b++)
      common[t * bands + b] = mean(fast, t * width + b * NEIGHBOURS, NEIGHBOURS);
  return [
    ...CORRELATION_LAGS.map((lag) => over(products(fast, width, lag))),
    over(products(common, bands, 0)),
  ];
}

/**
 * Mean over the carriers of the products of points `lag` apart; zeros where the second point is past the end.
 */
function products(values: Float64Array, width: number, lag: number): Float64Array {
  const points = values.length / width;
  const out = new Float64Array(points);
  for (let t = 0; t + lag < points; t++) {
    let sum = 0;
    for (let k = 0; k < width; k++) sum += values[t * width + k]! * values[(t + lag) * width + k]!;
    out[t] = sum / width;
  }
  return out;
}
