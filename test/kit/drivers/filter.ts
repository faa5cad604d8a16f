import { filter } from '../../../operators/filter/filter.js';
import type { OperatorDriver } from '../operator.js';
import { eventsAndMeasures, timeless } from './general.js';

export const operator: OperatorDriver = {
  component: filter,
  config: { where: 'event.confidence > 0.5' },
  invalid: [{ where: 'event.confidenc > 0.5' }, { where: 'event.confidence' }, { where: '1 +' }, {}],
  input: eventsAndMeasures,
  bad: timeless,
  keepsState: false,
};
