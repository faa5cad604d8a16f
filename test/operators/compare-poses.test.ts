import { expect, it } from 'vitest';
import type { Measure, PoseFrame } from '../../pipeline/model/index.js';
import { comparePoses } from '../../operators/compare-poses/compare-poses.js';
import { testContext } from '../support/context.js';
import { person, poseFrame } from '../support/records.js';

const at = (x: number, y: number, posture: 'upright' | 'lying' = 'upright') => ({
  ...person(0, 0),
  position: { x, y, z: 0 },
  posture,
});

function compare(...frames: readonly PoseFrame[]) {
  const { context, recorded } = testContext();
  const operator = comparePoses.create({}, context);
  const measures = frames.flatMap((frame) => (operator.process(frame, 'poses') as { data: Measure[] }).data);
  return { values: measures.map(({ name, value }) => [name, value]), counts: recorded.counts };
}

it('matches each person with the nearest one of the other', () => {
  const { values } = compare(
    poseFrame(1, { persons: [at(1, 1), at(4, 1)] }),
    poseFrame(1, { persons: [at(4, 2, 'lying'), at(1, 1.5), at(9, 9)] }),
  );
  expect(values).toEqual([
    ['pose_count_difference', 1],
    ['pose_distance_m', 0.75],
    ['pose_posture_difference', 0.5],
  ]);
});

it('gives only the count if one sees nobody', () => {
  const { values } = compare(poseFrame(1, { persons: [] }), poseFrame(1, { persons: [at(1, 1)] }));
  expect(values).toEqual([['pose_count_difference', 1]]);
});

it('counts frames without a counterpart, and compares none of different times', () => {
  const { values, counts } = compare(poseFrame(1), poseFrame(2), poseFrame(2));
  expect(values.map(([, value]) => value)).toEqual([0, 0, 0]);
  expect(counts).toEqual({ unmatched: 1 });
});
