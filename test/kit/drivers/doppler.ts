import { doppler } from '../../../operators/doppler/doppler.js';
import { badCsi, csiInput } from '../csi-input.js';
import type { OperatorDriver } from '../operator.js';

export const operator: OperatorDriver = {
  component: doppler,
  config: { window: 16, hop: 5 },
  invalid: [{ rate_hz: 0 }, { window: 4 }, { hop: 0 }, { method: 'music' }],
  input: () => csiInput(0.5),
  bad: badCsi,
  // Values that are not numbers count as 0: time passes.
  counts: 'all',
};
