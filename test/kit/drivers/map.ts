import { map } from '../../../operators/map/map.js';
import type { OperatorDriver } from '../operator.js';
import { eventsAndMeasures, timeless } from './general.js';

export const operator: OperatorDriver = {
  component: map,
  config: {
    set: {
      severity: 'event.confidence > 0.5 ? "critical" : "low"',
      'metadata.twice': 'event.confidence * 2',
    },
  },
  invalid: [
    {},
    { set: { id: '"x"' } },
    { set: { value: 'measure.value', severity: '"low"' } },
    { measure: { name: 'X', value: '1' } },
  ],
  input: eventsAndMeasures,
  bad: timeless,
  keepsState: false,
};
