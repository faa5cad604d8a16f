import { conjugateMultiply } from '../../../operators/conjugate-multiply/conjugate-multiply.js';
import { csiRatio } from '../../../operators/csi-ratio/csi-ratio.js';
import { denoise } from '../../../operators/denoise/denoise.js';
import { normalizeGain } from '../../../operators/normalize-gain/normalize-gain.js';
import { phaseSanitize } from '../../../operators/phase-sanitize/phase-sanitize.js';
import { median } from '../../../operators/shared/median.js';
import { frameSize, type CsiBlock } from '../../../pipeline/model/index.js';
import { through, type Step } from './frames.js';

const RATE_HZ = 1000;
/** Frames skipped at the start, while filters settle. */
const SETTLING = 300;

/** Methods in the terms of a topology. */
export const PHASE_METHODS: Readonly<Record<string, readonly Step[]>> = {
  none: [],
  'phase-sanitize, linear': [{ component: phaseSanitize, settings: { method: 'linear' } }],
  'phase-sanitize, spotfi': [{ component: phaseSanitize, settings: { method: 'spotfi' } }],
  'phase-sanitize, sharp': [{ component: phaseSanitize, settings: { method: 'sharp' } }],
  'csi-ratio': [{ component: csiRatio }],
  'conjugate-multiply': [{ component: conjugateMultiply }],
};

export const AMPLITUDE_METHODS: Readonly<Record<string, readonly Step[]>> = {
  none: [],
  'normalize-gain, mean': [{ component: normalizeGain, settings: { method: 'mean' } }],
  'normalize-gain, snr': [{ component: normalizeGain, settings: { method: 'snr' } }],
  'denoise, hampel': [{ component: denoise }],
  'denoise, median': [{ component: denoise, settings: { method: 'median' } }],
  'denoise, savitzky-golay': [{ component: denoise, settings: { method: 'savitzky-golay' } }],
  'denoise, butterworth to 60 Hz': [
    { component: denoise, settings: { method: 'butterworth', high_hz: 60, rate_hz: RATE_HZ } },
  ],
  'denoise, wavelet': [{ component: denoise, settings: { method: 'wavelet' } }],
  'denoise, pca': [{ component: denoise, settings: { method: 'pca' } }],
  'normalize-gain mean, denoise pca': [
    { component: normalizeGain, settings: { method: 'mean' } },
    { component: denoise, settings: { method: 'pca' } },
  ],
};

/**
 * How much one quantity scatters over the frames of a still link: the median over antennas and subcarriers.
 */
export interface Scatter {
  readonly method: string;
  /**
   * Circular variance of the phase, 0 (none) to 1 (any phase), or the standard deviation of the amplitude
   * over its mean.
   */
  readonly value: number;
}

/** Circular variance 1 - |mean of exp(j phase)| over time of each column, after each method. */
export const phaseScatter = (frames: readonly CsiBlock[]): readonly Scatter[] =>
  Object.entries(PHASE_METHODS).map(([method, steps]) => ({
    method,
    value: medianOfColumns(settled(through(steps, frames)), (re, im) => {
      let [x, y] = [0, 0];
      re.forEach((value, i) => {
        const length = Math.hypot(value, im[i]!);
        if (length > 0) [x, y] = [x + value / length, y + im[i]! / length];
      });
      return 1 - Math.hypot(x, y) / re.length;
    }),
  }));

/** Standard deviation of the amplitude over its mean, of each column, after each method. */
export const amplitudeScatter = (frames: readonly CsiBlock[]): readonly Scatter[] =>
  Object.entries(AMPLITUDE_METHODS).map(([method, steps]) => ({
    method,
    value: medianOfColumns(settled(through(steps, frames)), (re, im) => {
      const amplitudes = re.map((value, i) => Math.hypot(value, im[i]!));
      const mean = amplitudes.reduce((sum, value) => sum + value, 0) / amplitudes.length;
      const power = amplitudes.reduce((sum, value) => sum + (value - mean) ** 2, 0) / amplitudes.length;
      return Math.sqrt(power) / mean;
    }),
  }));

const settled = (data: readonly unknown[]): readonly CsiBlock[] => data as readonly CsiBlock[];

/**
 * Applies a function to each column's real and imaginary parts over time, without the first frames; returns
 * the median.
 */
function medianOfColumns(
  blocks: readonly CsiBlock[],
  of: (re: Float64Array, im: Float64Array) => number,
): number {
  const size = frameSize(blocks[0]!.layout);
  const rows = blocks.flatMap((block) =>
    Array.from({ length: block.count }, (_, i) => block.values.subarray(i * size, (i + 1) * size)),
  );
  const kept = rows.slice(SETTLING);
  const values: number[] = [];
  for (let column = 0; column < size; column += 2)
    values.push(
      of(
        Float64Array.from(kept, (row) => row[column]!),
        Float64Array.from(kept, (row) => row[column + 1]!),
      ),
    );
  return median(values);
}
