import { normalizeGain } from '../../../operators/normalize-gain/normalize-gain.js';
import { badCsi, csiInput } from '../csi-input.js';
import type { OperatorDriver } from '../operator.js';

export const operator: OperatorDriver = {
  component: normalizeGain,
  config: { method: 'steps' },
  invalid: [{ method: 'agc' }],
  input: () => csiInput(0.5),
  bad: badCsi,
};
