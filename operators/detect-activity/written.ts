import type { MeasureFact } from '../../pipeline/component/index.js';

/** Measures of this operator. */
export const WRITES: readonly MeasureFact[] = [
  { name: 'walking_seconds', unit: 's', of: ['person'], every: 'a minute', about: 'seconds walking' },
  { name: 'standing_seconds', unit: 's', of: ['person'], every: 'a minute', about: 'seconds standing' },
  { name: 'sitting_seconds', unit: 's', of: ['person'], every: 'a minute', about: 'seconds sitting' },
  { name: 'lying_seconds', unit: 's', of: ['person'], every: 'a minute', about: 'seconds lying' },
];
