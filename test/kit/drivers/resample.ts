import { resample } from '../../../operators/resample/resample.js';
import { badCsi, csiInput } from '../csi-input.js';
import type { OperatorDriver } from '../operator.js';

export const operator: OperatorDriver = {
  component: resample,
  config: { rate_hz: 125 },
  invalid: [{ rate_hz: 0 }, { rate_hz: 100_000, max_gap_ms: 60_000 }],
  input: () => csiInput(0.5),
  bad: badCsi,
};
