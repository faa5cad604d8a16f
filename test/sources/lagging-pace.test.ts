import { expect, test } from 'vitest';
import { LaggingPace } from '../../pipeline/sources/lagging-pace.js';
import { testContext } from '../support/context.js';

/** Lines that are logged for these pairs of event time and real time since the start, milliseconds. */
const logged = (...moments: readonly [played: number, elapsed: number][]): string[] => {
  const { context, recorded } = testContext();
  const pace = new LaggingPace(context, 2);
  for (const [played, elapsed] of moments) pace.see(played, elapsed);
  return recorded.lines.map(({ level }) => level);
};

test('a source that is a few seconds late is not called slow', () => {
  expect(logged([0, 0], [2000, 4000], [20_000, 14_000])).toEqual([]);
});

test('a source that keeps falling behind is called slow once, and again after it caught up', () => {
  expect(
    logged([10_000, 11_000], [12_000, 14_000], [20_000, 12_500], [40_000, 20_100], [50_000, 31_000]),
  ).toEqual(['warn', 'info', 'warn']);
});
