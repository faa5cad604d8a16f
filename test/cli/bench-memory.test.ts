import { expect, it } from 'vitest';
import { trend } from '../../bench/speed/system/memory.js';

it('finds the slope of memory and its standard error', () => {
  expect(trend([300, 302, 304, 306])).toEqual({ slope: 2, error: 0 });
  // By hand: the residuals of 1, 2, 1 are -1/3, 2/3, -1/3.
  expect(trend([1, 2, 1]).slope).toBe(0);
  expect(trend([1, 2, 1]).error).toBeCloseTo(Math.sqrt(2 / 3 / 1 / 2), 12);
  expect(trend([300, 400])).toEqual({ slope: 0, error: 0 });
});
