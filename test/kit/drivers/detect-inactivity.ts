import { detectInactivity } from '../../../operators/detect-inactivity/detect-inactivity.js';
import type { Data } from '../../../pipeline/model/index.js';
import { measure, person, poseFrame } from '../../support/records.js';
import type { OperatorDriver } from '../operator.js';

/** A person who keeps still twice, walks in between, and is finally lost; with the room's motion. */
const room = (count: number): Data[] =>
  Array.from({ length: count }, (_, index): Data[] => {
    const moved = index < 100 ? 0 : Math.min(2, (index - 100) / 20);
    const one = person(0, 0, { position: { x: 1 + moved, y: 2, z: 0 } });
    const frame = poseFrame(index, { persons: index < 200 ? [one] : [] });
    const motion = { name: 'motion', subject: null, value: index < 280 && index > 230 ? 0.6 : 0.01 };
    return index % 10 === 9 ? [frame, measure(index + 6, motion)] : [frame];
  }).flat();

export const operator: OperatorDriver = {
  component: detectInactivity,
  config: { threshold_minutes: 0.1, steps: 2, exits: ['door'] },
  invalid: [{ threshold_minutes: 0 }, { distance_m: 0 }, { steps: 0 }, { motion: 2 }, { exits: 'door' }],
  input: () => room(400),
  runs: 5,
  bad: () => [
    poseFrame(-20, { environment: 'nowhere' }),
    poseFrame(-15, { persons: [person(0, 0, { position: { x: NaN, y: Infinity, z: 0 } })] }),
    poseFrame(-10, { persons: [person(0, 0, { track: null })] }),
    measure(-5, { name: 'motion', subject: null, value: NaN }),
    measure(-5, { name: 'motion', subject: null, environment: 'nowhere' }),
  ],
  // Whoever was there is not in the frame.
  counts: (bad) => bad.port === 'pose' && bad.environment !== 'nowhere',
};
