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

test('256 stretches are remembered, the newest ones', () => {
  const times = Array.from({ length: 300 }, (_, i) => BigInt(i) * 10n * SECOND);
  const stretches = stretchesWith(times);
  expect(times.filter((time) => stretches.covered(time, SECOND) === null)).toEqual(times.slice(0, 44));
});
