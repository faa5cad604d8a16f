import type { MeasureFact } from '../../pipeline/component/index.js';

/** Measures of this operator. */
export const WRITES: readonly MeasureFact[] = [
  {
    name: 'link_rate_hz',
    unit: '1/s',
    of: ['link'],
    every: 'an interval',
    about: 'frames per second; 0 while a link is silent',
  },
  {
    name: 'packet_loss',
    unit: '',
    of: ['link'],
    every: 'an interval',
    about: 'share of numbered frames that did not arrive, 0 to 1',
  },
  { name: 'rssi_dbm', unit: 'dBm', of: ['link'], every: 'an interval', about: 'mean signal strength' },
  { name: 'noise_dbm', unit: 'dBm', of: ['link'], every: 'an interval', about: 'mean noise level' },
  {
    name: 'snr_db',
    unit: 'dB',
    of: ['link'],
    every: 'an interval',
    about: 'mean signal-to-noise ratio over the carriers',
  },
  {
    name: 'link_coverage',
    unit: '',
    of: ['link'],
    every: 'an interval',
    about: "share of the windows' grid that its frames covered, 0 to 1",
  },
  {
    name: 'link_usable',
    unit: '',
    of: ['link'],
    every: 'an interval',
    about: 'share of windows in which it was usable, 0 to 1',
  },
];
