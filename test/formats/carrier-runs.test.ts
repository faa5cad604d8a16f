import fc from 'fast-check';
import { expect, test } from 'vitest';
import { carrierRuns, carriersIn } from '../../pipeline/model/carrier-runs.js';
import { csiLayout, currentKey } from '../../pipeline/model/index.js';

const range = (from: number, to: number, step = 1): number[] =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, i) => from + i * step);

test.each([
  ['7', [7]],
  ['-26..-1,1..26', [...range(-26, -1), ...range(1, 26)]],
  // Intel 5300 at 20 MHz.
  ['-28..-2 step 2,-1..27 step 2,28', [...range(-28, -2, 2), ...range(-1, 27, 2), 28]],
  ['-122..122 step 4', range(-122, 122, 4)],
  ['1,3..5', [1, 3, 4, 5]],
])('%j are written as runs, and read back', (text, carriers) => {
  expect(carrierRuns(carriers)).toBe(text);
  expect(carriersIn(text)).toEqual(carriers);
});

test('any carriers are read back from their runs', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: -2048, max: 2047 }), { minLength: 1 }), (any) => {
      const carriers = any.toSorted((a, b) => a - b);
      expect(carriersIn(carrierRuns(carriers))).toEqual(carriers);
    }),
  );
});

test.each(['', '1..', 'a', '1..5 step 0', '1.5'])('%j does not name carriers', (text) => {
  expect(carriersIn(text)).toBeNull();
});

test('a key of an earlier version becomes the current one', () => {
  const fields = { rx: 1, tx: 1, bandwidthMhz: 20, centreMhz: 2412, training: 'ht-ltf' } as const;
  const { key } = csiLayout({
    ...fields,
    subcarriers: range(-4, 4, 2),
    measurement: 'beamforming-report',
  });
  expect(key).toBe('ht-ltf/1x1/20@2412/-4..4 step 2/beamforming-report');
  expect(currentKey('ht-ltf/1x1/20@2412/-4,-2,0,2,4/beamforming-report')).toBe(key);
  expect(currentKey(key)).toBe(key);
  expect(currentKey('unknown')).toBe('unknown');
});
