import { detectActivity } from '../../operators/detect-activity/detect-activity.js';
import { watchZones } from '../../operators/watch-zones/watch-zones.js';
import type { AnyOperator, Output } from '../../pipeline/component/index.js';
import type { Data, Environment, Person, PoseFrame, SensedEvent } from '../../pipeline/model/index.js';
import { IMPAIRMENTS } from '../../pipeline/sources/simulator/impairments.js';
import { Stage } from '../../pipeline/sources/simulator/stage.js';
import type { TruthLine } from '../../pipeline/sources/simulator/truth-file.js';
import { withDefaults } from '../kit/definition.js';
import { testContext, testEnvironment } from './context.js';

/**
 * An hour of a simulated flat with known truth: the true poses as frames of a perfect network and tracker,
 * five per second, fed to the operators. Poses do not show falls: their events are also those of a perfect
 * detector.
 */
const RATE_HZ = 5;
export const START = Date.UTC(2026, 2, 2, 12) * 1000;
export const END = START + 3_600_000_000;

export const FLAT: Environment = {
  ...testEnvironment,
  id: 'flat',
  timezone: 'Europe/Berlin',
  size: { x: 5.6, y: 4.4, z: 2.6 },
  crowd_persons: 2,
  authorised: { persons: 1 },
  zones: [
    {
      id: 'west',
      polygon: [
        [0, 0],
        [2, 0],
        [2, 4.4],
        [0, 4.4],
      ],
      kind: 'bed',
    },
    {
      id: 'kitchen',
      polygon: [
        [3.6, 0],
        [5.6, 0],
        [5.6, 2],
        [3.6, 2],
      ],
      kind: 'perimeter',
      funnel: 'entrance',
    },
    {
      id: 'window',
      polygon: [
        [3.6, 2.4],
        [5.6, 2.4],
        [5.6, 4.4],
        [3.6, 4.4],
      ],
      funnel: 'purchase',
    },
  ],
};

/** A resident who falls about twice an hour, and a guest who comes and goes. */
const stage = (): Stage =>
  new Stage(FLAT, {
    seed: 5,
    rateHz: RATE_HZ,
    impairments: IMPAIRMENTS,
    people: [
      {
        script: [
          { activity: 'walk', seconds: 200, speed: 0.9 },
          { activity: 'sit', seconds: 240 },
          { activity: 'walk', seconds: 120, speed: 1 },
          { activity: 'lie', seconds: 300, on: 'bed' },
          { activity: 'get_up' },
          { activity: 'walk', seconds: 100, speed: 0.8 },
          { activity: 'stand', seconds: 60 },
          { activity: 'fall' },
          { activity: 'lie', seconds: 60 },
          { activity: 'get_up' },
          { activity: 'walk', seconds: 60, speed: 1.1 },
        ],
      },
      {
        script: [
          { activity: 'away', seconds: 400 },
          { activity: 'walk', seconds: 180, speed: 1 },
          { activity: 'stand', seconds: 90 },
          { activity: 'walk', seconds: 120, speed: 1 },
          { activity: 'away', seconds: 240 },
        ],
      },
    ],
  });

/** Ground truth, tick by tick. */
export function truth(): TruthLine[][] {
  const scene = stage();
  const ticks: TruthLine[][] = [];
  for (let cycle = 0; ticks.length < 3600 * RATE_HZ; cycle++) {
    const length = scene.enter(cycle);
    const origin = START + (ticks.length / RATE_HZ) * 1e6;
    for (let tick = 0; tick < length && ticks.length < 3600 * RATE_HZ; tick++)
      ticks.push(scene.truth(tick, origin));
  }
  return ticks;
}

/** Frames, and all output of the operators. */
export function recording(ticks: readonly (readonly TruthLine[])[]): Data[] {
  const frames = ticks.map((lines, index) => frameOf(index, lines, ticks[index - 2]));
  const found = [watchZones, detectActivity].flatMap((component) => run(component, frames));
  return [...frames, ...found, ...falls(ticks)];
}

function run(component: AnyOperator, frames: readonly PoseFrame[]): Data[] {
  const { context } = testContext({ environments: [FLAT] });
  const operator = component.create(withDefaults(component, {}) as never, context);
  const given = frames.flatMap((frame) => [
    ...(operator.watermark?.(frame.windowEnd - 1).data ?? []),
    ...(operator.process(frame, 'people') as Output<Data>).data,
  ]);
  return [...given, ...(operator.watermark?.(Infinity).data ?? [])];
}

const frameOf = (frameId: number, lines: readonly TruthLine[], before?: readonly TruthLine[]): PoseFrame => ({
  port: 'pose',
  frameId,
  environment: FLAT.id,
  time: START + (frameId / RATE_HZ) * 1e6,
  windowEnd: START + (frameId / RATE_HZ) * 1e6 + 1e6,
  processingMs: 2,
  persons: lines.filter(({ present }) => present).map((line) => personOf(line, before?.[line.person])),
  links: 2,
  signalQuality: 1,
  provenance: { origin: 'simulated' },
});

function personOf({ person, root, posture, keypoints }: TruthLine, before: TruthLine | undefined): Person {
  const [x, y] = root;
  const seconds = 2 / RATE_HZ;
  const [vx, vy] = before?.present
    ? [(x - before.root[0]) / seconds, (y - before.root[1]) / seconds]
    : [0, 0];
  return {
    confidence: 0.9,
    position: { x, y, z: 0 },
    positionError: 0.07,
    heading: null,
    headingConfidence: 0,
    posture,
    keypoints: keypoints.map(([kx, ky, kz]) => ({ x: kx!, y: ky!, z: kz!, error: 0.05 })),
    articulated: true,
    track: { id: person + 1, state: 'active', age: 100, since: START, velocity: { x: vx, y: vy } },
  };
}

/** Ticks at which a person starts to fall. */
export const fallsOf = (ticks: readonly (readonly TruthLine[])[]): TruthLine[] =>
  ticks.flatMap((lines, index) =>
    lines.filter(
      ({ activity, person }) => activity === 'fall' && ticks[index - 1]?.[person]?.activity !== 'fall',
    ),
  );

const falls = (ticks: readonly (readonly TruthLine[])[]): SensedEvent[] =>
  fallsOf(ticks).map(({ time, person, root }) => ({
    port: 'event',
    id: `flat-fall_detection-${time}`,
    type: 'fall_detection',
    severity: 'high',
    environment: FLAT.id,
    time,
    confidence: 1,
    person: person + 1,
    location: { x: root[0], y: root[1], z: 0 },
    metadata: {},
    source: 'csiflow',
    provenance: { origin: 'simulated' },
  }));
