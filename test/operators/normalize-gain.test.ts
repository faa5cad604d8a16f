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

describe('`steps`', () => {
  const one = layoutOf({ subcarriers: Int16Array.of(1, 2) });
  const powerAt = (frame: number) => 1e-6 * (1.4 + 0.4 * Math.sin(frame / 5));
  /** Frames of a channel of 1 to 1.8 nW, behind a receiver of these gains, dB, with RSSI in whole decibels. */
  const received = (gains: readonly number[]) => {
    const powers = gains.map((_, frame) => powerAt(frame));
    const frames = blockOf(
      one,
      gains.map((gain, frame) => {
        const amplitude = Math.sqrt(powers[frame]! * 10 ** (gain / 10));
        return { values: [amplitude, 0, 0, amplitude] };
      }),
    );
    frames.rssi.set(powers.map((power) => Math.round(10 * Math.log10(power))));
    const [found] = outputs(make('steps').operator, [frames]) as [CsiBlock];
    return { powers, found: amplitudes(found) };
  };
  const errorsDb = (gains: readonly number[], from: number) => {
    const { powers, found } = received(gains);
    return powers.slice(from).map((power, i) => {
      const amplitude = found[2 * (from + i)]!;
      return Math.abs(20 * Math.log10(amplitude) - 10 * Math.log10(power));
    });
  };

  it('gives the received power, with less rounding than RSSI once a gain has lasted', () => {
    const errors = errorsDb(Array<number>(400).fill(33), 100);
    expect(Math.max(...errors)).toBeLessThan(0.15);
  });

  it('follows a step of the gain at once, to the rounding of RSSI, and better within a second', () => {
    const gains = Array.from({ length: 600 }, (_, frame) => (frame < 300 ? 30 : 36));
    expect(Math.max(...errorsDb(gains, 300))).toBeLessThan(0.7);
    expect(Math.max(...errorsDb(gains, 400))).toBeLessThan(0.15);
  });

  it('tells the power behind a gain that follows each packet, to the rounding of RSSI and a step', () => {
    const hidden = Array.from({ length: 600 }, (_, frame) => -10 * Math.log10(powerAt(frame)));
    const errors = errorsDb(hidden, 10);
    expect(Math.max(...errors)).toBeLessThan(1.5);
    expect(Math.sqrt(errors.reduce((sum, error) => sum + error ** 2, 0) / errors.length)).toBeLessThan(0.45);
  });

  it('follows a drift', () => {
    const gains = Array.from({ length: 600 }, (_, frame) => 30 + frame / 100);
    expect(Math.max(...errorsDb(gains, 20))).toBeLessThan(0.7);
  });

  /** Frames with these RSSI, dBm. */
  const reported = (rssi: readonly number[]) => {
    const frames = blockOf(
      one,
      rssi.map(() => ({ values: [3, 4, 0, 1] })),
    );
    frames.rssi.set(rssi);
    return frames;
  };

  it('leaves a link without RSSI as it is, and says so once', () => {
    const { operator, recorded } = make('steps');
    const [found] = outputs(operator, [reported(Array<number>(250).fill(NaN))]) as [CsiBlock];
    expect(Array.from(found.values.slice(-4))).toEqual([3, 4, 0, 1]);
    expect(operator.describe!()).toEqual({ frames: { compensated: 0, assumed: 0, unchanged: 250 } });
    expect(recorded.lines.map(({ message }) => message)).toEqual([
      'link link-1 has no RSSI: its frames stay as they are',
    ]);
    expect(recorded.problem).toBeNull();
  });

  it('scales frames of a link that has lost its RSSI by its last gain, and says so once', () => {
    const { operator, recorded } = make('steps');
    const [found] = outputs(operator, [reported([-20, NaN, -20, ...Array<number>(250).fill(NaN)])]) as [
      CsiBlock,
    ];
    expectRelative(found.values.slice(-4), found.values.slice(0, 4), 1e-6);
    expect(operator.describe!()).toEqual({ frames: { compensated: 2, assumed: 251, unchanged: 0 } });
    expect(recorded.lines.map(({ message }) => message)).toEqual([
      'link link-1 has no RSSI: its last gain is assumed',
    ]);
    expect(recorded.dropped).toEqual({});
  });

  it.each([0, 1, -1e9])('an RSSI of %d dBm counts as none', (rssi) => {
    const { operator } = make('steps');
    outputs(operator, [reported([rssi])]);
    expect(operator.describe!()).toEqual({ frames: { compensated: 0, assumed: 0, unchanged: 1 } });
  });

  describe('with the same RSSI in each frame', () => {
    /** Levels over 200 frames, and what is left of them, dB. */
    const played = (levels: readonly number[], rssi = levels.map(() => -50)) => {
      const { operator, recorded } = make('steps');
      const frames = blockOf(
        one,
        levels.map((level) => ({ values: [10 ** (level / 20), 0, 0, 10 ** (level / 20)] })),
      );
      frames.rssi.set(rssi);
      const [found] = outputs(operator, [frames]) as [CsiBlock];
      const left = levels.map((_, frame) => 20 * Math.log10(amplitudes(found)[2 * frame]!));
      return { left, lines: recorded.lines.map(({ message }) => message), frames: operator.describe!() };
    };
    const walk = Array.from({ length: 200 }, (_, frame) => 30 + 3 * Math.sin(frame / 8));

    it('a level that changes smoothly stays, and the log says so once', () => {
      const { left, lines, frames } = played(walk);
      for (let frame = 100; frame < 200; frame++)
        expect(Math.abs(left[frame]! - left[199]! - (walk[frame]! - walk[199]!))).toBeLessThan(1);
      expect(lines).toEqual([
        'link link-1 reports -50 dBm for every packet although its level changes, so RSSI is not measured: its mean gain is assumed',
      ]);
      const { compensated, assumed, unchanged } = (frames as { frames: Record<string, number> }).frames;
      expect([compensated! > 0, assumed! > 100, unchanged]).toEqual([true, true, 0]);
    });

    it('a level that jumps is a gain that jumps', () => {
      const { left, lines } = played(
        Array.from({ length: 200 }, (_, i) => 30 + 3 * (Math.floor(i / 20) % 3)),
      );
      for (const level of left.slice(2)) expect(level).toBeCloseTo(-50, 1);
      expect(lines).toEqual([]);
    });

    it('a level that hardly changes is normalized', () => {
      const { left, lines } = played(walk.map((level) => 30 + (level - 30) / 3));
      for (const level of left) expect(Math.abs(level + 50)).toBeLessThan(1);
      expect(lines).toEqual([]);
    });

    it('another RSSI after a restart of the device changes nothing', () => {
      const { left } = played(
        walk,
        walk.map((_, frame) => (frame < 150 ? -50 : -70)),
      );
      expect(Math.abs(left[150]! - left[149]!)).toBeLessThan(1);
      expect(Math.max(...left.slice(50)) - Math.min(...left.slice(50))).toBeGreaterThan(5);
    });

    it('it counts as measured once it has changed three times, and the log says so', () => {
      const rssi = walk.map((_, frame) => (frame < 150 ? -50 : -50 - (frame % 2)));
      const { left, lines } = played(walk, rssi);
      for (const level of left.slice(155)) expect(Math.abs(level + 50.5)).toBeLessThan(2);
      expect(lines.at(-1)).toBe('link link-1 has changed its RSSI, so it counts as measured again');
    });

    it('stays found after a restart, with its gain, and without another line', () => {
      const levels = walk.map((level) => ({ values: [10 ** (level / 20), 0, 0, 10 ** (level / 20)] }));
      const frames = (rssi: number) => {
        const all = blockOf(one, levels);
        all.rssi.fill(rssi);
        return all;
      };
      const first = make('steps');
      outputs(first.operator, [frames(-50)]);
      const second = make('steps');
      second.operator.restore!(structuredClone(first.operator.snapshot!()));
      const after = (operator: typeof first.operator) => outputs(operator, [frames(-50), frames(NaN)]);
      expect(after(second.operator).map((block) => (block as CsiBlock).values)).toEqual(
        after(first.operator).map((block) => (block as CsiBlock).values),
      );
      expect(second.recorded.lines.map(({ message }) => message)).toEqual([
        'link link-1 has no RSSI: its mean gain is assumed',
      ]);
    });
  });

  it('drops frames of zeros, also if their gain is assumed', () => {
    const { operator, recorded } = make('steps');
    const frames = reported([-20, NaN, -20]);
    frames.values.fill(0, 4);
    outputs(operator, [frames]);
    expect(recorded.dropped).toEqual({ no_amplitude: 2 });
  });

  it('an outlier changes nothing but its own frame', () => {
    const gains = Array<number>(400).fill(33);
    const before = received(gains).found;
    const after = received(gains.with(300, 43)).found;
    const changed = (frame: number) => after[2 * frame]! / before[2 * frame]!;
    for (const frame of [299, 301, 302, 399]) expect(changed(frame)).toBeCloseTo(1, 2);
    expect(changed(300)).toBeCloseTo(1, 1);
  });
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

it('`gain` removes the reported gain, by antenna, relative to the median so far', () => {
  const frames = block([
    [1, 1],
    [10, 2],
    [10, 2],
  ]);
  frames.agc.set([30, 30, 50, 36, 40, 26]);
  frames.fftGain.set([0, 0, 10]);
  const [found] = outputs(make('gain').operator, [frames]) as [CsiBlock];
  const six = 10 ** (-6 / 20);
  // In the third frame, the first antenna's own gain is the median.
  expectRelative(amplitudes(found), [1, 1, 1, 2 * six, 10, 2 * six], 1e-6);
});

/** Frames of one antenna with these gains, dB. */
const gained = (gains: readonly number[], amplitude = 10): CsiBlock => {
  const frames = blockOf(
    layoutOf({ subcarriers: Int16Array.of(1) }),
    gains.map(() => ({ values: [amplitude, 0] })),
  );
  frames.agc.set(gains);
  frames.fftGain.fill(0);
  return frames;
};

it('`gain` is relative to the frame with the median gain of the first 50', () => {
  // The first frame has an unusual gain; those after the 50th do not count.
  const gains = [60, ...Array.from({ length: 49 }, (_, i) => 20 + (i % 7)), 80, 23];
  const [found] = outputs(make('gain').operator, [gained(gains)]) as [CsiBlock];
  const median = gains.slice(0, 50).sort((a, b) => a - b)[24]!;
  const expected = (gain: number) => 10 * 10 ** ((median - gain) / 20);
  expectRelative(amplitudes(found).slice(49), gains.slice(49).map(expected), 1e-6);
});

it('`gain` gives the same after a restart within the first frames, and in blocks of any size', () => {
  const gains = Array.from({ length: 70 }, (_, i) => 20 + ((i * 7) % 11));
  const [whole] = outputs(make('gain').operator, [gained(gains)]) as [CsiBlock];
  const first = make('gain').operator;
  const begun = outputs(first, [gained(gains.slice(0, 9)), gained(gains.slice(9, 30))]);
  const second = make('gain').operator;
  second.restore!(first.snapshot!());
  const all = [...begun, ...outputs(second, [gained(gains.slice(30))])] as CsiBlock[];
  expect(all.flatMap(amplitudes)).toEqual(amplitudes(whole));
});

it('`gain` continues from a checkpoint of an older version', () => {
  const { operator } = make('gain');
  outputs(operator, [gained([30])]);
  const [link] = operator.snapshot!() as [{ state: unknown }];
  const later = make('gain').operator;
  later.restore!([{ ...link, state: { first: Float64Array.of(30) } }] as never);
  expectRelative(amplitudes(outputs(later, [gained([36])])[0] as CsiBlock), [10 * 10 ** (-6 / 20)], 1e-6);
});

it('`auto` compensates until a value shows that the firmware does, and reports both', () => {
  const { operator } = make('auto');
  const auto = outputs(operator, [gained([30, 36])]) as [CsiBlock];
  const gain = outputs(make('gain').operator, [gained([30, 36])]) as [CsiBlock];
  expect(auto[0].values).toEqual(gain[0].values);
  const loud = gained([30, 36], 200);
  expect((outputs(operator, [loud]) as [CsiBlock])[0].values).toEqual(loud.values);
  const quiet = gained([24], 10);
  expect((outputs(operator, [quiet]) as [CsiBlock])[0].values).toEqual(quiet.values);
  expect(operator.describe!()).toEqual({ frames: { compensated: 2, unchanged: 3 } });
});

it.each(['rss', 'snr', 'gain', 'auto'] as const)(
  '`%s` drops frames without its inputs, and reports it',
  (method) => {
    const { operator, recorded } = make(method);
    const frames = block([[1, 2]]);
    frames.rssi.fill(NaN);
    expect(outputs(operator, [frames])).toEqual([]);
    expect(recorded.dropped).toEqual({ gain_unknown: 1 });
    expect(recorded.problem).toMatch(
      /^link link-1 (has no RSSI|does not report its gain): use `method: steps`/,
    );
    frames.rssi.fill(-50);
    frames.agc.fill(30);
    outputs(operator, Array<CsiBlock>(99).fill(frames));
    expect(recorded.problem).not.toBeNull();
    outputs(operator, [frames]);
    expect(recorded.problem).toBeNull();
  },
);

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
