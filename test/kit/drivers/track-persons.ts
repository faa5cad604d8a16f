import { trackPersons } from '../../../operators/track-persons/track-persons.js';
import type { PoseFrame } from '../../../pipeline/model/index.js';
import { person, poseFrame } from '../../support/records.js';
import type { OperatorDriver } from '../operator.js';

/** Two walking people; one is out of sight for a while. */
const walk = (count: number): PoseFrame[] =>
  Array.from({ length: count }, (_, index) => {
    const seen = index < 20 || index >= 30 ? [0, 1] : [0];
    return poseFrame(index, { persons: seen.map((who) => person(index, who, { track: null })) });
  });

export const operator: OperatorDriver = {
  component: trackPersons,
  config: { max_age_ms: 500, max_persons: 2 },
  invalid: [{ gate_sigma: -1 }, { max_persons: 0 }, { min_hits: 0 }, { min_confidence: 2 }],
  input: () => walk(60),
  bad: () => {
    const nowhere = person(0, 0, {
      position: { x: NaN, y: Infinity, z: 0 },
      positionError: NaN,
      track: null,
    });
    return [poseFrame(-20, { environment: 'nowhere' }), poseFrame(-10, { persons: [nowhere] })];
  },
  // Whoever was there is not in the frame.
  counts: (bad) => bad.port === 'pose' && bad.environment !== 'nowhere',
};
