import type { MeasureFact } from '../../pipeline/component/index.js';

/** Measures of this operator. */
export const WRITES: readonly MeasureFact[] = [
  {
    name: 'motion_threshold',
    unit: '',
    of: ['link'],
    every: 'an interval',
    about: '`motion` above which somebody moves, from its calibration; for `detect-motion`',
  },
  {
    name: 'noise_level_db',
    unit: 'dB',
    of: ['link'],
    every: 'an interval',
    about: 'change of amplitude of the empty room; for `detect-motion`',
  },
  {
    name: 'calibration_drift',
    unit: '',
    of: ['link'],
    every: 'an interval',
    about: 'distance of the amplitudes from those of the calibration, 0: identical',
  },
  {
    name: 'calibration_phase_drift_deg',
    unit: 'deg',
    of: ['link'],
    every: 'an interval',
    about: "largest change of an antenna's phase against the reference",
  },
];
