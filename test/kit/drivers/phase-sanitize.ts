import { phaseSanitize } from '../../../operators/phase-sanitize/phase-sanitize.js';
import { badCsi, csiInput } from '../csi-input.js';
import type { OperatorDriver } from '../operator.js';

export const operator: OperatorDriver = {
  component: phaseSanitize,
  config: { method: 'spotfi' },
  invalid: [{ method: 'none' }],
  input: () => csiInput(1),
  bad: badCsi,
  keepsState: false,
};
