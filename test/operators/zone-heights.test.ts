import { describe, expect, test } from 'vitest';
import { detectActivity } from '../../operators/detect-activity/detect-activity.js';
import { detectFalls } from '../../operators/detect-falls/detect-falls.js';
import { detectInactivity } from '../../operators/detect-inactivity/detect-inactivity.js';
import { watchZones } from '../../operators/watch-zones/watch-zones.js';
import type { AnyOperator, Output } from '../../pipeline/component/index.js';
import type { Data, Measure, PoseFrame, SensedEvent, Zone } from '../../pipeline/model/index.js';
import { bursts, START, windows } from '../falls/hand-made.js';
import { withDefaults } from '../kit/definition.js';
import { testContext, testEnvironment } from '../support/context.js';
import { person, poseFrame } from '../support/records.js';

/** What the frame at a second shows of one person: where, how high, and whether with a skeleton. */
interface Shown {
  readonly x?: number;
  readonly height?: number;
  readonly articulated?: boolean;
  readonly links?: number;
}
type Scene = (second: number) => Shown;

/** The corner of the room, two metres wide. */
const CORNER = { polygon: [[0, 0], [2, 0], [2, 4], [0, 4]] } satisfies Partial<Zone>; // prettier-ignore
const [HERE, ELSEWHERE] = [1, 3];

const frame = (second: number, scene: Scene): PoseFrame => {
  const { x = HERE, height = 1.7, articulated = true, links = 4 } = scene(second);
  const time = START + second * 1e6;
  const keypoints = Array.from({ length: 17 }, (_, k) => ({ x, y: 1, z: height - k / 100, error: 0.1 }));
  const posture = height < 0.6 ? 'lying' : 'upright';
  const track = { id: 1, state: 'active', age: 9, since: START, velocity: { x: 0, y: 0 } } as const;
  const one = {
    confidence: 0.8,
    position: { x, y: 1, z: 0 },
    keypoints,
    articulated,
    posture,
    track,
  } as const;
  const index = Math.round(second * 5);
  return poseFrame(index, { time, windowEnd: time + 1e6, persons: [person(0, 0, one)], links });
};

const frames = (seconds: number, scene: Scene): PoseFrame[] =>
  Array.from({ length: seconds * 5 }, (_, index) => frame(index / 5, scene));

function run(component: AnyOperator, zone: Zone, input: readonly Data[], config: object = {}) {
  const { context, recorded } = testContext({ environments: [{ ...testEnvironment, zones: [zone] }] });
  const operator = component.create(withDefaults(component, config) as never, context);
  const during = input.flatMap((data) => (operator.process(data, 'in') as Output<Data>).data);
  const data = [...during, ...(operator.watermark?.(Infinity).data ?? [])];
  return {
    events: data.filter((one): one is SensedEvent => one.port === 'event'),
    measures: data.filter((one): one is Measure => one.port === 'measure'),
    dropped: recorded.dropped,
  };
}

/** Changes of the number of people in the zone, or in the environment. */
const occupancy = (measures: readonly Measure[], subject: string | null): number[] =>
  measures.filter((one) => one.name === 'occupancy' && one.subject === subject).map(({ value }) => value);

describe('heights of a zone', () => {
  const counts = (zone: Partial<Zone>, scene: Scene) =>
    occupancy(run(watchZones, { id: 'shelf', ...CORNER, ...zone }, frames(10, scene)).measures, 'shelf');

  test.each([
    ['none', {}, 0.4, [1]],
    ['from 1 m', { min_height: 1 }, 1.7, [1]],
    ['from 1 m', { min_height: 1 }, 0.4, [0]],
    ['to 1 m', { max_height: 1 }, 0.4, [1]],
    ['to 1 m', { max_height: 1 }, 1.7, [0]],
    ['from 0.3 to 1 m', { min_height: 0.3, max_height: 1 }, 0.2, [0]],
  ])('%s: %j with a person of %d m', (_, zone, height, expected) => {
    expect(counts(zone, () => ({ height }))).toEqual(expected);
  });

  test('say nothing about a person without a skeleton', () => {
    expect(counts({ max_height: 1 }, () => ({ articulated: false }))).toEqual([1]);
  });

  test('a person leaves the zone by standing up', () => {
    expect(counts({ max_height: 1 }, (second) => ({ height: second < 5 ? 0.4 : 1.7 }))).toEqual([1, 0]);
  });
});

