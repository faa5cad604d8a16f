import { selectSubcarriers } from '../../../operators/select-subcarriers/select-subcarriers.js';
import { badCsi, csiInput } from '../csi-input.js';
import type { OperatorDriver } from '../operator.js';

export const operator: OperatorDriver = {
  component: selectSubcarriers,
  config: { learn_frames: 20, keep: 'nbvi', count: 3 },
  invalid: [{ keep: 'best' }, { count: 0 }, { learn_frames: 1 }],
  input: () => csiInput(0.5),
  bad: badCsi,
};
