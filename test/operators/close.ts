import { expect } from 'vitest';

/** Each value differs by at most `tolerance` times the largest of the expected ones. */
export function expectRelative(
  actual: ArrayLike<number>,
  expected: ArrayLike<number>,
  tolerance: number,
): void {
  expect(actual.length).toBe(expected.length);
  expect(relativeError(actual, expected)).toBeLessThanOrEqual(tolerance);
}

/** The largest difference, over the largest of the expected values. NaN if a value is NaN. */
export function relativeError(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  const differences = Array.from(expected, (value, i) => Math.abs(actual[i]! - value));
  return Math.max(...differences) / Math.max(...Array.from(expected, Math.abs));
}
