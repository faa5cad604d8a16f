import type { MeasureFact } from '../../pipeline/component/index.js';

/** Measures of this operator. */
export const WRITES: readonly MeasureFact[] = [
  {
    name: 'doppler_shift_hz',
    unit: 'Hz',
    of: ['link'],
    every: 'a spectrum',
    about: 'mean frequency, weighted by power; positive: the path becomes shorter',
  },
  {
    name: 'doppler_edge_hz',
    unit: 'Hz',
    of: ['link'],
    every: 'a spectrum',
    about: 'frequency below which 95 % of the power lies',
  },
];
