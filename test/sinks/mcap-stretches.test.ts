import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Stretches } from '../../sinks/mcap/stretches.js';

const SECOND = 1_000_000_000n;
const stretchesWith = (times: readonly bigint[]): Stretches => {
  const stretches = new Stretches();
  for (const time of times) stretches.add(time);
  return stretches;
};

test('times are covered as if each message were looked at, in whatever order they were added', () => {
  const time = fc.integer({ min: 0, max: 400 }).map((tenths) => (BigInt(tenths) * SECOND) / 10n);
  fc.assert(
    fc.property(fc.array(time, { maxLength: 40 }), time, (times, asked) => {
      const before = times.filter((one) => one <= asked).reduce((a, b) => (a > b ? a : b), -10n * SECOND);
      const after = times.filter((one) => one >= asked).reduce((a, b) => (a < b ? a : b), 100n * SECOND);
      const isBetween = after - before <= 2n * SECOND;
      expect(stretchesWith(times).covered(asked, SECOND) !== null).toBe(asked - before < SECOND || isBetween);
    }),
  );
});

test('beyond 256 stretches, the nearest ones become one; each time that was added stays covered', () => {
  const early = 3n * SECOND;
  const times = [0n, ...Array.from({ length: 256 }, (_, i) => BigInt(i + 1) * 10n * SECOND), early];
  const stretches = stretchesWith(times);
  expect(times.filter((time) => stretches.covered(time, SECOND) === null)).toEqual([]);
  const between = times.slice(0, -2).map((time) => time + 5n * SECOND);
  expect(between.filter((time) => stretches.covered(time, SECOND) !== null)).toHaveLength(1);
});
