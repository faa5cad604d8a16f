import { calibrate } from '../../../operators/calibrate/calibrate.js';
import { badCsi, csiInput } from '../csi-input.js';
import type { OperatorDriver } from '../operator.js';

export const operator: OperatorDriver = {
  component: calibrate,
  config: { learn_s: 0.2, check_s: 0.1, interval_ms: 50 },
  invalid: [{ learn_s: 0 }, { apply: ['delay'] }, { max_drift: 2 }],
  input: () => csiInput(0.7),
  bad: badCsi,
};
