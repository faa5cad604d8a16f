import fc from 'fast-check';
import { expect, it } from 'vitest';
import { leaveOneOut, partsOf } from '../../bench/suite/folds.js';

const groups = fc.array(fc.constantFrom('p1', 'p2', 'p3', 'esp32', 'c3', 'room-9'), {
  minLength: 1,
  maxLength: 60,
});

it('has no person, room or chip in both halves, and judges each item once', () => {
  fc.assert(
    fc.property(groups, (of) => {
      const folds = leaveOneOut(of);
      for (const { out, train, test } of folds) {
        expect(new Set(test.map((index) => of[index]))).toEqual(new Set([out]));
        expect(train.some((index) => of[index] === out)).toBe(false);
        expect(train.length + test.length).toBe(of.length);
      }
      const judged = folds.flatMap(({ test }) => test).sort((a, b) => a - b);
      expect(judged).toEqual(of.map((_, index) => index));
    }),
  );
});

it('splits one group into disjoint parts', () => {
  fc.assert(
    fc.property(fc.integer({ min: 4, max: 200 }), fc.integer({ min: 2, max: 4 }), (items, parts) => {
      const folds = partsOf(items, parts);
      expect(folds).toHaveLength(parts);
      for (const { train, test } of folds) {
        expect(train.filter((index) => test.includes(index))).toEqual([]);
        expect(test.length).toBeGreaterThan(0);
      }
    }),
  );
});
