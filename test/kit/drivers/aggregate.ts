import { aggregate } from '../../../operators/aggregate/aggregate.js';
import type { OperatorDriver } from '../operator.js';
import { eventsAndMeasures, timeless } from './general.js';

export const operator: OperatorDriver = {
  component: aggregate,
  config: {
    name: 'sure',
    value: 'event.confidence',
    by: 'event.person',
    window_ms: 2000,
    hop_ms: 1000,
    give: ['count', 'mean', 'median'],
  },
  invalid: [
    { name: 'sure' },
    { name: 'x', where: 'true' },
    { name: 'x', value: 'event.confidence', window_ms: 1000, hop_ms: 300 },
    { name: 'x', where: 'event.confidence > 0.1', give: ['mean'] },
  ],
  input: eventsAndMeasures,
  bad: timeless,
};
