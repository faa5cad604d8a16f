import { watchZones } from '../../../operators/watch-zones/watch-zones.js';
import { knownAt, type Environment, type Measure, type PoseFrame } from '../../../pipeline/model/index.js';
import { testEnvironment } from '../../support/context.js';
import { measure, person, poseFrame, START } from '../../support/records.js';
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
 * for another while there is no input. Then they have walked out of the room, which motion
 * holds, for most of the time: snapshots and jumps of the clock fall into it.
 */
const walk = (): (PoseFrame | Measure)[] =>
  Array.from({ length: 300 }, (_, second) => second)
    .filter((second) => second < 50 || second >= 65)
    .flatMap((second) => [...(second % 30 === 0 ? motion(second) : []), seenAt(second)]);

function seenAt(second: number): PoseFrame {
  const isEmpty = second >= 80 && second < 290;
  const who = isEmpty ? [] : second < 30 || second >= 40 ? [0, 1] : [0];
  return poseFrame(second * 10, {
    links: 3,
    counts: isEmpty ? [0.95, 0.05, 0, 0, 0] : [0, 0.5, 0.5, 0, 0],
    persons: who.map((index) => person(second * 10, index)),
  });
}

/** Measures of `detect-motion`: somebody is there. */
const motion = (second: number): Measure[] =>
  (
    [
      ['presence_probability', 0.98],
      ['presence', 1],
    ] as const
  ).map(([name, value]) => measure(second * 10, { name, value, subject: null }));

const HOUR_BEFORE = -36_000;

export const operator: OperatorDriver = {
  component: watchZones,
  config: { min_stay_ms: 2000, vacant_ms: 200_000 },
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
