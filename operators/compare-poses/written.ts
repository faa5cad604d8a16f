import type { MeasureFact } from '../../pipeline/component/index.js';

/** Measures of this operator. */
export const WRITES: readonly MeasureFact[] = [
  {
    name: 'pose_count_difference',
    unit: '',
    of: ['environment'],
    every: 'a window',
    about: 'difference of the numbers of people that two models see',
  },
  {
    name: 'pose_distance_m',
    unit: 'm',
    of: ['environment'],
    every: 'a window',
    about: 'mean distance on the floor between the people of two models; only if both see somebody',
  },
  {
    name: 'pose_posture_difference',
    unit: '',
    of: ['environment'],
    every: 'a window',
    about: 'share of matched people whose postures differ, 0 to 1; only if both see somebody',
  },
];
