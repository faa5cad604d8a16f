import { expect, it } from 'vitest';
import { removeStatic } from '../../operators/remove-static/remove-static.js';
import { testContext } from '../support/context.js';
import { breaksNothing } from './bad-links.js';
import { blockOf, layoutOf, outputs, valuesOf } from './frames.js';

const one = layoutOf({ subcarriers: Int16Array.of(1) });
const operator = (time_constant_ms: number) =>
  removeStatic.create({ time_constant_ms }, testContext().context);
const series = (values: readonly number[], step = 10_000) =>
  blockOf(
    one,
    values.map((re, i) => ({ values: [re, -re], time: i * step })),
  );

it('removes a still channel from the first frame', () => {
  expect(valuesOf(outputs(operator(1000), [series([7, 7, 7])]))).toEqual([0, 0, 0, 0, 0, 0]);
});

it('is the mean of the frames so far at first, then an exponential one', () => {
  const values = valuesOf(outputs(operator(1e6), [series([1, 3, 5])]));
  [0, 1, 2].forEach((wanted, i) => {
    expect(values[2 * i]).toBeCloseTo(wanted, 4);
  });
  // A step after a long constant input: after one time constant it has decayed to 1/e.
  const step = [...new Array<number>(1000).fill(0), ...new Array<number>(101).fill(1)];
  const after = valuesOf(outputs(operator(1000), [series(step)]));
  expect(after.at(-2)).toBeCloseTo(Math.exp(-1.01), 3);
});

it('follows event time: restarts after a long pause', () => {
  const operator_ = operator(1000);
  outputs(operator_, [series([5, 5, 5])]);
  const late = blockOf(one, [{ values: [90, 0], time: 1e9 }]);
  expect(valuesOf(outputs(operator_, [late]))).toEqual(
    [0, -0].map((value) => expect.closeTo(value, 5) as number),
  );
});

it('a value that is not a number is 0, and does not affect later ones', () => {
  const frames = [4, NaN, Infinity, 4].map((re, i) => ({ values: [re, -4], time: i * 10_000 }));
  const values = valuesOf(outputs(operator(1000), [blockOf(one, frames)]));
  expect(values).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
});

it('a frame without a finite value is dropped', () => {
  const { context, recorded } = testContext();
  const removing = removeStatic.create({ time_constant_ms: 1000 }, context);
  const values = valuesOf(outputs(removing, [series([NaN, 4, Infinity, NaN, 6])]));
  expect(values).toHaveLength(4);
  expect(values.slice(0, 2)).toEqual([0, 0]);
  expect(recorded.dropped).toEqual({ not_finite: 3 });
});

breaksNothing(removeStatic, {});
