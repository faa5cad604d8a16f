import type { Data, Measure, Person, PoseFrame, SensedEvent } from '../../model/index.js';

/** Records for tests, with values that a store returns exactly (lengths in whole millimetres). */

const model = {
  name: 'test-net',
  version: '1.2.0',
  trainedOn: 'simulated CSI',
  accuracy: 'docs/accuracy.md',
} as const;

/** Event time of frame 0: 2023-11-14T22:13:20Z. */
export const START = 1_700_000_000_000_000;
/** Microseconds between frames. */
export const HOP = 100_000;

const millimetres = (value: number): number => Math.round(value * 1000) / 1000 + 0;

/** Person `index` of frame `frameId`: somewhere on a circle, so that neighbouring rows differ. */
export function person(frameId: number, index = 0, overrides: Partial<Person> = {}): Person {
  const x = millimetres(2 + Math.cos(frameId / 50 + index));
  const y = millimetres(2 + Math.sin(frameId / 50 + index));
  return {
    confidence: 0.5 + ((frameId + index) % 50) / 100,
    position: { x, y, z: 0 },
    positionError: 0.25,
    heading: index % 2 === 0 ? 1.5 : null,
    headingConfidence: 0.125,
    posture: 'upright',
    keypoints: Array.from({ length: 17 }, (_, k) => ({
      x: millimetres(x + k / 100),
      y: millimetres(y - k / 100),
      z: millimetres(1.7 - k / 10),
      error: 0.05,
    })),
    articulated: true,
    track: {
      id: index + 1,
      state: 'active',
      age: frameId + 1,
      since: START,
      velocity: { x: 0.1, y: -0.2 },
    },
    ...overrides,
  };
}

/** Frame `frameId` of a room, with `persons` people. */
export function poseFrame(
  frameId: number,
  overrides: Partial<PoseFrame> & { people?: number } = {},
): PoseFrame {
  const { people = 1, ...rest } = overrides;
  const time = START + frameId * HOP;
  return {
    port: 'pose',
    frameId,
    environment: 'test-room',
    time,
    windowEnd: time + 500_000,
    processingMs: 3.25,
    persons: Array.from({ length: people }, (_, index) => person(frameId, index)),
    links: 2,
    signalQuality: 0.975,
    provenance: { origin: 'simulated', model },
    ...rest,
  };
}

export const sensedEvent = (index: number, overrides: Partial<SensedEvent> = {}): SensedEvent => ({
  port: 'event',
  id: `test-room/fall_detection/${index}`,
  type: 'fall_detection',
  severity: 'high',
  environment: 'test-room',
  time: START + index * HOP,
  confidence: 0.8125,
  person: 1,
  location: { x: 1.234_567_8, y: 2, z: 0.1 },
  metadata: { fall_duration: 1.5, recovery_detected: false, rule: 'net' },
  source: 'csiflow',
  provenance: { origin: 'live' },
  ...overrides,
});

export const measure = (index: number, overrides: Partial<Measure> = {}): Measure => ({
  port: 'measure',
  name: 'motion',
  environment: 'test-room',
  subject: 'link-1',
  time: START + index * HOP,
  value: Math.sin(index),
  source: 'csiflow',
  provenance: { origin: 'live' },
  ...overrides,
});

/** Record `index` of results of every port: pose frames, events and measures in turn. */
export const resultRecord = (index: number): Data => [poseFrame, sensedEvent, measure][index % 3]!(index);

/** Identifies the records of {@link resultRecord}. */
export function resultIdentity(data: Data): string {
  if (data.port === 'csi' || data.port === 'window') throw new TypeError(`${data.port} is not a result`);
  return `${data.port} ${(data.time - START) / HOP}`;
}
