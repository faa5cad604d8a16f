import { describe, expect, it } from 'vitest';
import { butterworth, responseSize, sosFilter } from '../../operators/denoise/butterworth.js';
import { denoise } from '../../operators/denoise/denoise.js';
import { principalComponents, Subspace } from '../../operators/denoise/pca.js';
import { fitWeights, savitzkyGolay } from '../../operators/denoise/savitzky-golay.js';
import { denoiseByWavelet, SlidingShrinkage } from '../../operators/denoise/wavelet.js';
import type { CsiBlock } from '../../pipeline/model/index.js';
import { withDefaults } from '../kit/definition.js';
import { operatorConformance } from '../kit/operator.js';
import { badCsi, csiInput } from '../kit/csi-input.js';
import { testContext } from '../support/context.js';
import { breaksNothing } from './bad-links.js';
import { expectRelative } from './close.js';
import { blockOf, golden, layoutOf, outputs } from './frames.js';

const reference = golden();
type Settings = Parameters<typeof denoise.create>[0];
const make = (settings: Partial<Settings>) =>
  denoise.create(withDefaults(denoise, settings) as Settings, testContext().context);

const one = layoutOf({ subcarriers: Int16Array.of(1) });
/**
 * Sends a series through the operator as one subcarrier: as its real part, or as its amplitude with a
 * rotating phase. Returns the output with its sign.
 */
function throughOperator(settings: Partial<Settings>, series: readonly number[]): number[] {
  const phases = series.map((_, i) => (settings.part === 'complex' ? 0 : 0.7 * i));
  const frames = series.map((value, i) => ({
    values: [value * Math.cos(phases[i]!), value * Math.sin(phases[i]!)],
  }));
  const [block] = outputs(make(settings), [blockOf(one, frames)]) as [CsiBlock];
  return phases.map(
    (phase, i) => block.values[2 * i]! * Math.cos(phase) + block.values[2 * i + 1]! * Math.sin(phase),
  );
}

