import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { doppler } from '../../operators/doppler/doppler.js';
import { DopplerSpectrum, gaussian, hann } from '../../operators/shared/doppler-spectrum.js';
import { Fourier } from '../../operators/shared/fourier.js';
import type { Measure } from '../../pipeline/model/index.js';
import { withDefaults } from '../kit/definition.js';
import { testContext } from '../support/context.js';
import { expectRelative } from './close.js';
import { arbitraryBlock, blockOf, golden, layoutOf, outputs } from './frames.js';

const reference = golden();
type Settings = Parameters<typeof doppler.create>[0];
const make = (settings: Partial<Settings>) =>
  doppler.create(withDefaults(doppler, settings) as Settings, testContext().context);

describe.skipIf(!reference)('against scipy', () => {
  const { re, im } = reference?.ratio_a1a0_k10 ?? { re: [], im: [] };
  const mean = (of: readonly number[]) => of.reduce((sum, value) => sum + value, 0) / of.length;
  /** The ratio minus its mean, padded with zeros. */
  const series = (from: number, count: number) =>
    Float64Array.from({ length: 2 * count }, (_, i) => {
      const [at, part] = [from + (i >> 1), i % 2 === 0 ? re : im];
      return at >= 0 && at < re.length ? part[at]! - mean(part) : 0;
    });

  it('equals the power of scipy.signal.stft with a Gaussian window', () => {
    const { P } = reference!.stft_ratio_gauss16_64_48_128_abs2;
    const window = gaussian(64, 16);
    const scale = window.reduce((sum, weight) => sum + weight, 0) ** 2;
    const spectrum = new DopplerSpectrum(window, 128);
    for (let segment = 0; segment < 17; segment++) {
      spectrum.clear();
      spectrum.add(series(16 * segment - 32, 64), (i) => 2 * i, 0, 0);
      const found = Array.from({ length: 128 }, (_, k) => spectrum.power[(k + 64) % 128]! / scale);
      expectRelative(
        found,
        P.map((row) => row[segment]!),
        1e-9,
      );
    }
  });

  it("equals SHARP's spectrum: Hann, 31 packets, 100 frequencies", () => {
    const spectrum = new DopplerSpectrum(hann(31), 100);
    spectrum.add(series(0, 31), (i) => 2 * i, 0, 0);
    expectRelative(spectrum.power, reference!.sharp_doppler_0, 1e-9);
  });
});

it('the transform matches its definition, for any length', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), (length) => {
      const input = Float64Array.from({ length: 2 * length }, (_, i) => Math.sin(i * i + 1));
      const fourier = new Fourier(length);
      fourier.transform(input);
      const wanted = Array.from({ length }, (_, k) => {
        let [re, im] = [0, 0];
        for (let i = 0; i < length; i++) {
          const [c, s] = [Math.cos((2 * Math.PI * i * k) / length), Math.sin((2 * Math.PI * i * k) / length)];
          re += input[2 * i]! * c + input[2 * i + 1]! * s;
          im += input[2 * i + 1]! * c - input[2 * i]! * s;
        }
        return [re, im];
      });
      expectRelative(fourier.output, wanted.flat(), 1e-9);
    }),
  );
});

/** A static path and one that rotates at a frequency, on two subcarriers, at 100 frames per second. */
const moving = (hz: number, frames: number, from = 0) => {
  const layout = layoutOf({ subcarriers: Int16Array.of(1, 2) });
  const values = Array.from({ length: frames }, (_, i) => {
    const angle = (2 * Math.PI * hz * (from + i)) / 100;
    return [20 + Math.cos(angle), Math.sin(angle), 15 - Math.sin(angle), Math.cos(angle)];
  });
  return blockOf(
    layout,
    values.map((row, i) => ({ values: row, time: (from + i) * 10_000 })),
  );
};

describe('doppler', () => {
  it.each([
    ['stft', 12],
    ['stft', -30],
    ['sharp', 20],
    ['sharp', -8],
  ] as const)('%s finds a path that turns at %i Hz, and its direction', (method, hz) => {
    const measures = outputs(make({ method }), [moving(hz, 64)]) as Measure[];
    const last = (name: string) => measures.filter((measure) => measure.name === name).at(-1)!;
    expect(last('doppler_shift_hz').value).toBeCloseTo(hz, 0);
    expect(Math.abs(last('doppler_edge_hz').value - Math.abs(hz))).toBeLessThan(5);
    expect(last('doppler_shift_hz')).toMatchObject({ subject: 'link-1', environment: 'test-room' });
  });

  it('transforms every `hop` frames once a window is full, and restarts after a pause', () => {
    const operator = make({ window: 16, hop: 5 });
    const times = (block: ReturnType<typeof moving>) =>
      (outputs(operator, [block]) as Measure[]).map(({ time }) => time / 10_000);
    expect(times(moving(5, 27))).toEqual([15, 15, 20, 20, 25, 25]);
    expect(times(moving(5, 16, 100))).toEqual([115, 115]);
  });

  it('gives finite numbers for any input', () => {
    fc.assert(
      fc.property(arbitraryBlock(), (block) => {
        const measures = outputs(make({ window: 8, hop: 1 }), [block]) as Measure[];
        expect(measures.every(({ value }) => Number.isFinite(value))).toBe(true);
      }),
      { numRuns: 8 },
    );
  });
});
