import { window } from '../../../operators/window/window.js';
import { badCsi, csiInput } from '../csi-input.js';
import type { OperatorDriver } from '../operator.js';

export const operator: OperatorDriver = {
  component: window,
  config: { length_ms: 500, hop_ms: 100, points: 25 },
  invalid: [{ points: 1 }, { length_ms: 1000, points: 3 }, { hop_ms: 33 }, { training: [] }],
  input: () => csiInput(2),
  bad: badCsi,
};