describe.skipIf(!reference)('against numpy, scipy and pywavelets', () => {
  const x = reference?.x_spiky ?? [];

  it('savitzky-golay equals savgol_filter(11, 3)', () => {
    expectRelative(savitzkyGolay(x, 11, 3), reference!.savgol_11_3_interp, 1e-9);
  });

  it('the operator emits the newest value of that fit, in Float32', () => {
    // The reference's last value is that of the polynomial through the last eleven samples.
    const found = throughOperator({ method: 'savitzky-golay', window: 11, degree: 3, part: 'complex' }, x);
    const expected = x.map((_, i) =>
      i < 10 ? found[i]! : savitzkyGolay(x.slice(i - 10, i + 1), 11, 3).at(-1)!,
    );
    expect(expected.at(-1)).toBeCloseTo(reference!.savgol_11_3_interp.at(-1)!, 9);
    expectRelative(found, expected, 1e-4);
  });

  it('butterworth has the sections of scipy, and filters like sosfilt and lfilter', () => {
    const sections = butterworth(4, { low: 2, high: 60, rate: 500 });
    expectRelative(
      sections.flatMap(([b0, b1, b2, a1, a2]) => [b0, b1, b2, 1, a1, a2]),
      reference!.butter4_bp_sos.flat(),
      1e-9,
    );
    expectRelative(sosFilter(sections, x), reference!.butter4_bp_sosfilt, 1e-9);
    // The direct form of eight poles is itself no more accurate.
    expectRelative(sosFilter(sections, x), reference!.butter4_bp_lfilter, 1e-8);
  });

  it('a low-pass of order 5 in both directions equals filtfilt in the middle', () => {
    const sections = butterworth(5, { high: 10, rate: 500 });
    const { b, a } = reference!.butter5_lp_10_filtfilt;
    const response = (c: readonly number[], omega: number) =>
      Math.hypot(
        c.reduce((sum, value, i) => sum + value * Math.cos(i * omega), 0),
        c.reduce((sum, value, i) => sum + value * Math.sin(i * omega), 0),
      );
    for (const omega of [0.3, 0.5, 1, 2])
      expect(responseSize(sections, omega) / (response(b, omega) / response(a, omega))).toBeCloseTo(1, 6);
  });

  it('the operator filters in Float32 after a frame of zeros', () => {
    const settings = {
      method: 'butterworth',
      low_hz: 2,
      high_hz: 60,
      rate_hz: 500,
      part: 'complex',
    } as const;
    const found = throughOperator(settings, [0, ...x]).slice(1);
    expectRelative(found, reference!.butter4_bp_sosfilt, 1e-4);
  });

  it.each(['sym3', 'db4'] as const)('wavelets of %s equal wden', (name) => {
    const expected = reference![`wden_${name}_l4`];
    const { y, sigma, threshold, finest } = denoiseByWavelet(x, name, 4);
    expect(sigma).toBeCloseTo(expected.sigma, 12);
    expect(threshold).toBeCloseTo(expected.thr, 12);
    expectRelative(
      finest,
      expected.cD1.map((value) => Math.sign(value) * Math.max(0, Math.abs(value) - expected.thr)),
      1e-9,
    );
    expectRelative(y, expected.y, 1e-9);
    const found = throughOperator({ method: 'wavelet', wavelet: name, history: 256, part: 'complex' }, x);
    expect(Math.abs(found.at(-1)! / expected.y.at(-1)! - 1)).toBeLessThan(1e-4);
  });

  it('principal components equal eigh of the covariance', () => {
    const { eig5, pc1, score1, score2 } = reference!.pca_amp_a0;
    // The reference has scores and the first component: data of rank two with these.
    const second = pc1.map((_, i) => (i === 0 ? -pc1[1]! : i === 1 ? pc1[0]! : 0));
    const length = Math.hypot(...second);
    const data = Float64Array.from({ length: 256 * 30 }, (_, i) => {
      const [row, column] = [Math.floor(i / 30), i % 30];
      return 3 + score1[row]! * pc1[column]! + (score2[row]! * second[column]!) / length;
    });
    const { variances, components, scores } = principalComponents(data, 30);
    expectRelative(variances.slice(0, 2), eig5.slice(0, 2), 1e-9);
    expectRelative(components.slice(0, 30), pc1, 1e-9);
    expectRelative(
      score1.map((_, row) => scores[row * 30]!),
      score1,
      1e-9,
    );
  });
});

describe('savitzky-golay', () => {
  it('follows a polynomial of its degree without delay, from the first frame', () => {
    const series = Array.from({ length: 40 }, (_, i) => 50 + i - 0.02 * i * i);
    const found = throughOperator({ method: 'savitzky-golay', window: 9, degree: 2 }, series);
    expectRelative(found, series, 1e-6);
  });

  it('weights of a fit through all samples pick the sample', () => {
    expectRelative(fitWeights(4, 3, 2), [0, 0, 1, 0], 1e-12);
  });
});

