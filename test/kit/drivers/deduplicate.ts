import { deduplicate } from '../../../operators/deduplicate/deduplicate.js';
import type { OperatorDriver } from '../operator.js';
import { eventsAndMeasures, timeless } from './general.js';

export const operator: OperatorDriver = {
  component: deduplicate,
  config: { within_ms: 1000, value: 'event.confidence' },
  invalid: [{ within_ms: 0 }, { by: 'event.location' }],
  input: eventsAndMeasures,
  bad: timeless,
};
