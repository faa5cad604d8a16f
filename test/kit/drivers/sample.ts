import { sample } from '../../../operators/sample/sample.js';
import type { OperatorDriver } from '../operator.js';
import { eventsAndMeasures, timeless } from './general.js';

export const operator: OperatorDriver = {
  component: sample,
  config: { interval_ms: 1000 },
  invalid: [{ interval_ms: 0 }, { by: 'pose.persons' }],
  input: eventsAndMeasures,
  bad: timeless,
};
