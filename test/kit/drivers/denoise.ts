import { denoise } from '../../../operators/denoise/denoise.js';
import { badCsi, csiInput } from '../csi-input.js';
import type { OperatorDriver } from '../operator.js';

export const operator: OperatorDriver = {
  component: denoise,
  config: { window: 9 },
  invalid: [{ window: 8 }, { window: 1 }, { threshold: -1 }, { method: 'mean' }],
  input: () => csiInput(1),
  bad: badCsi,
};
