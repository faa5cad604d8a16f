import { comparePoses } from '../../../operators/compare-poses/compare-poses.js';
import { person, poseFrame } from '../../support/records.js';
import type { OperatorDriver } from '../operator.js';

export const operator: OperatorDriver = {
  component: comparePoses,
  config: {},
  invalid: [{ against: 'poses' }],
  input: () =>
    Array.from({ length: 20 }, (_, index) => index).flatMap((index) => [
      poseFrame(index, { people: 1 + (index % 2) }),
      ...(index % 5 === 4 ? [] : [poseFrame(index, { persons: [person(index + 1, 0)] })]),
    ]),
  bad: () => [poseFrame(0, { time: NaN })],
};
