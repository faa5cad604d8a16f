import { watchZones } from '../../../operators/watch-zones/watch-zones.js';
import { knownAt, type Environment, type PoseFrame } from '../../../pipeline/model/index.js';
import { testEnvironment } from '../../support/context.js';
import { person, poseFrame, START } from '../../support/records.js';
import type { OperatorDriver } from '../operator.js';

/** Zones on the circle of {@link person}, nobody authorised, two persons are a crowd. */
const environment: Environment = {
  ...testEnvironment,
  zones: [
    {
      id: 'east',
      polygon: [
        [2.5, 0],
        [5, 0],
        [5, 4],
        [2.5, 4],
      ],
      kind: 'restricted',
    },
    {
      id: 'till',
      polygon: [
        [0, 2],
        [2, 2],
        [2, 4],
        [0, 4],
      ],
      funnel: 'purchase',
    },
  ],
  authorised: { hours: [] },
  crowd_persons: 2,
};

/**
 * Five minutes of two people who walk in a circle, one frame per second; one is out of sight for a while, and
 * for another while there is no input.
 */
const walk = (): PoseFrame[] =>
  Array.from({ length: 300 }, (_, second) => second)
    .filter((second) => second < 200 || second >= 230)
    .map((second) => {
      const who = second < 90 || second >= 100 ? [0, 1] : [0];
      return poseFrame(second * 10, { persons: who.map((index) => person(second * 10, index)) });
    });

const HOUR_BEFORE = -36_000;

export const operator: OperatorDriver = {
  component: watchZones,
  config: { min_stay_ms: 2000 },
  invalid: [
    { margin_m: -1 },
    { min_stay_ms: 60_001 },
    { min_confidence: 2 },
    { max_gap_ms: 0 },
    { vacant_ms: -1 },
  ],
  environments: [environment],
  input: walk,
  bad: () => [
    poseFrame(HOUR_BEFORE, { environment: 'nowhere' }),
    poseFrame(HOUR_BEFORE, { time: NaN }),
    poseFrame(HOUR_BEFORE, { persons: [person(0, 0, { position: { x: NaN, y: 1, z: 0 } })] }),
    poseFrame(HOUR_BEFORE + 1, { people: 0, signalQuality: NaN }),
  ],
  // Their minute has frames, though nobody is in them.
  reportsBad: (data) => knownAt(data) < START - 60_000_000,
};
