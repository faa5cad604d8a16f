import { delayUntil } from '../../../operators/delay-until/delay-until.js';
import type { OperatorDriver } from '../operator.js';
import { eventsAndMeasures, timeless } from './general.js';

export const operator: OperatorDriver = {
  component: delayUntil,
  config: { until: 'event.time + duration("1s")', unless: 'measure.value > 0.95' },
  invalid: [{ until: 'event.confidence' }, { until: 'event.time', where: 'measure.value > 0.0' }],
  input: eventsAndMeasures,
  bad: timeless,
};
