import type { MeasureFact } from '../../../component/index.js';

/** Measures of sources of ADR-018 packets: loss, and what the nodes claim of themselves (`source: node-1`). */
export const ADR018_WRITES: readonly MeasureFact[] = [
  {
    name: 'packet_loss',
    unit: '',
    of: ['link'],
    every: 'a second',
    about: 'share of numbered frames that did not arrive, 0 to 1',
  },
  { name: 'presence', unit: '', of: ['link'], every: 'a vitals packet', about: 'claim of a node: 1 or 0' },
  {
    name: 'motion',
    unit: '',
    of: ['link'],
    every: 'a vitals packet',
    about: "claim of a node, in the node's own scale",
  },
  {
    name: 'occupancy',
    unit: '',
    of: ['link'],
    every: 'a vitals packet',
    about: 'claim of a node: number of persons',
  },
  {
    name: 'breathing_rate_bpm',
    unit: '1/min',
    of: ['link'],
    every: 'a vitals packet',
    about: 'claim of a node',
  },
  { name: 'heart_rate_bpm', unit: '1/min', of: ['link'], every: 'a vitals packet', about: 'claim of a node' },
];
