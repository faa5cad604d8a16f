import { describe, expect, it } from 'vitest';
import { detectInactivity } from '../../operators/detect-inactivity/detect-inactivity.js';
import type { Operator, Output } from '../../pipeline/component/index.js';
import type { Environment, Posture, SensedEvent } from '../../pipeline/model/index.js';
import { withDefaults } from '../kit/definition.js';
import { testContext, testEnvironment } from '../support/context.js';
import { HOP, measure, person, poseFrame, START } from '../support/records.js';

const SECOND = 1_000_000 / HOP;
const environment: Environment = {
  ...testEnvironment,
  zones: [
    {
      id: 'bed',
      kind: 'bed',
      polygon: [
        [0, 0],
        [1, 0],
        [1, 2],
        [0, 2],
      ],
    },
    {
      id: 'door',
      polygon: [
        [4, 3],
        [5, 3],
        [5, 4],
        [4, 4],
      ],
    },
  ],
};

/** With exact places, and a threshold of 12 s. */
const operator = (config: object = {}): Operator =>
  detectInactivity.create(
    withDefaults(detectInactivity, {
      threshold_minutes: 0.2,
      steps: 1,
      posture_lasts_ms: 3000,
      ...config,
    }) as never,
    testContext({ environments: [environment] }).context,
  );

interface Being {
  readonly x?: number;
  readonly y?: number;
  readonly posture?: Posture;
  readonly id?: number;
  readonly state?: 'tentative' | 'active' | 'lost';
}

/**
 * Events for frames from second `from` to second `to`, each with the people that `who` returns for its
 * second.
 */
function watch(
  node: Operator,
  from: number,
  to: number,
  who: (second: number) => readonly Being[],
): SensedEvent[] {
  const events: SensedEvent[] = [];
  for (let index = from * SECOND; index < to * SECOND; index++) {
    const persons = who(index / SECOND).map(
      ({ x = 2, y = 2, posture = 'upright', id = 1, state = 'active' }) => {
        const one = person(0, 0, { posture, position: { x, y, z: 0 } });
        return { ...one, track: { ...one.track!, id, state } };
      },
    );
    events.push(...(node.process(poseFrame(index, { persons }), 'people') as Output<SensedEvent>).data);
  }
  return events;
}

/** Motion of the room, once a second. */
const motion = (node: Operator, from: number, to: number, value: number): SensedEvent[] =>
  Array.from({ length: to - from }, (_, i) => measure((from + i) * SECOND, { subject: null, value })).flatMap(
    (one) => (node.process(one, 'motion') as Output<SensedEvent>).data,
  );

const still = () => [{}];
const seconds = (events: readonly SensedEvent[]) => events.map(({ time }) => (time - START) / 1e6);

