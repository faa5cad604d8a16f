import { route } from '../../../operators/route/route.js';
import type { OperatorDriver } from '../operator.js';
import { eventsAndMeasures, timeless } from './general.js';

export const operator: OperatorDriver = {
  component: route,
  config: { routes: { high: 'event.confidence > 0.5' }, rest: 'low' },
  invalid: [{ routes: {} }, { routes: { a: 'event.confidence' } }, { routes: { a: 'true' }, rest: 'a' }],
  input: eventsAndMeasures,
  bad: timeless,
  keepsState: false,
};
