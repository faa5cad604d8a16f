import { detectActivity } from '../../../operators/detect-activity/detect-activity.js';
import type { PoseFrame, Posture } from '../../../pipeline/model/index.js';
import { person, poseFrame, HOP } from '../../support/records.js';
import type { OperatorDriver } from '../operator.js';

/**
 * Two people who are upright, sit and lie for 7 s each in turn; one sometimes walks, and is out of sight for
 * a while.
 */
const day = (count: number): PoseFrame[] =>
  Array.from({ length: count }, (_, index) => {
    const seen = index < 200 || index >= 260 ? [0, 1] : [0];
    return poseFrame(index, { persons: seen.map((who) => doing(index, who)) });
  });

function doing(index: number, who: number) {
  const posture = (['upright', 'sitting', 'upright', 'lying'] as const satisfies Posture[])[
    Math.floor(index / 70 + who) % 4
  ]!;
  const some = person(index, who, { posture });
  const velocity = { x: index % 100 < 40 ? 0.8 : 0.1, y: 0 };
  return { ...some, track: { ...some.track!, velocity } };
}

export const operator: OperatorDriver = {
  component: detectActivity,
  config: { dwell_ms: 10 * (HOP / 1000) },
  invalid: [{ walking_m_s: 0 }, { dwell_ms: -1 }, { max_gap_ms: 0 }],
  runs: 5,
  input: () => day(700),
  bad: () => {
    const wrong = person(0, 0, { position: { x: NaN, y: Infinity, z: 0 }, track: null });
    const still = { ...person(0), track: { ...person(0).track!, velocity: { x: NaN, y: NaN } } };
    return [
      poseFrame(-20, { environment: 'nowhere' }),
      poseFrame(-15, { persons: [wrong] }),
      poseFrame(-10, { persons: [still] }),
    ];
  },
};