describe('detect-inactivity', () => {
  it('reports a long stretch without movement once', () => {
    expect(watch(operator(), 0, 60, still)).toEqual([
      expect.objectContaining({
        id: `test-room-inactivity-1-${START / 1000}`,
        type: 'inactivity',
        severity: 'medium',
        time: START + 12_000_000,
        person: 1,
        location: { x: 2, y: 2, z: 0 },
        metadata: { minutes: 0.2, posture: 'upright', in_sight: true },
      }),
    ]);
  });

  it('reports again after the person moved and kept still once more', () => {
    const events = watch(operator(), 0, 60, (t) => [{ x: t < 30 ? 2 : 2.6 }]);
    expect(seconds(events)).toEqual([12, 42]);
  });

  it('does not take jitter of the place for movement, nor a brief posture', () => {
    const waver = (t: number) => [
      { x: 2 + 0.2 * Math.sin(t), posture: t % 10 >= 8 ? 'sitting' : 'upright' } as const,
    ];
    expect(seconds(watch(operator(), 0, 30, waver))).toEqual([12]);
  });

  it('treats occasional jumps of the place as errors, if it needs several steps', () => {
    const jumps = (every: number) => (t: number) => [{ x: Math.floor(t / every) % 2 === 0 ? 1 : 3 }];
    expect(seconds(watch(operator({ steps: 5 }), 0, 30, jumps(4)))).toEqual([12]);
    expect(watch(operator({ steps: 5 }), 0, 30, jumps(1))).toEqual([]);
  });

  it('treats another posture as movement, and lying on the floor as more severe', () => {
    const events = watch(operator(), 0, 30, (t) => [{ posture: t < 8 ? 'upright' : 'lying' }]);
    expect(events).toMatchObject([
      { time: START + 23_000_000, severity: 'high', metadata: { posture: 'lying' } },
    ]);
  });

  it('ignores a sleeper in a bed by default, but not a person sitting on it', () => {
    const lying = () => [{ x: 0.5, y: 1, posture: 'lying' } as const];
    const sitting = () => [{ x: 0.5, y: 1, posture: 'sitting' } as const];
    expect(watch(operator(), 0, 60, lying)).toEqual([]);
    expect(watch(operator({ ignore_bed: false }), 0, 60, lying)).toMatchObject([{ severity: 'medium' }]);
    expect(watch(operator(), 0, 60, sitting)).toHaveLength(1);
  });

  it('counts from getting up after sleep, even out of sight', () => {
    const node = operator();
    const bed = { x: 0.5, y: 1 };
    const asleep = watch(node, 0, 40, (t) => (t < 20 ? [{ ...bed, posture: 'lying' }] : []));
    const awake = watch(node, 40, 60, () => [{ ...bed, posture: 'sitting' }]);
    expect(asleep).toEqual([]);
    expect(seconds(awake)).toEqual([52]);
  });

  it.each([
    ['motion of the room, where one person is there', [{}], [26]],
    ['nothing of it, where several are', [{}, { id: 2, x: 4 }], [12, 12]],
  ] as const)('believes %s', (_, people, expected) => {
    const node = operator();
    const events = [
      ...watch(node, 0, 10, () => people),
      ...motion(node, 10, 15, 0.6),
      ...watch(node, 15, 40, () => people),
    ];
    expect(seconds(events)).toEqual(expected);
  });

  it('treats a short burst of motion as noise', () => {
    const node = operator();
    watch(node, 0, 10, still);
    const events = [...motion(node, 10, 12, 0.6), ...motion(node, 12, 13, 0), ...watch(node, 13, 20, still)];
    expect(seconds(events)).toEqual([12]);
  });

  it('watches a track lost while still, until the room moves', () => {
    const lost = (t: number): readonly Being[] => (t < 5 ? [{}] : [{ state: 'lost' }]);
    expect(watch(operator(), 0, 30, lost)).toMatchObject([
      { time: START + 12_000_000, person: 1, metadata: { in_sight: false } },
    ]);
    const node = operator();
    watch(node, 0, 8, lost);
    motion(node, 8, 11, 0.6);
    expect(seconds(watch(node, 11, 40, () => []))).toEqual([22]);
  });

  it('releases a person who walked out, but not one who fell', () => {
    const leaves = (t: number): readonly Being[] => (t < 6 ? [{ x: 1 + t / 2 }] : []);
    expect(watch(operator(), 0, 40, leaves)).toEqual([]);
    const falls = (t: number): readonly Being[] =>
      t < 6 ? [{ x: 1 + t / 2, posture: t < 5.5 ? 'upright' : 'lying' }] : [];
    expect(watch(operator(), 0, 40, falls)).toHaveLength(1);
  });

  it('lets people leave only by the exits, if there are any', () => {
    const towards = (x: number, y: number) => (t: number) => (t < 5 ? [{ x: x - 2 + 0.4 * t, y }] : []);
    const config = { exits: ['door'] };
    expect(watch(operator(config), 0, 40, towards(4.5, 3.5))).toEqual([]);
    expect(watch(operator(config), 0, 40, towards(3, 2))).toHaveLength(1);
  });

  it('takes a new person for the one out of sight', () => {
    const events = watch(operator(), 0, 30, (t) => (t < 5 ? [{}] : t < 10 ? [] : [{ id: 2 }]));
    expect(events.map(({ person: id }) => id)).toEqual([2]);
  });
});
