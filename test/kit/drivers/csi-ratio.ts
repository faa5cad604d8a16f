import { csiRatio } from '../../../operators/csi-ratio/csi-ratio.js';
import { badCsi, csiInput } from '../csi-input.js';
import type { OperatorDriver } from '../operator.js';

export const operator: OperatorDriver = {
  component: csiRatio,
  config: { learn_frames: 20 },
  invalid: [{ reference_antenna: -1 }, { learn_frames: 1 }],
  input: () => csiInput(0.5),
  bad: badCsi,
};
