import { removeStatic } from '../../../operators/remove-static/remove-static.js';
import { badCsi, csiInput } from '../csi-input.js';
import type { OperatorDriver } from '../operator.js';

export const operator: OperatorDriver = {
  component: removeStatic,
  config: {},
  invalid: [{ time_constant_ms: 0 }],
  input: () => csiInput(0.5),
  bad: badCsi,
};
