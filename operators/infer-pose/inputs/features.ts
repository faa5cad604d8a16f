import { subcarrierSpacing, type TrainingField } from '../../../pipeline/model/csi.js';
import type { WindowLink } from '../../../pipeline/model/records.js';
import { dopplerMap, MAP } from './doppler-map.js';
import { GROUPS, POINTS } from './grid.js';
import { jitterShare } from './jitter.js';
import { mean } from '../../shared/mean.js';

/**
 * Inputs of the network for a link: plain numbers from a window's values. Training and inference call these
 * same functions. Only amplitudes are used: sanitised phase gained 0.01 m in the feasibility runs.
 */

/** Incremented when a feature changes its meaning: weights depend on it. */
export const FEATURE_VERSION = 2;

/** Incremented when the empty-room profile changes its meaning: the files of `csiflow calibrate` depend on it. */
export const PROFILE_VERSION = 1;

/** Numbers per link: the amplitude over time, the Doppler-by-delay map, statistics of the whole window. */
export const COURSE = POINTS * GROUPS;
export const FIGURES = 4 * GROUPS + 6;
export const LINK_FEATURES = COURSE + MAP + FIGURES;

/** Position of the values that need an empty-room profile: the profile's difference, its mean, and the flag. */
export const CALIBRATED = { start: COURSE + MAP, length: GROUPS + 2 } as const;

/** Widest span in use, Hz: 52 subcarriers of 312.5 kHz. Of wider channels only the middle is used. */
const SPAN = 52 * 312_500;

/** Natural logarithm of the amplitude of each band at each point: `[points, GROUPS]`. */
export type LogAmplitude = Float32Array;

/**
 * Log-amplitudes of the bands of a window's link. With several antennas it uses the first pair.
 * @throws RangeError if there are fewer than 13 subcarriers.
 */
export function logAmplitudes(
  link: Omit<WindowLink, 'gaps' | 'rssi' | 'frames' | 'id' | 'quality'>,
): LogAmplitude {
  const { values } = link;
  const starts = bandsOf(link);
  const frame = link.rx * link.tx * link.subcarriers.length * 2;
  const points = values.length / frame;
  const out = new Float32Array(points * GROUPS);
  for (let t = 0; t < points; t++) {
    for (let g = 0; g < GROUPS; g++) {
      const end = t * frame + 2 * starts[g + 1]!;
      let power = 0;
      let weight = 0;
      for (let at = t * frame + 2 * starts[g]!; at < end; at += 2) {
        const re = values[at]!;
        const im = values[at + 1]!;
        const squared = re * re + im * im;
        if (squared === 0) continue; // a null subcarrier
        power += squared;
        weight++;
      }
      out[t * GROUPS + g] = 0.5 * Math.log(weight > 0 ? power / weight + 1e-12 : 1e-12);
    }
  }
  return out;
}

/** Where each band begins among the subcarriers, and where the last one ends. */
function bandsOf(link: { readonly layout: string; readonly subcarriers: Int16Array }): Int32Array {
  const { subcarriers } = link;
  const count = subcarriers.length;
  if (count < GROUPS) {
    throw new RangeError(
      `infer-pose needs ${GROUPS} subcarriers or more; layout ${link.layout} has ${count}`,
    );
  }
  const spacing = subcarrierSpacing(link.layout.split('/', 1)[0] as TrainingField);
  const middle = (subcarriers[0]! + subcarriers[count - 1]!) / 2;
  const isUsed = (k: number) => Math.abs(subcarriers[k]! - middle) * spacing <= SPAN / 2;
  let first = 0;
  while (first < count && !isUsed(first)) first++;
  let used = 0;
  while (first + used < count && isUsed(first + used)) used++;
  return Int32Array.from({ length: GROUPS + 1 }, (_, g) => first + Math.ceil((g * used) / GROUPS));
}

/** The empty room's profile of a link: mean log-amplitude of each band over points. */
export function profileOf(amplitude: LogAmplitude): Float32Array {
  const profile = new Float32Array(GROUPS);
  const points = amplitude.length / GROUPS;
  for (let i = 0; i < amplitude.length; i++) profile[i % GROUPS]! += amplitude[i]! / points;
  return profile;
}

/** Data of a link besides its amplitudes. */
export interface LinkFacts {
  /** Mean log-amplitude of each band in the empty room, or null if not measured. */
  readonly profile: ArrayLike<number> | null;
  /** Share of the points without a frame near enough, 0 to 1. */
  readonly gapShare: number;
  /** Frames per point: below 1 neighbouring points are correlated, because they are interpolated. */
  readonly frameRate: number;
  readonly centreMhz: number;
  /** By how many decibels all changes are reduced, because people change the channel more than in training. */
  readonly reducedDb: number;
}

