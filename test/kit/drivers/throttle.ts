import { throttle } from '../../../operators/throttle/throttle.js';
import type { OperatorDriver } from '../operator.js';
import { eventsAndMeasures, timeless } from './general.js';

export const operator: OperatorDriver = {
  component: throttle,
  config: { interval_ms: 1000 },
  invalid: [{ interval_ms: 0 }, { by: 'event' }],
  input: eventsAndMeasures,
  bad: timeless,
};
