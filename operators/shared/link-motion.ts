import type { Window, WindowLink } from '../../pipeline/model/index.js';
import { levelChangeOf, type LevelChange } from './level-motion.js';
import {
  autocorrelation,
  centre,
  chanceOf,
  changeOver,
  meanOf,
  normalise,
  validPoints,
  type NormalisedWindow,
  type Change,
} from './motion.js';
import { varietyOf } from './variety.js';

/** The shortest lag at which movement is distinguishable from noise, microseconds; see docs/reports/motion.md. */
const CORRELATION_LAG = 20_000;
/** The lag of the change of energy, microseconds. */
const ENERGY_LAG = 250_000;
/** Margin for chance in the autocorrelation, in its standard deviations. */
const CHANCE = 2;
/** Similarity of neighbouring carriers in any empty room, if it persists at all. */
const COMMON = 0.1;
/** Usual autocorrelation from which changes are certainly not independent noise in each frame. */
const LASTING = 0.1;
/** Energy of change from which somebody moves near, if it is no switch between a few states: -20 dB. */
const STRONG = -2;
/** So many frames of a window show how much it varies. */
const VARIED_FRAMES = 50;
/** Numbers in a profile: groups of neighbouring carriers. */
export const PROFILE = 12;

/** Result of one link over one window. */
export interface LinkMotion extends Change {
  /** Autocorrelation at the shortest lag without noise; NaN if unknown. */
  readonly correlation: number;
  /** Its standard deviation by chance; NaN if unknown. */
  readonly chance: number;
  /**
   * Share of strong change that neighbouring carriers have in common and that is no switch between a few
   * states; 0 if the change is weak, or if it persists from frame to frame anyway.
   */
  readonly fading: number;
  readonly level: LevelChange;
  /** Logarithm of the mean amplitude of each group of carriers. */
  readonly profile: Float64Array;
}

export function linkMotion(
  link: Pick<WindowLink, 'values' | 'gaps' | 'frames'>,
  { step, points }: Pick<Window, 'step' | 'points'>,
): LinkMotion {
  if (scratch.length < link.values.length / 2) scratch = new Float64Array(link.values.length / 2);
  const window = normalise(link, scratch);
  const energyLag = Math.max(1, Math.min(Math.round(ENERGY_LAG / step), points >> 1));
  const change = changeOver(window, energyLag);
  const mean = meanOf(window);
  centre(window, mean);
  const period = (points * step) / link.frames;
  const stride = Math.max(1, Math.round(period / step));
  const lag = lagOf(period, step);
  const correlation = autocorrelation(window, lag);
  const chance = chanceOf(window, stride);
  const isOpen = change.energy > STRONG && correlation < CHANCE * chance + COMMON;
  return {
    correlation,
    chance,
    fading: isOpen ? fadingOf(window, stride, change) : 0,
    ...change,
    level: levelChangeOf(
      window,
      { energy: energyLag, covariance: lag, frame: Math.round(period / step) },
      { frames: link.frames, duration: (points * step) / 1e6 },
    ),
    profile: profileOf(mean),
  };
}

function fadingOf(window: NormalisedWindow, stride: number, { smoothness }: Change): number {
  const apart = Math.max(stride, Math.ceil(window.points / VARIED_FRAMES));
  return Math.max(0, smoothness + varietyOf(window, validPoints(window, apart)) - 1);
}

/** For a window's amplitudes: one is processed at a time, and new memory costs as much as the computation. */
let scratch = new Float64Array(0);

/** False if too few points of the window are measurements to tell movement from noise. */
export const isMeasured = ({ correlation, chance, energy, smoothness }: LinkMotion): boolean =>
  Number.isFinite(correlation + chance + energy + smoothness);

/**
 * Motion of a link, 0 (noise) to 1 (slow strong movement). Movement persists from frame to frame, and is
 * similar in neighbouring carriers. The first criterion detects weak slow movement at high frame rates; the
 * second strong movement at any rate, if it persists at all; the third strong movement that is too fast for
 * the frame rate to persist. Receivers and transmitters that alternate also change all carriers, independently
 * in each frame, but only between a few states.
 *
 * @param usual mean autocorrelation of the last `windows` windows
 */
export function motionOf(
  { correlation, chance, smoothness, fading }: LinkMotion,
  usual: number,
  windows: number,
): number {
  const lasting = Math.min(1, Math.max(0, usual - (CHANCE * chance) / Math.sqrt(windows)) / LASTING);
  return Math.min(
    1,
    Math.max(0, correlation - CHANCE * chance, smoothness * lasting - COMMON, fading - COMMON),
  );
}

/**
 * Distance of points that share no frame. A point lies between two frames and is computed from both, so
 * points up to two periods apart share part of their noise, which looks like slow movement. Points are
 * independent only if frames arrive at least twice as often.
 */
function lagOf(period: number, step: number): number {
  const shared = period > step / 2 ? Math.floor((2 * period) / step) + 1 : 1;
  return Math.max(shared, Math.round(CORRELATION_LAG / step), 1);
}

function profileOf(mean: Float64Array): Float64Array {
  const profile = new Float64Array(PROFILE);
  for (let group = 0; group < PROFILE; group++) {
    const from = Math.floor((group * mean.length) / PROFILE);
    const to = Math.max(from + 1, Math.floor(((group + 1) * mean.length) / PROFILE));
    let sum = 0;
    for (let k = from; k < to; k++) sum += mean[k]!;
    profile[group] = Math.log(Math.max(1e-3, sum / (to - from)));
  }
  return profile;
}
