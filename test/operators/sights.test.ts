import { describe, expect, test } from 'vitest';
import { detectActivity } from '../../operators/detect-activity/detect-activity.js';
import { detectInactivity } from '../../operators/detect-inactivity/detect-inactivity.js';
import { Sights } from '../../operators/shared/sights.js';
import { watchZones } from '../../operators/watch-zones/watch-zones.js';
import type { AnyOperator, Output } from '../../pipeline/component/index.js';
import type { Data, Person, PoseFrame } from '../../pipeline/model/index.js';
import { withDefaults } from '../kit/definition.js';
import { testContext } from '../support/context.js';
import { person, poseFrame, START } from '../support/records.js';

/** Frames per second. */
const RATE = 5;
const FRAME = 1_000_000 / RATE;

/** The network's confidence in the one person at a second; null: the track is lost. */
type Sure = (second: number) => number | null;

/**
 * A false person: claimed in one frame of seven, a few in a row, hardly ever with the confidence of a walker.
 */
const phantom: Sure = (second) => (second % 7 < 1 ? (second % 70 === 0 ? 0.51 : 0.38) : null);
/** Walks in, then lies: seen in every other frame, hardly with more confidence than a false person. */
const sleeper: Sure = (second) => (second < 5 ? 0.6 : Math.round(second * RATE) % 2 === 0 ? 0.33 : null);

const someone = (sure: number | null, posture: Person['posture']): Person => ({
  ...person(0, 0, { confidence: sure ?? 0.1, posture, position: { x: 2, y: 2, z: 0 } }),
  track: {
    ...{ id: 1, age: 9, since: START, velocity: { x: 0, y: 0 } },
    state: sure === null ? 'lost' : 'active',
  },
});

const frames = (seconds: number, sure: Sure, posture: Person['posture'] = 'sitting'): PoseFrame[] =>
  Array.from({ length: seconds * RATE }, (_, index) => {
    const time = START + index * FRAME;
    const persons = [someone(sure(index / RATE), posture)];
    return poseFrame(index, { time, windowEnd: time + 1_000_000, persons, signalQuality: 1 });
  });

function run(component: AnyOperator, input: readonly PoseFrame[], config: object = {}) {
  const { context } = testContext();
  const operator = component.create(withDefaults(component, config) as never, context);
  const given = input.flatMap((frame) => [
    ...(operator.watermark?.(frame.windowEnd - 1).data ?? []),
    ...(operator.process(frame, 'people') as Output<Data>).data,
  ]);
  return [...given, ...(operator.watermark?.(Infinity).data ?? [])];
}

const total = (data: readonly Data[], name: string): number =>
  data.reduce((sum, one) => sum + (one.port === 'measure' && one.name === name ? one.value : 0), 0);

describe('a network that occasionally claims a person in an empty room', () => {
  const empty = frames(600, phantom);

  test('fills no room', () => {
    const found = run(watchZones, empty);
    expect(total(found, 'seconds_with_0_persons')).toBeCloseTo(600, -1);
    for (const name of ['presence_seconds', 'person_entered', 'person_seconds'])
      expect([name, total(found, name)]).toEqual([name, 0]);
    expect(total(found, 'detections')).toBe(9);
  });

  test('does nothing, and is not reported as inactive', () => {
    expect(total(run(detectActivity, empty), 'sitting_seconds')).toBeLessThan(5);
    expect(run(detectInactivity, empty, { threshold_minutes: 1 })).toEqual([]);
  });
});

describe('a person who walks in and then keeps still', () => {
  const asleep = frames(600, sleeper, 'lying');

  test('is present all the time', () => {
    const found = run(watchZones, asleep);
    expect(total(found, 'person_entered')).toBe(1);
    expect(total(found, 'presence_seconds')).toBeCloseTo(600, -1);
  });

  test('lies, and is reported when that is long', () => {
    expect(total(run(detectActivity, asleep), 'lying_seconds')).toBeGreaterThan(500);
    expect(run(detectInactivity, asleep, { threshold_minutes: 5 })).toHaveLength(1);
  });

  test('has left once the network claims them as rarely as in an empty room', () => {
    const left = frames(300, (second) => (second < 60 ? 0.6 : phantom(second)));
    const found = run(watchZones, left);
    const seconds = total(found, 'presence_seconds');
    expect(seconds).toBeGreaterThan(60);
    expect(seconds).toBeLessThan(100);
  });
});

describe('Sights', () => {
  const settings = { min_confidence: 0.2, arrival_confidence: 0.5, min_sight: 0.4 };
  /** Seconds until a person is first present; null: never. */
  const comes = (sights: Sights, seconds: number, sure: Sure): number | null => {
    for (const { time, persons } of frames(seconds, sure)) {
      sights.see(time, persons);
      if (sights.isThere(persons[0]!)) return (time - START) / 1_000_000;
    }
    return null;
  };

  test('accepts certain persons at once, and uncertain ones once they were in sight for long', () => {
    expect(comes(new Sights(settings, []), 60, () => 0.5)).toBe(0);
    expect(comes(new Sights(settings, []), 60, () => 0.3)).toBeCloseTo(15.4, 0);
    expect(comes(new Sights(settings, []), 60, () => 0.1)).toBeNull();
    expect(comes(new Sights({ ...settings, arrival_confidence: 0 }, []), 60, () => 0.3)).toBe(0);
  });

  test('trusts one frame no longer than it lasts', () => {
    const sights = new Sights(settings, []);
    const there = frames(20, (second) => (second === 3 ? 0.6 : 0.3)).filter(({ time, persons }) => {
      sights.see(time, persons);
      return sights.isThere(persons[0]!);
    });
    expect((there[0]!.time - START) / 1_000_000).toBe(3);
    expect((there[1]!.time - START) / 1_000_000).toBeGreaterThan(15);
  });

  test('does not count a gap without frames as time in sight', () => {
    const sights = new Sights(settings, []);
    for (const minute of [0, 1, 2, 3]) {
      const one = someone(0.3, 'sitting');
      sights.see(START + minute * 60_000_000, [one]);
      expect(sights.isThere(one)).toBe(false);
    }
  });

  test('forgets ended tracks, and follows at most 256', () => {
    const sights = new Sights(settings, []);
    const many = Array.from({ length: 300 }, (_, id) => {
      const one = someone(0.9, 'upright');
      return { ...one, track: { ...one.track!, id } };
    });
    sights.see(START, many);
    expect(sights.snapshot()).toHaveLength(256);
    sights.see(START + 1, [many[0]!]);
    expect(sights.snapshot()).toHaveLength(1);
  });
});
