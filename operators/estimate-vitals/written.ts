import type { MeasureFact } from '../../pipeline/component/index.js';

/** Measures of this operator. */
export const WRITES: readonly MeasureFact[] = [
  {
    name: 'breathing_rate_bpm',
    unit: '1/min',
    of: ['environment'],
    every: 'an estimate',
    about: 'breaths per minute, over the last 30 s',
  },
  {
    name: 'breathing_quality',
    unit: '',
    of: ['environment'],
    every: 'an estimate',
    about: 'how clear the breathing is, 0 to 1',
  },
];
