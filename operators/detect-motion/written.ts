import type { MeasureFact } from '../../pipeline/component/index.js';

/** Measures of this operator. */
export const WRITES: readonly MeasureFact[] = [
  {
    name: 'motion',
    unit: '',
    of: ['environment', 'link'],
    every: 'a window',
    about: 'movement, 0 to 1; of the environment: the upper quartile over its links',
  },
  {
    name: 'motion_energy_db',
    unit: 'dB',
    of: ['link'],
    every: 'a window',
    about: 'change of amplitude above the quiet level',
  },
  {
    name: 'presence_probability',
    unit: '',
    of: ['environment'],
    every: 'a window',
    about: 'probability that somebody is there, 0 to 1',
  },
  {
    name: 'presence',
    unit: '',
    of: ['environment'],
    every: 'a window',
    about: '1: somebody is there, 0: nobody; absent until it is known',
  },
];
