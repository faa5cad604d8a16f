import { describe, expect, it } from 'vitest';
import { normalizeGain } from '../../operators/normalize-gain/normalize-gain.js';
import type { CsiBlock } from '../../pipeline/model/index.js';
import { testContext } from '../support/context.js';
import { breaksNothing } from './bad-links.js';
import { expectRelative } from './close.js';
import { blockOf, golden, goldenFrames, layoutOf, outputs } from './frames.js';

type Method = Parameters<typeof normalizeGain.create>[0]['method'];
const make = (method: Method) => {
  const { context, recorded } = testContext();
  return { operator: normalizeGain.create({ method }, context), recorded };
};
const two = layoutOf({ rx: 2, subcarriers: Int16Array.of(1) });
/** Amplitudes of both antennas of each frame; the second one's phase is a quarter turn. */
const block = (pairs: readonly (readonly [number, number])[]) =>
  blockOf(
    two,
    pairs.map(([a, b]) => ({ values: [a, 0, 0, b] })),
  );
const amplitudes = (found: CsiBlock) =>
  Array.from({ length: found.values.length / 2 }, (_, i) =>
    Math.hypot(found.values[2 * i]!, found.values[2 * i + 1]!),
  );

it.skipIf(!golden())('`mean` equals numpy, antenna by antenna', () => {
  const { layout, frames } = goldenFrames(golden()!);
  const alone = layoutOf({ subcarriers: layout.subcarriers });
  const [found] = outputs(make('mean').operator, [
    blockOf(
      alone,
      frames.map((values) => ({ values: values.slice(0, 60) })),
    ),
  ]) as [CsiBlock];
  expectRelative(amplitudes(found), golden()!.ampnorm_first8_a0.flat(), 1e-6);
});

it('`mean` makes the mean amplitude of each frame 1, and keeps phases', () => {
  const [found] = outputs(make('mean').operator, [
    block([
      [1, 3],
      [20, 60],
    ]),
  ]) as [CsiBlock];
  expectRelative(found.values, [0.5, 0, 0, 1.5, 0.5, 0, 0, 1.5], 1e-6);
});

it('`rss` gives the received power', () => {
  const frames = block([[3, 4]]);
  frames.rssi[0] = -20;
  const [found] = outputs(make('rss').operator, [frames]) as [CsiBlock];
  expectRelative([amplitudes(found).reduce((sum, a) => sum + a * a, 0) / 2], [0.01], 1e-6);
});

it('`snr` is the scale of get_scaled_csi.m', () => {
  const frames = block([[3, 4]]);
  frames.rssi[0] = -60;
  const scale = 1e-6 / (3 * 3 + 4 * 4);
  const factor = (noise: number) => Math.sqrt(scale / (10 ** (noise / 10) + 2 * scale));
  const [assumed] = outputs(make('snr').operator, [frames]) as [CsiBlock];
  expectRelative(amplitudes(assumed), [3 * factor(-92), 4 * factor(-92)], 1e-6);
  frames.noise[0] = -80;
  const [known] = outputs(make('snr').operator, [frames]) as [CsiBlock];
  expectRelative(amplitudes(known), [3 * factor(-80), 4 * factor(-80)], 1e-6);
});

it('`gain` removes the reported gain, by antenna, relative to the first frame', () => {
  const frames = block([
    [1, 1],
    [10, 2],
    [10, 2],
  ]);
  frames.agc.set([30, 30, 50, 36, 40, 26]);
  frames.fftGain.set([0, 0, 10]);
  const [found] = outputs(make('gain').operator, [frames]) as [CsiBlock];
  const six = 10 ** (-6 / 20);
  expectRelative(amplitudes(found), [1, 1, 1, 2 * six, 1, 2 * 10 ** (-6 / 20)], 1e-6);
});

it.each(['rss', 'snr', 'gain'] as const)('`%s` drops frames without its inputs, and reports it', (method) => {
  const { operator, recorded } = make(method);
  const frames = block([[1, 2]]);
  frames.rssi.fill(NaN);
  expect(outputs(operator, [frames])).toEqual([]);
  expect(recorded.dropped).toEqual({ gain_unknown: 1 });
  expect(recorded.problem).toMatch(
    /^link link-1 (has no RSSI|does not report its gain): use `method: mean`$/,
  );
  frames.rssi.fill(-50);
  frames.agc.fill(30);
  outputs(operator, [frames]);
  expect(recorded.problem).toBeNull();
});

it('drops frames without an amplitude', () => {
  const { operator, recorded } = make('mean');
  expect(
    outputs(operator, [
      block([
        [0, 0],
        [NaN, NaN],
      ]),
    ]),
  ).toEqual([]);
  expect(recorded.dropped).toEqual({ no_amplitude: 2 });
  expect(recorded.problem).toBeNull();
});

describe('any input', () => {
  breaksNothing(normalizeGain, {}, false);
});
