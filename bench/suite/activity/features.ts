import type { Grid } from '../clips.js';
import { courseOf, type Tracks } from './tracks.js';
import { mean } from '../../../operators/shared/mean.js';
import { sortedQuantile } from '../../../operators/shared/median.js';

/** Tracks whose power shows how much somebody moves: changes over 0.1 and 0.26 s. */
const MOTION = [1, 3];
const POINTS_A_SECOND = 50;
/** Width of the moving mean over the motion whose peak is sought. */
const PEAK_WIDTH = 31;
/** Relative to the peak of motion: first bin, number of bins, points per bin. */
const FIRST = -4.25 * POINTS_A_SECOND;
const BINS = 18;
const BIN = POINTS_A_SECOND / 2;
const QUANTILES = [0.05, 0.25, 0.5, 0.75, 0.95];
/** Quantiles of the power at one frequency over the clip. High ones, because brisk parts of a movement are short. */
const POWER_QUANTILES = [0.25, 0.5, 0.75, 0.9, 0.95, 0.99];

/**
 * Features of a clip, one vector for each antenna: how each track is distributed over the clip, and its
 * course in half seconds around the clip's strongest motion, relative to its own highest half second; and how
 * the power at each frequency is distributed. The position of that motion in the clip and the clip's length
 * are left out.
 */
export function featuresOf(grid: Grid): readonly Float64Array[] {
  const courses = Array.from({ length: grid.antennas }, (_, antenna) => courseOf(grid, antenna));
  const peak = peakOf(
    courses.map(({ tracks }) => tracks),
    grid.points,
  );
  return courses.map(({ tracks, spectra }) =>
    Float64Array.from([...tracks.flatMap(distribution), ...aroundPeak(tracks, peak), ...powers(spectra)]),
  );
}

/** The point of strongest motion over all antennas, at least a second from the ends. */
function peakOf(antennas: readonly Tracks[], points: number): number {
  const total = new Float64Array(points);
  for (const tracks of antennas) {
    const power = total.map((_, t) => MOTION.reduce((sum, i) => sum + 10 ** tracks[i]![t]!, 0));
    const mean = power.reduce((sum, value) => sum + value, 0) / points;
    power.forEach((value, t) => {
      total[t]! += value / mean;
    });
  }
  const margin = points > 2 * POINTS_A_SECOND ? POINTS_A_SECOND : 0;
  const half = (PEAK_WIDTH - 1) / 2;
  let [best, highest] = [margin, -Infinity];
  for (let t = margin; t < points - margin; t++) {
    let sum = 0;
    for (let i = t - half; i <= t + half; i++) sum += total[Math.max(0, Math.min(points - 1, i))]!;
    if (sum > highest) [best, highest] = [t, sum];
  }
  return best;
}

function distribution(track: Float64Array): readonly number[] {
  const inner = track.length > 120 ? track.slice(25, -25) : track;
  const middle = mean(track);
  const variance = track.reduce((sum, value) => sum + (value - middle) ** 2, 0) / track.length;
  const sorted = inner.slice().sort();
  return [...QUANTILES.map((share) => sortedQuantile(sorted, share)), Math.sqrt(variance)];
}

function aroundPeak(tracks: Tracks, peak: number): readonly number[] {
  return tracks.flatMap((track) => {
    const clamp = (t: number, low = 0) => Math.max(low, Math.min(track.length - 1 + low, t));
    const bins = Array.from({ length: BINS }, (_, bin) => {
      const from = clamp(Math.floor(peak + FIRST + bin * BIN));
      const until = Math.max(from + 1, clamp(Math.floor(peak + FIRST + (bin + 1) * BIN), 1));
      let sum = 0;
      for (let t = from; t < until; t++) sum += track[t]!;
      return sum / (until - from);
    });
    const highest = Math.max(...bins);
    return [...bins.map((value) => value - highest), highest];
  });
}

/** Quantiles over the clip, and the mean, of the power at each frequency. */
const powers = (spectra: readonly Float64Array[]): readonly number[] =>
  Array.from(spectra[0]!, (_, bin) => {
    const power = Float64Array.from(spectra, (spectrum) => spectrum[bin]!).sort();
    return [...POWER_QUANTILES.map((share) => sortedQuantile(power, share)), mean(power)];
  }).flat();
