import { expect, it } from 'vitest';
import { countsOf } from '../../bench/accuracy/chain/tables/empty.js';
import { Truth } from '../../bench/accuracy/chain/truth.js';

const SECOND = 1e6;
const LEFT_S = 20;
const END_S = 60;

/** Somebody walks for 20 s; then the room is empty. */
const truth = new Truth(
  Array.from({ length: END_S * 10 + 1 }, (_, tenth) =>
    JSON.stringify({
      ...{ time: tenth * 1e5, environment: 'flat', person: 0, activity: 'walk', root: [1, 2] },
      present: tenth <= LEFT_S * 10,
    }),
  ).join('\n'),
);

const measure = (name: string, seconds: number, value: number) => ({
  ...{ name, subject: null, time: seconds * SECOND, value },
});

const counted = (zones: boolean, measures: readonly object[], poses: readonly object[] = []) =>
  countsOf(
    { start: 0, end: END_S * SECOND, poses, events: [], measures, truth } as never,
    zones,
    (END_S - LEFT_S) * SECOND,
  );
const shareOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

it('shows that the occupancy of an empty room was never known, which counts as 0', () => {
  const { unknown, wrongLater, wrong30 } = counted(true, []);
  expect([shareOf(unknown), shareOf(wrongLater), wrong30]).toEqual([1, 0, [0]]);
});

it('counts as unknown what is neither known yet, nor known any more', () => {
  const known = [measure('occupancy_known', 5, 1), measure('occupancy', 5, 1), measure('occupancy', 24, 0)];
  expect(shareOf(counted(true, known).unknown)).toBe(0);
  const lost = [...known, measure('occupancy_known', 55, 0)];
  const { unknown, wrongLater } = counted(true, lost);
  expect(unknown).toEqual([0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1]);
  expect(shareOf(wrongLater)).toBe(0);
});

it('knows the occupancy of a topology without zones from its first pose frame on', () => {
  const poseFrame = { time: 54 * SECOND, windowEnd: 55 * SECOND, persons: [] };
  expect(counted(false, [], [poseFrame]).unknown).toEqual([1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0]);
});