/**
 * The features of one link from `POINTS` rows of log-amplitudes that start at row `start`.
 *
 * @param out receives LINK_FEATURES numbers from `at` on, each of about unit size
 */
export function linkFeatures(
  amplitude: LogAmplitude,
  start: number,
  { profile, gapShare, frameRate, centreMhz, reducedDb }: LinkFacts,
  out: Float32Array,
  at: number,
): void {
  const kept = 10 ** (-reducedDb / 20);
  const means = splitOff(amplitude, start * GROUPS, kept);
  const { course, level } = scratch;
  const jitter = jitterShare(course, level);
  const variance = new Float64Array(GROUPS);
  let common = 0;
  for (let t = 0; t < POINTS; t++) {
    for (let g = 0; g < GROUPS; g++) {
      const dynamic = course[t * GROUPS + g]! - jitter * level[t]!;
      course[t * GROUPS + g] = dynamic;
      variance[g]! += (dynamic * dynamic) / POINTS;
      out[at + t * GROUPS + g] = clamp(5 * dynamic, 4);
    }
    common += ((1 - jitter) * level[t]!) ** 2 / POINTS;
  }
  dopplerMap(course, out, at + COURSE);

  const overall = mean(means);
  let next = CALIBRATED.start + at;
  let difference = 0;
  for (let g = 0; g < GROUPS; g++) {
    const shift = profile ? weakened(means[g]! - profile[g]!, kept) : 0;
    difference += shift / GROUPS;
    out[next++] = clamp(3 * shift, 4);
  }
  out[next++] = clamp(3 * difference, 4);
  out[next++] = profile ? 1 : 0;
  for (let g = 0; g < GROUPS; g++) out[next++] = clamp(2 * (means[g]! - overall), 4);
  for (let g = 0; g < GROUPS; g++) out[next++] = spread(variance[g]!);
  for (let g = 0; g < GROUPS; g++) {
    // Speed of changes: mean square of first differences over twice the variance, 0 (slow) to about 1
    // (white).
    let change = 0;
    for (let t = 1; t < POINTS; t++) {
      change += (course[t * GROUPS + g]! - course[(t - 1) * GROUPS + g]!) ** 2 / (POINTS - 1);
    }
    out[next++] = clamp(change / (2 * variance[g]! + 1e-9), 4);
  }
  out[next++] = spread(common);
  out[next++] = gapShare;
  out[next++] = clamp(frameRate, 2) - 1;
  out[next++] = (centreMhz - 3800) / 1400;
}

/**
 * How strongly a channel changes in a window, relative to its mean power: the mean square of the log-amplitudes without
 * their means and the jitter of gains, bands weighted by their mean power. Where static paths cancel each other, the
 * same echo changes the logarithm more.
 */
export function changeOf(amplitude: LogAmplitude): number {
  const means = splitOff(amplitude, 0, 1);
  const { course, level } = scratch;
  const jitter = jitterShare(course, level);
  const power = means.map((band) => Math.exp(2 * band));
  let sum = 0;
  for (let t = 0, i = 0; t < POINTS; t++)
    for (let g = 0; g < GROUPS; g++, i++) sum += power[g]! * (course[i]! - jitter * level[t]!) ** 2;
  return sum / (POINTS * power.reduce((total, one) => total + one, 0));
}

/**
 * Fills the scratch's course and level from the amplitudes from `from` on; returns the mean of each band.
 * @param kept the share of all changes that stays
 */
function splitOff(amplitude: LogAmplitude, from: number, kept: number): Float64Array {
  const { course, level } = scratch;
  const mean = new Float64Array(GROUPS);
  for (let t = 0, i = from; t < POINTS; t++)
    for (let g = 0; g < GROUPS; g++, i++) mean[g]! += amplitude[i]! / POINTS;
  for (let t = 0, i = 0; t < POINTS; t++) {
    let sum = 0;
    for (let g = 0; g < GROUPS; g++, i++) {
      const one = weakened(amplitude[from + i]! - mean[g]!, kept);
      course[i] = one;
      sum += one / GROUPS;
    }
    level[t] = sum;
  }
  return mean;
}

/** A change of a logarithm, if what changes the amplitude were only this share of it: exact for waves in phase. */
const weakened = (change: number, kept: number): number =>
  kept === 1 ? change : Math.log1p(kept * Math.expm1(change));

/** Log of a standard deviation, scaled to about -1.5 to 1.5 for 0.01 to 0.5. */
const spread = (variance: number): number => (Math.log(Math.sqrt(variance) + 1e-3) + 2.7) / 1.3;

const clamp = (value: number, limit: number): number =>
  value < -limit ? -limit : value > limit ? limit : value;

const scratch = { course: new Float64Array(COURSE), level: new Float64Array(POINTS) };
