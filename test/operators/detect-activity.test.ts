import { describe, expect, it } from 'vitest';
import { detectActivity } from '../../operators/detect-activity/detect-activity.js';
import type { Operator, Output } from '../../pipeline/component/index.js';
import type { Data, Measure, Posture, SensedEvent } from '../../pipeline/model/index.js';
import { withDefaults } from '../kit/definition.js';
import { testContext } from '../support/context.js';
import { HOP, person, poseFrame, START } from '../support/records.js';

/** Frames from the records' frame 0 to a full minute: 22:13:20 to 22:14. */
const TO_MINUTE = 400;
const MINUTE = START + TO_MINUTE * HOP;

const operator = (config: object = {}): Operator =>
  detectActivity.create(withDefaults(detectActivity, config) as never, testContext().context);

interface Doing {
  readonly posture?: Posture;
  readonly speed?: number;
  readonly state?: 'tentative' | 'active' | 'lost' | 'ended';
  readonly id?: number;
}

/** Frame `index` with these people; without any, it is empty. */
const frame = (index: number, ...people: Doing[]) =>
  poseFrame(index, {
    persons: people.map(({ posture = 'upright', speed = 0, state = 'active', id = 1 }) => {
      const one = person(index, 0, { posture });
      return { ...one, track: { ...one.track!, id, state, velocity: { x: 0, y: speed } } };
    }),
  });

/** The operator's output for frames `from` to `to`, each as `what` describes. */
function feed(node: Operator, from: number, to: number, what: (index: number) => Doing): SensedEvent[] {
  const out: Data[] = [];
  for (let index = from; index < to; index++)
    out.push(...(node.process(frame(index, what(index)), 'people') as Output<Data>).data);
  return out as SensedEvent[];
}

const close = (node: Operator, time = Infinity): readonly Measure[] =>
  (node.watermark!(time) as Output<Measure>).data;

/** Seconds by name, over all minutes and persons. */
function totals(measures: readonly Measure[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { name, value } of measures) sums[name] = Math.round(((sums[name] ?? 0) + value) * 1000) / 1000;
  return sums;
}

describe('detect-activity', () => {
  it.each([
    ['walking', { speed: 0.5 }],
    ['walking', { speed: 0.5, posture: 'sitting' }],
    ['standing', { speed: 0.1 }],
    ['sitting', { posture: 'sitting', speed: 0.1 }],
    ['lying', { posture: 'lying', speed: 0.5 }],
  ] as const)('calls it %s: %j', (activity, doing) => {
    const node = operator();
    feed(node, 0, 101, () => doing);
    expect(totals(close(node))).toEqual({ [`${activity}_seconds`]: 10 });
  });

  it('counts another activity from its start, once it has lasted long enough', () => {
    const node = operator();
    const events = feed(node, 0, 101, (index) => ({ posture: index < 40 ? 'sitting' : 'upright' }));
    expect(events).toEqual([
      expect.objectContaining({
        id: `test-room-activity_changed-1-${(START + 40 * HOP) / 1000}`,
        type: 'activity_changed',
        severity: 'low',
        person: 1,
        time: START + 40 * HOP,
        metadata: { activity: 'standing', previous: 'sitting', seconds: 4 },
      }),
    ]);
    expect(totals(close(node))).toEqual({ sitting_seconds: 4, standing_seconds: 6 });
  });

  it('counts a shorter one as the activity before it, even at the very end', () => {
    const node = operator();
    const brief = (index: number) => index % 50 >= 35;
    const events = feed(node, 0, 101, (index) => ({ posture: brief(index) ? 'lying' : 'sitting' }));
    expect(events).toEqual([]);
    expect(totals(close(node))).toEqual({ sitting_seconds: 10 });
    const other = operator();
    feed(other, 0, 101, (index) => ({ posture: index < 90 ? 'sitting' : 'lying' }));
    expect(totals(close(other))).toEqual({ sitting_seconds: 10 });
  });

  it('lets a person walk until the speed is below half of the threshold', () => {
    const node = operator();
    feed(node, 0, 101, (index) => ({ speed: index < 20 ? 0.4 : index < 60 ? 0.2 : 0.1 }));
    expect(totals(close(node))).toEqual({ walking_seconds: 6, standing_seconds: 4 });
  });

  it('writes a minute once nothing in it is undecided, and not again', () => {
    const node = operator();
    feed(node, 0, TO_MINUTE + 100, () => ({ posture: 'lying' }));
    // Half a second of window, 2 s of dwell, 1 s of gap.
    const due = MINUTE + 3_500_000;
    expect(close(node, due - 1)).toEqual([]);
    expect(close(node, due)).toEqual([
      expect.objectContaining({ name: 'lying_seconds', subject: '1', time: MINUTE - 60_000_000, value: 40 }),
    ]);
    expect(close(node, due)).toEqual([]);
    expect(close(node)).toMatchObject([{ name: 'lying_seconds', time: MINUTE, value: 9.9 }]);
  });

  it('assigns the seconds of a late decision to their own minute', () => {
    const node = operator();
    feed(node, 0, TO_MINUTE + 100, (index) => ({ posture: index < TO_MINUTE - 10 ? 'lying' : 'upright' }));
    expect(close(node, MINUTE + 4_000_000)).toMatchObject([
      { name: 'standing_seconds', value: 1 },
      { name: 'lying_seconds', value: 39 },
    ]);
  });

  it('counts no time out of sight, nor of uncertain tracks', () => {
    const node = operator();
    feed(node, 0, 150, (index) => ({
      state: index < 30 ? 'tentative' : index < 60 || index >= 120 ? 'active' : 'lost',
    }));
    expect(totals(close(node))).toEqual({ standing_seconds: 5.8 });
  });

  it('keeps persons separate, and forgets ended tracks', () => {
    const node = operator();
    for (let index = 0; index <= 50; index++)
      void node.process(frame(index, { id: 1, posture: 'sitting' }, { id: 2, speed: 1 }), 'people');
    void node.process(frame(51, { id: 1, state: 'ended' }, { id: 2, state: 'ended' }), 'people');
    expect((node.snapshot!() as { pages: unknown[] }[])[0]!.pages).toEqual([]);
    expect(close(node)).toMatchObject([
      { subject: '1', name: 'sitting_seconds', value: 5 },
      { subject: '2', name: 'walking_seconds', value: 5 },
    ]);
  });

  it('follows at most a thousand persons', () => {
    const node = operator();
    for (let index = 0; index < 12; index++) {
      const people = Array.from({ length: 100 }, (_, k) => ({ id: 100 * index + k }));
      void node.process(frame(index, ...people), 'people');
    }
    expect((node.snapshot!() as { pages: unknown[] }[])[0]!.pages).toHaveLength(1000);
  });
});
