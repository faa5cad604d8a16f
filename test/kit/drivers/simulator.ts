import { simulator } from '../../../pipeline/sources/simulator/source.js';
import type { SourceDriver } from '../source.js';

export const source: SourceDriver = {
  component: simulator,
  config: { rate_hz: 100, people: [] },
  invalid: [{ rate_hz: 0 }, { speed: -1 }, { snr_db: [10] }, { people: [{ script: [{ activity: 'fly' }] }] }],
  decodes: false,
  input: async () => ({
    config: { speed: 0, duration_s: 3, start_time: '2026-01-01T00:00:00Z', truth: 'truth/poses.ndjson' },
  }),
};
