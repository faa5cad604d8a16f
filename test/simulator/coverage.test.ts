import { expect, test } from 'vitest';
import type { Environment } from '../../pipeline/model/index.js';
import { coverageOf } from '../../pipeline/sources/simulator/coverage.js';
import { testEnvironment } from '../support/context.js';

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

const few = coverageOf(testEnvironment);

/** Links along three sides of the room. */
const MORE: Environment = {
  ...testEnvironment,
  links: [
    ...testEnvironment.links,
    { id: 'a', transmitter: [0.1, 0.1, 1], receiver: [4.9, 0.1, 1.4], sender: 'a' },
    { id: 'b', transmitter: [0.1, 3.9, 0.8], receiver: [4.9, 3.9, 1.2], sender: 'b' },
    { id: 'c', transmitter: [0.1, 0.1, 1], receiver: [0.1, 3.9, 0.8], sender: 'c' },
  ],
};

test('more links notice more, and locate better', () => {
  const more = coverageOf(MORE);
  expect(few.links).toHaveLength(few.columns * few.rows);
  expect(mean(more.links)).toBeGreaterThan(mean(few.links));
  expect(mean(more.error)).toBeLessThan(mean(few.error) - 0.1);
});

test('a person on the line between two devices is noticed, one in a far corner is not', () => {
  const long: Environment = {
    ...testEnvironment,
    size: { x: 12, y: 8, z: 2.6 },
    links: [{ id: 'a', transmitter: [0.2, 0.2, 1], receiver: [3.2, 0.2, 1], sender: 'a' }],
  };
  const { columns, rows, links } = coverageOf(long);
  const at = (x: number, y: number) =>
    links[Math.floor((y / 8) * rows) * columns + Math.floor((x / 12) * columns)];
  expect(at(1.7, 0.3)).toBe(1);
  expect(at(11.5, 7.5)).toBe(0);
});

test('is the same each time', () => {
  expect(coverageOf(testEnvironment)).toEqual(few);
});

test('refuses more links than a few seconds suffice for', () => {
  const link = testEnvironment.links[0]!;
  const links = Array.from({ length: 200 }, (_, index) => ({
    ...link,
    id: `link-${index}`,
    sender: `node-${index}`,
  }));
  expect(() => coverageOf({ ...testEnvironment, links })).toThrow('200 links are too many to simulate');
});
