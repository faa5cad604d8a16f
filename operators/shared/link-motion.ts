import type { Window, WindowLink } from '../../pipeline/model/index.js';
import { autocorrelation, centred, chanceOf, changeOver, meanOf, normalise, type Change } from './motion.js';

/** The least lag at which movement is told from noise, microseconds; see docs/reports/motion.md. */
const CORRELATION_LAG = 20_000;
/** The lag of the change of energy, microseconds. */
const ENERGY_LAG = 250_000;
/** What chance may add to the autocorrelation, in its standard deviations. */
const CHANCE = 2;
/** What neighbouring carriers have in common in any empty room, where that lasts at all. */
const COMMON = 0.1;
/** Usual autocorrelation from which on it is sure that what changes is not another noise in each frame. */
const LASTING = 0.1;
/** Numbers of a profile: groups of neighbouring carriers. */
export const PROFILE = 12;

/** What one link says over one window. */
export interface LinkMotion extends Change {
  /** Autocorrelation at the least lag at which noise has none; NaN where nothing can be told. */
  readonly correlation: number;
  /** Its standard deviation by chance. */
  readonly chance: number;
  /** Logarithm of the mean amplitude of each group of carriers. */
  readonly profile: Float64Array;
}

export function linkMotion(
  link: Pick<WindowLink, 'values' | 'gaps' | 'frames'>,
  { step, points }: Pick<Window, 'step' | 'points'>,
): LinkMotion {
  const normalised = normalise(link);
  const mean = meanOf(normalised);
  const values = centred(normalised, mean);
  const period = (points * step) / link.frames;
  const chance = chanceOf(values, Math.max(1, Math.round(period / step)));
  const energyLag = Math.max(1, Math.min(Math.round(ENERGY_LAG / step), points >> 1));
  return {
    correlation: autocorrelation(values, lagOf(period, step)),
    chance,
    ...changeOver(normalised, energyLag),
    profile: profileOf(mean),
  };
}

/**
 * Motion of a link, 0 (noise) to 1 (slow strong movement). Movement lasts from frame to frame, and is alike in
 * neighbouring carriers. The first shows weak slow movement at many frames a second; the second strong movement at any
 * rate, where it lasts at all: receivers and transmitters that alternate change all carriers, but anew in each frame.
 *
 * @param usual mean autocorrelation of the last `windows` windows
 */
export function motionOf(
  { correlation, chance, smoothness }: LinkMotion,
  usual: number,
  windows: number,
): number {
  const lasting = Math.min(1, Math.max(0, usual - (CHANCE * chance) / Math.sqrt(windows)) / LASTING);
  return Math.min(1, Math.max(0, correlation - CHANCE * chance, smoothness * lasting - COMMON));
}

/**
 * Points between which no frame is shared. A point lies between two frames and is made of both, so the noise of points
 * up to two periods apart is the same in part, and looks like slow movement. Only where frames come at least twice as
 * often as points is each point its own.
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
