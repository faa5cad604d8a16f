import { join } from 'node:path';
import { script } from '../../../operators/script/script.js';
import type { OperatorDriver } from '../operator.js';
import { eventsAndMeasures, timeless } from './general.js';

export const operator: OperatorDriver = {
  component: script,
  config: { file: join(import.meta.dirname, 'script-step.ts'), gives: ['event', 'measure'] },
  invalid: [
    { file: 'step.py' },
    { file: '' },
    { file: 'step.ts', timeout_ms: 0 },
    { file: 'step.ts', reads: [] },
    { file: 'step.ts', gives: ['csi'] },
  ],
  input: eventsAndMeasures,
  bad: timeless,
  runs: 3,
  keepsState: false,
};
