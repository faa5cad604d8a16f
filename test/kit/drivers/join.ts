import { join } from '../../../operators/join/join.js';
import type { OperatorDriver } from '../operator.js';
import { eventsAndMeasures, timeless } from './general.js';

export const operator: OperatorDriver = {
  component: join,
  config: { where: 'measure.name == "motion"', set: { 'metadata.motion': 'latest.value' } },
  invalid: [
    { where: 'true', set: { severity: '"low"' } },
    { where: 'measure.value > 0.0', set: { 'metadata.x': 'latest.posture' } },
  ],
  input: eventsAndMeasures,
  bad: timeless,
};