describe('a pet area', () => {
  const basket: Zone = { id: 'basket', kind: 'pet', max_height: 0.8, ...CORNER };
  const low: Scene = () => ({ height: 0.4 });

  test('counts nobody who has been low ever since they appeared', () => {
    const { measures, events } = run(watchZones, basket, frames(70, low));
    expect(events).toEqual([]);
    expect(occupancy(measures, null)).toEqual([0]);
    expect(measures.filter(({ name }) => /seconds$|person_entered/.test(name))).toEqual([]);
  });

  test('has no activity and no inactivity of pets', () => {
    expect(run(detectActivity, basket, frames(70, low)).measures).toEqual([]);
    expect(run(detectInactivity, basket, frames(70, low), { threshold_minutes: 0.5 }).events).toEqual([]);
  });

  test.each<[string, Scene]>([
    ['who stood there before', (second) => ({ height: second < 5 ? 1.7 : 0.4 })],
    ['who came from elsewhere', (second) => ({ x: second < 5 ? ELSEWHERE : HERE, height: 0.4 })],
    ['whose height was unknown', (second) => ({ articulated: second >= 5, height: 0.4 })],
  ])('counts and watches a person %s', (_, scene) => {
    expect(occupancy(run(watchZones, basket, frames(70, scene)).measures, null).at(-1)).toBe(1);
    const { events } = run(detectInactivity, basket, frames(70, scene), { threshold_minutes: 0.5 });
    expect(events.map(({ severity }) => severity)).toEqual(['high']);
  });
});

describe('falls', () => {
  const config = { threshold: -50, warm_up_ms: 0 };
  /** A burst of motion at second 20, with what poses show. */
  const fall = (zone: Zone, scene: Scene) => {
    const input = windows(40, bursts(20)).flatMap((one, second) => [frame(second, scene), one]);
    const { events, dropped } = run(detectFalls, zone, input, config);
    const isAt20 = ({ time }: SensedEvent) => Math.abs(time - START - 20e6) < 1e6;
    const reported = events.filter(isAt20);
    return { reported: reported.length, places: reported.map(({ location }) => location?.x), dropped };
  };
  const lies: Scene = (second) => ({ height: second < 20 ? 1.7 : 0.4 });
  const bed: Zone = { id: 'bed', kind: 'bed', ...CORNER };

  test.each(['bed', 'sofa'] as const)('into a zone of kind %s are not reported', (kind) => {
    const { reported, dropped } = fall({ ...bed, kind }, lies);
    expect(reported).toBe(0);
    expect(dropped['resting']).toBeGreaterThan(0);
  });

  test.each<[string, Zone, Scene]>([
    ['into a zone of no kind', { id: 'rug', ...CORNER }, lies],
    ['beside the bed', bed, (second) => ({ ...lies(second), x: ELSEWHERE })],
    ['out of the bed', bed, (second) => ({ ...lies(second), x: second < 22 ? HERE : ELSEWHERE })],
    ['on the floor below the height of the bed', { ...bed, min_height: 0.6 }, lies],
    ['that too few links saw', bed, (second) => ({ ...lies(second), links: 2 })],
    ['of a person in a pet area', { id: 'rug', kind: 'pet', max_height: 0.8, ...CORNER }, lies],
  ])('%s are reported', (_, zone, scene) => {
    expect(fall(zone, scene)).toMatchObject({ reported: 1 });
  });

  test('out of the bed have a place in its zone, so Home Assistant can show the fall of a bed', () => {
    const scene: Scene = (second) => ({ ...lies(second), x: second < 22 ? HERE : ELSEWHERE });
    expect(fall(bed, scene).places).toEqual([HERE]);
  });

  test('of a pet in its area are not reported', () => {
    const { reported, dropped } = fall({ id: 'rug', kind: 'pet', max_height: 0.8, ...CORNER }, () => ({
      height: 0.4,
    }));
    expect(reported).toBe(0);
    expect(dropped['pet']).toBeGreaterThan(0);
  });
});

test('a person who lies on a sofa for long is reported, with less urgency than on the floor', () => {
  const severities = (kind?: Zone['kind']) =>
    run(
      detectInactivity,
      { id: 'seat', ...CORNER, ...(kind && { kind }) },
      frames(70, () => ({ height: 0.4 })),
      {
        threshold_minutes: 0.5,
      },
    ).events.map(({ severity }) => severity);
  expect([severities(), severities('sofa'), severities('bed')]).toEqual([['high'], ['medium'], []]);
});
