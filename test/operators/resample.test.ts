import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resample } from '../../operators/resample/resample.js';
import { blend } from '../../operators/shared/blend.js';
import type { CsiBlock } from '../../pipeline/model/index.js';
import { testContext } from '../support/context.js';
import { breaksNothing } from './bad-links.js';
import { expectRelative } from './close.js';
import { blockOf, golden, layoutOf, outputs } from './frames.js';

const one = layoutOf({ subcarriers: Int16Array.of(1) });
const START = 1_700_000_000_000_000;
const make = (rate_hz: number, max_gap_ms = 200) => {
  const { context, recorded } = testContext();
  return { operator: resample.create({ rate_hz, max_gap_ms }, context), recorded };
};
/** Frames of [milliseconds, value]. */
const frames = (points: readonly (readonly [ms: number, value: number])[]) =>
  blockOf(
    one,
    points.map(([ms, value]) => ({ values: [value, 0], time: START + ms * 1000 })),
  );
const through = (operator: ReturnType<typeof make>['operator'], block: CsiBlock) =>
  (outputs(operator, [block]) as CsiBlock[]).flatMap((out) =>
    Array.from(out.time, (time, i) => ({
      ms: (time - START) / 1000,
      value: out.values[2 * i]!,
      sequence: out.sequence[i]!,
    })),
  );

describe.skipIf(!golden())('against numpy.interp', () => {
  const { t_in, x_in, t_out, y } = golden()?.resample_linear ?? { t_in: [], x_in: [], t_out: [], y: [] };

  it('equals it to 1e-9 in Float64', () => {
    const found = t_out.slice(1).map((t) => {
      const after = t_in.findIndex((time) => time >= t);
      const [from, to] = [t_in[after - 1]!, t_in[after]!];
      const output = new Float64Array(2);
      const pair = (x: number) => Float64Array.of(x, 0);
      blend(pair(x_in[after - 1]!), pair(x_in[after]!), 0, (t - from) / (to - from), output, 0);
      return output[0]!;
    });
    expectRelative(found, y.slice(1), 1e-9);
  });

  it('equals it to 1e-4 through the operator', () => {
    const found = through(make(100).operator, frames(t_in.map((t, i) => [t * 1000, x_in[i]!])));
    const wanted = t_out.flatMap((t, i) => (t > t_in[0]! ? [[Math.round(t * 1000), y[i]!] as const] : []));
    // The input continues beyond the reference.
    found.length = wanted.length;
    expect(found.map(({ ms }) => ms)).toEqual(wanted.map(([ms]) => ms));
    expectRelative(
      found.map(({ value }) => value),
      wanted.map(([, value]) => value),
      1e-4,
    );
  });
});

it('emits the points of the grid between two frames, once the second arrives', () => {
  const { operator } = make(100);
  expect(through(operator, frames([[2, 10]]))).toEqual([]);
  const found = through(operator, frames([[32, 40]]));
  expect(found.map(({ ms }) => ms)).toEqual([10, 20, 30]);
  expectRelative(
    found.map(({ value }) => value),
    [18, 28, 38],
    1e-6,
  );
});

it('leaves gaps open, and numbers the points of the grid to show them', () => {
  const { operator, recorded } = make(100, 25);
  const found = through(
    operator,
    frames([
      [0, 1],
      [10, 2],
      [50, 3],
      [61, 4],
    ]),
  );
  expect(found.map(({ ms, value }) => [ms, value])).toEqual([
    [0, 1],
    [10, 2],
    [50, 3],
    [60, expect.closeTo(3.91, 2)],
  ]);
  expect(found.map(({ sequence }) => sequence - found[0]!.sequence)).toEqual([0, 1, 5, 6]);
  expect(recorded.counts).toEqual({ points_in_gaps: 3 });
});

it('holds event time back to the points that may still come', () => {
  const { operator } = make(100, 25);
  through(operator, frames([[12, 1]]));
  const hold = (ms: number) => (operator.holdWatermark!(START + ms * 1000) - START) / 1000;
  expect(hold(15)).toBe(15);
  expect(hold(30)).toBeLessThan(20);
  expect(hold(30)).toBeGreaterThan(12);
  // The link is silent for longer than the interpolation limit: no output before its next frame.
  expect(hold(40)).toBe(40);
  expect(operator.holdWatermark!(Infinity)).toBe(Infinity);
});

it('no point is older than the emitted event time, for any input', () => {
  const step = fc.tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 50 }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.constantFrom(30, 77, 100, 250), (steps, rate) => {
      const { operator } = make(rate, 40);
      let [ms, held] = [0, 0];
      for (const [ahead, value] of steps) {
        // Event time advances to just before the frame.
        held = Math.max(held, operator.holdWatermark!(START + (ms + ahead) * 1000 - 1));
        ms += ahead;
        for (const found of through(operator, frames([[ms, value]])))
          expect(START + found.ms * 1000).toBeGreaterThan(held);
      }
    }),
  );
});

it('drops late frames, and frames that are not numbers', () => {
  const { operator, recorded } = make(100);
  through(
    operator,
    frames([
      [0, 1],
      [-5, 2],
      [10, NaN],
      [20, 3],
    ]),
  );
  expect(recorded.dropped).toEqual({ late: 1, not_finite: 1 });
});

breaksNothing(resample, { rate_hz: 80 });
