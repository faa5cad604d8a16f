import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { differences, matches, nearestTo } from '../../pipeline/testing/match.js';

const event = {
  type: 'fall_detection',
  confidence: 0.9,
  person: null,
  location: { x: 1, y: 2 },
  persons: [
    { posture: 'lying', track: { id: 1 } },
    { posture: 'sitting', track: { id: 2 } },
  ],
};

describe('a pattern', () => {
  test.each([
    [{ type: 'fall_detection' }, true],
    [{ type: 'fall' }, false],
    [{ person: null }, true],
    [{ location: { x: 1 } }, true],
    [{ location: { z: 0 } }, false],
    [{ confidence: { between: [0.9, 1] } }, true],
    [{ confidence: { between: [0.91, 1] } }, false],
    [{ confidence: { at_least: 0.5, at_most: 0.8 } }, false],
    [{ type: { one_of: ['inactivity', 'fall_detection'] } }, true],
    [{ type: { matches: '^fall_' } }, true],
    [{ type: { not: 'fall_detection' } }, false],
    [{ person: { not: null } }, false],
    [{ persons: { size: 2 } }, true],
    [{ persons: { size: { at_most: 1 } } }, false],
    [{ persons: { any: { posture: 'sitting', track: { id: 2 } } } }, true],
    [{ persons: { any: { posture: 'sitting', track: { id: 1 } } } }, false],
    [{ persons: { all: { track: { id: { between: [1, 2] } } } } }, true],
    [{ persons: { all: { posture: 'lying' } } }, false],
    [{ persons: [{ posture: 'lying' }, {}] }, true],
    [{ persons: [{ posture: 'lying' }] }, false],
    [{ confidence: { size: 1 } }, false],
    [{ location: { any: {} } }, false],
    [{ missing: { at_least: 0 } }, false],
  ])('%j', (pattern, met) => {
    expect(matches(event, pattern)).toBe(met);
  });
});

test('part of a value always matches it, and a changed one names the place', () => {
  const value = fc.dictionary(
    fc.stringMatching(/^f[a-z]{1,8}$/),
    fc.oneof(fc.integer(), fc.string(), fc.boolean()),
    {
      minKeys: 1,
    },
  );
  fc.assert(
    fc.property(value, fc.nat(), (record, pick) => {
      const fields = Object.keys(record);
      const field = fields[pick % fields.length]!;
      expect(differences({ inner: record, more: 1 }, { inner: { [field]: record[field] } })).toEqual([]);
      const [difference] = differences({ inner: record }, { inner: { [field]: { changed: true } } });
      expect(difference).toMatchObject({ path: `inner.${field}`, received: record[field] });
    }),
  );
});

test('the nearest record differs in the fewest fields, and among those is closest', () => {
  const records = [
    { name: 'motion', value: 0.1 },
    { name: 'motion', value: 0.4 },
    { name: 'presence', value: 0.5 },
  ];
  expect(nearestTo(records, { name: 'motion', value: 0.5 })).toMatchObject({ index: 1 });
  expect(nearestTo([], { name: 'motion' })).toBeUndefined();
});
