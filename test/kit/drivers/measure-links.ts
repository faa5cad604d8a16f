import { knownAt } from '../../../pipeline/model/index.js';
import { measureLinks } from '../../../operators/measure-links/measure-links.js';
import { badCsi, csiInput, START } from '../csi-input.js';
import type { OperatorDriver } from '../operator.js';

export const operator: OperatorDriver = {
  component: measureLinks,
  config: { interval_ms: 200 },
  invalid: [{ interval_ms: 0 }, { interval_ms: 250.5 }],
  input: () => csiInput(1.5),
  bad: badCsi,
  // The frames arrived, so they count for the rate of their interval.
  counts: 'all',
  reportsBad: (data) => knownAt(data) < START,
};