describe('butterworth', () => {
  const half = Math.SQRT1_2;

  it.each([1, 2, 3, 4, 5, 8])('of order %i passes its band, and halves the power at its limits', (order) => {
    const at = (frequency: number, rate: number) => (2 * Math.PI * frequency) / rate;
    const low = butterworth(order, { high: 10, rate: 100 });
    expect(responseSize(low, 0)).toBeCloseTo(1, 9);
    expect(responseSize(low, at(10, 100))).toBeCloseTo(half, 9);
    const high = butterworth(order, { low: 10, rate: 100 });
    expect(responseSize(high, Math.PI)).toBeCloseTo(1, 9);
    expect(responseSize(high, at(10, 100))).toBeCloseTo(half, 9);
    const band = butterworth(order, { low: 2, high: 60, rate: 500 });
    expect(responseSize(band, at(2, 500))).toBeCloseTo(half, 6);
    expect(responseSize(band, at(60, 500))).toBeCloseTo(half, 6);
    for (const sections of [low, high, band])
      for (const [, , , a1, a2] of sections) expect(Math.abs(a2) < 1 && Math.abs(a1) < 1 + a2).toBe(true);
  });

  it('starts in the steady state of the first frame', () => {
    const still = new Array<number>(50).fill(20);
    const low = { method: 'butterworth', high_hz: 5, rate_hz: 100 } as const;
    expectRelative(throughOperator(low, still), still, 1e-6);
    for (const value of throughOperator({ ...low, high_hz: undefined, low_hz: 5 } as never, still))
      expect(Math.abs(value)).toBeLessThan(1e-5);
  });

  it('restarts after a pause', () => {
    const operator = make({ method: 'butterworth', high_hz: 1, rate_hz: 100, max_gap_ms: 500 });
    const frames = [10, 10, 90].map((re, i) => ({ values: [re, 0], time: [0, 10_000, 600_000][i]! }));
    const [block] = outputs(operator, [blockOf(one, frames)]) as [CsiBlock];
    expect(block.values[4]).toBeCloseTo(90, 4);
  });

  it.each([
    [{ rate_hz: undefined, high_hz: 5 }, []],
    [{ rate_hz: 100 }, []],
    [{ rate_hz: 100, low_hz: 8, high_hz: 5 }, ['low_hz']],
    [{ rate_hz: 100, high_hz: 50 }, ['high_hz']],
    [{ rate_hz: 100, low_hz: 60 }, ['low_hz']],
  ])('rejects %o', (settings, path) => {
    const all = withDefaults(denoise, { method: 'butterworth', ...settings }) as Settings;
    expect(denoise.check!(all).map((complaint) => complaint.path)).toEqual([path]);
  });
});

describe('wavelet', () => {
  it('emits the last value of the window denoised at once, for each frame', () => {
    const series = Array.from({ length: 60 }, (_, i) => 20 + 5 * Math.sin(i / 5) + ((i * 37) % 11) / 4);
    const filter = new SlidingShrinkage(1, 'db4', 3, 32);
    const row = new Float64Array(1);
    const found = series.map((value) => {
      row[0] = value;
      filter.apply(row);
      return row[0];
    });
    const expected = series.map((_, i) =>
      denoiseByWavelet(series.slice(Math.max(0, i - 31), i + 1), 'db4', 3).y.at(-1)!,
    );
    expectRelative(found, expected, 1e-12);
  });
});

describe('pca', () => {
  it('finds the components of the covariance, and removes the rest', () => {
    const columns = 12;
    const course = (row: number, column: number) =>
      10 + 3 * Math.sin(row / 3) * Math.cos(column / 4) + Math.cos(row / 2) * Math.sin(column / 2);
    const rows = Array.from({ length: 200 }, (_, row) =>
      Float64Array.from({ length: columns }, (_, column) => course(row, column)),
    );
    const filter = new Subspace(columns, 2, 48);
    for (const [i, row] of rows.entries()) {
      const clean = row.slice();
      // An outlier of one column is not a component of many.
      if (i === 190) row[5]! += 1;
      filter.apply(row);
      if (i === 189) expectRelative(row, clean, 1e-9);
      if (i === 190) expect(Math.abs(row[5]! - clean[5]!)).toBeLessThan(0.5);
    }
  });
});

it('the median covers the last frames', () => {
  const found = throughOperator({ method: 'median', window: 3 }, [1, 5, 2, 9, 3, 3, 8]);
  expectRelative(found, [1, 3, 2, 5, 3, 3, 3], 1e-6);
});

describe.each([
  { method: 'hampel' },
  { method: 'median' },
  { method: 'savitzky-golay' },
  { method: 'butterworth', high_hz: 20, rate_hz: 100 },
  { method: 'butterworth', low_hz: 2, high_hz: 20, rate_hz: 100, part: 'complex' },
  { method: 'wavelet', history: 16, levels: 2 },
  { method: 'pca', history: 16 },
] as const)('%o', (settings) => {
  breaksNothing(denoise, settings);
  operatorConformance(`denoise ${settings.method}`, {
    component: denoise,
    config: settings,
    input: () => csiInput(0.2),
    bad: badCsi,
    runs: 2,
  });
});
