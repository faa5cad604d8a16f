import type { MeasureFact } from '../../pipeline/component/index.js';

/** Measures of this operator. */
export const WRITES: readonly MeasureFact[] = [
  {
    name: 'body_velocity_x_mps',
    unit: 'm/s',
    of: ['environment'],
    every: 'a profile',
    about: 'velocity of the trunk along x',
  },
  {
    name: 'body_velocity_y_mps',
    unit: 'm/s',
    of: ['environment'],
    every: 'a profile',
    about: 'velocity of the trunk along y',
  },
  { name: 'body_speed_mps', unit: 'm/s', of: ['environment'], every: 'a profile', about: 'its length' },
  {
    name: 'body_velocity_fit',
    unit: '',
    of: ['environment'],
    every: 'a profile',
    about: 'fraction of the spectra that it explains, 0 to 1',
  },
  {
    name: 'body_velocity_share',
    unit: '',
    of: ['velocity'],
    every: 'a profile',
    about: 'share of the velocity that the subject names, with `profile`',
  },
];
