import { passOnChange } from '../../../operators/pass-on-change/pass-on-change.js';
import { badCsi, csiInput } from '../csi-input.js';
import type { OperatorDriver } from '../operator.js';

export const operator: OperatorDriver = {
  component: passOnChange,
  config: { threshold: 0.3 },
  invalid: [{ threshold: -1 }, { max_interval_ms: 0 }],
  input: () => csiInput(0.5),
  bad: badCsi,
};
