import { expect, it } from 'vitest';
import { passOnChange } from '../../operators/pass-on-change/pass-on-change.js';
import type { CsiBlock } from '../../pipeline/model/index.js';
import { testContext } from '../support/context.js';
import { breaksNothing } from './bad-links.js';
import { blockOf, layoutOf, outputs } from './frames.js';

const two = layoutOf({ subcarriers: Int16Array.of(1, 2) });
function passed(frames: readonly { values: number[]; time: number }[]) {
  const { context, recorded } = testContext();
  const operator = passOnChange.create({ threshold: 0.1, max_interval_ms: 1000 }, context);
  const blocks = outputs(operator, [blockOf(two, frames)]) as CsiBlock[];
  return { times: blocks.flatMap(({ time }) => Array.from(time)), dropped: recorded.dropped };
}

it('passes a frame on if amplitudes changed since the last passed one', () => {
  // Drifts: each step is small, their sum is not.
  const frames = [0, 1, 2, 3, 4].map((i) => ({ values: [10, 0, 10 + i, 0], time: i }));
  expect(passed(frames)).toEqual({ times: [0, 3], dropped: { unchanged: 3 } });
});

it('ignores gain and phase', () => {
  const frames = [
    { values: [3, 0, 4, 0], time: 0 },
    { values: [0, 30, -40, 0], time: 1 },
  ];
  expect(passed(frames).times).toEqual([0]);
});

it('passes a frame on periodically, and frames that are not numbers', () => {
  const still = [0, 500_000, 1_000_000, 1_500_000, 2_000_000].map((time) => ({ values: [1, 0, 1, 0], time }));
  expect(passed(still).times).toEqual([0, 1_000_000, 2_000_000]);
  const broken = [0, 1, 2].map((time) => ({ values: [NaN, 0, 1, 0], time }));
  expect(passed(broken).times).toEqual([0, 1, 2]);
});

breaksNothing(passOnChange, {}, false);
