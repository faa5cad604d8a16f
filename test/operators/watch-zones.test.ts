import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { depth } from '../../operators/shared/polygon.js';
import { watchZones } from '../../operators/watch-zones/watch-zones.js';
import type { Operator, Output } from '../../pipeline/component/index.js';
import type { Environment, Measure, Person, PoseFrame, SensedEvent } from '../../pipeline/model/index.js';
import { testContext, testEnvironment } from '../support/context.js';
import { person as anyPerson, poseFrame } from '../support/records.js';
import { withDefaults } from '../kit/definition.js';

/** Monday, 2 March 2026, 12:00 UTC, microseconds. */
const NOON = Date.UTC(2026, 2, 2, 12) * 1000;
const SECOND = 1_000_000;

const square = (x: number, y: number, size: number) => [
  [x, y],
  [x + size, y],
  [x + size, y + size],
  [x, y + size],
];
const ZONES: Environment['zones'] = [
  { id: 'desk', name: 'Desk', polygon: square(0, 0, 1) },
  { id: 'safe', polygon: square(3, 0, 1), kind: 'restricted' },
];

type Place = readonly [x: number, y: number] | null;

/** Persons by number at a second; null: absent. */
type Scene = (second: number) => Readonly<Record<number, Place>>;

const personAt = (id: number, [x, y]: readonly [number, number], overrides: Partial<Person> = {}): Person =>
  anyPerson(0, 0, {
    confidence: 0.8,
    position: { x, y, z: 0 },
    track: { id, state: 'active', age: 9, since: NOON, velocity: { x: 0, y: 0 } },
    ...overrides,
  });

/** A frame every fifth of a second, from a window that ends one second later. */
const frames = (from: number, to: number, scene: Scene): PoseFrame[] =>
  Array.from({ length: Math.round((to - from) * 5) }, (_, index) => {
    const second = from + index / 5;
    const persons = Object.entries(scene(second)).flatMap(([id, place]) =>
      place ? [personAt(Number(id), place)] : [],
    );
    const time = NOON + second * SECOND;
    const frameId = Math.round(second * 5);
    return poseFrame(frameId, { time, windowEnd: time + SECOND, persons, signalQuality: 1 });
  });

interface Found {
  readonly events: readonly SensedEvent[];
  readonly measures: readonly Measure[];
}

const make = (environment: Partial<Environment>, config: object = {}): Operator =>
  watchZones.create(
    withDefaults(watchZones, config) as never,
    testContext({ environments: [{ ...testEnvironment, zones: ZONES, ...environment }] }).context,
  );

/** Like the runtime: event time has reached the end of a frame's window before the frame arrives. */
function watch(operator: Operator, input: readonly PoseFrame[], end = Infinity): Found {
  const outputs = input.flatMap((frame) => [
    operator.watermark!(frame.windowEnd - 1),
    operator.process(frame, 'people') as Output<SensedEvent | Measure>,
  ]);
  const all = [...outputs, operator.watermark!(end + SECOND)].flatMap(({ data }) => data);
  return {
    events: all.filter(({ port }) => port === 'event') as SensedEvent[],
    measures: all.filter(({ port }) => port === 'measure') as Measure[],
  };
}

const reported = ({ events }: Found) =>
  events.map(({ type, time, metadata }) => [type, (time - NOON) / SECOND, metadata['zone'] ?? null]);
const values = ({ measures }: Found, name: string, subject: string | null = null) =>
  measures
    .filter((measure) => measure.name === name && measure.subject === subject)
    .map(({ time, value }) => [(time - NOON) / SECOND, value]);
const OUT = [2, 3] as const;
const DESK = [0.5, 0.5] as const;
const SAFE = [3.5, 0.5] as const;

describe('zones', () => {
  test('an entry and an exit are reported with their time and duration', () => {
    const found = watch(
      make({}),
      frames(0, 30, (s) => ({ 7: s >= 10 && s < 22 ? DESK : OUT })),
    );
    expect(reported(found)).toEqual([
      ['zone_entered', 10, 'desk'],
      ['zone_left', 22, 'desk'],
    ]);
    expect(found.events[1]).toMatchObject({
      id: `test-room-zone_left-desk-7-${NOON / 1000 + 22_000}`,
      person: 7,
      severity: 'low',
      location: { x: 2, y: 3, z: 0 },
      metadata: { zone: 'desk', zone_name: 'Desk', dwell_seconds: 12, out_of_sight: false },
    });
    expect(values(found, 'occupancy', 'desk')).toEqual([
      [0, 0],
      [10, 1],
      [22, 0],
    ]);
  });

  test('noise at an edge gives one entry and no chatter', () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.double({ min: -0.24, max: 0.24, noNaN: true })), (noise) => {
        const scene: Scene = () => ({ 1: [1 + (noise.next().value as number), 0.5] });
        const { events } = watch(make({}, { min_stay_ms: 0 }), frames(0, 20, scene), NOON + 20 * SECOND);
        expect(events.filter(({ type }) => type === 'zone_entered').length).toBeLessThanOrEqual(1);
        expect(events.filter(({ type }) => type === 'zone_left')).toEqual([]);
      }),
      { numRuns: 5 },
    );
  });

  test('a person who walks out slowly has left at the edge', () => {
    const slowly: Scene = (s) => ({ 1: [Math.min(2, 0.5 + s / 10), 0.5] });
    expect(reported(watch(make({}, { min_stay_ms: 3000 }), frames(0, 20, slowly)))[1]).toEqual([
      'zone_left',
      5.2,
      'desk',
    ]);
    // It takes 2.6 s until it is certain: the edge is earlier than anything that may still change.
    expect(reported(watch(make({}), frames(0, 20, slowly)))[1]).toEqual(['zone_left', 6.6, 'desk']);
  });

  test('a brief visit is not reported', () => {
    const scene: Scene = (s) => ({
      1: (s >= 5 && s < 5.8) || s >= 10 ? DESK : OUT,
      2: s === 3 ? SAFE : null,
    });
    const found = watch(make({}), frames(0, 15, scene), NOON + 15 * SECOND);
    expect(reported(found)).toEqual([['zone_entered', 10, 'desk']]);
    expect(values(found, 'occupancy')).toEqual([[0, 1]]);
  });

  test('a person out of sight has left, and the event notes it', () => {
    const found = watch(
      make({}),
      frames(0, 20, (s) => ({ 1: s < 8 ? DESK : null })),
    );
    expect(reported(found)).toEqual([
      ['zone_entered', 0, 'desk'],
      ['zone_left', 8, 'desk'],
    ]);
    expect(found.events[1]!.metadata).toMatchObject({ out_of_sight: true, dwell_seconds: 8 });
  });

  test('tentative, lost and unsure persons are not counted', () => {
    const { track } = personAt(1, DESK);
    const persons = [
      personAt(1, DESK, { track: { ...track!, state: 'tentative' } }),
      personAt(2, DESK, { track: { ...track!, id: 2, state: 'lost' } }),
      personAt(3, DESK, { track: { ...track!, id: 3 }, confidence: 0.1 }),
      personAt(4, DESK, { track: null }),
    ];
    const found = watch(
      make({}),
      frames(0, 70, () => ({})).map((frame) => ({ ...frame, persons })),
    );
    expect(found.events).toEqual([]);
    expect(values(found, 'seconds_with_0_persons')[0]).toEqual([0, 60]);
    expect(values(found, 'detections')).toEqual([]);
  });
});

test('a lost or uncertain person keeps their place, and is not counted as seen', () => {
  const vague = (lost: boolean, from: number, to: number) =>
    frames(0, 60, () => ({ 1: DESK })).map((frame, index) => {
      const [one] = frame.persons;
      const unsure = lost
        ? { ...one!, track: { ...one!.track!, state: 'lost' as const } }
        : { ...one!, confidence: 0.1 };
      return index >= from * 5 && index < to * 5 ? { ...frame, persons: [unsure] } : frame;
    });
  for (const lost of [true, false]) {
    const found = watch(make({}), vague(lost, 10, 25), NOON + 61 * SECOND);
    expect(reported(found)).toEqual([['zone_entered', 0, 'desk']]);
    expect(values(found, 'presence_seconds')).toEqual([[0, 60]]);
    expect(values(found, 'detections')).toEqual([[0, 225]]);
    expect(reported(watch(make({}), vague(lost, 10, 40), NOON + 60 * SECOND)).slice(1)).toEqual([
      ['zone_left', 30, 'desk'],
      ['zone_entered', 40, 'desk'],
    ]);
    const strict = watch(make({}, { max_lost_ms: 0 }), vague(lost, 10, 25), NOON + 61 * SECOND);
    expect(values(strict, 'presence_seconds')).toEqual([[0, 45]]);
  }
});

describe('minutes', () => {
  const scene: Scene = (s) => ({ 1: DESK, 2: s >= 30 && s < 75 ? SAFE : null });
  const found = watch(make({}), frames(0, 120, scene));

  test('are weighted by time', () => {
    expect(values(found, 'occupancy_mean').slice(0, 2)).toEqual([
      [0, 1.5],
      [60, 1.25],
    ]);
    expect(values(found, 'occupancy_mean', 'safe').slice(0, 2)).toEqual([
      [0, 0.5],
      [60, 0.25],
    ]);
    expect(values(found, 'occupancy_peak').slice(0, 2)).toEqual([
      [0, 2],
      [60, 2],
    ]);
    expect(values(found, 'seconds_with_1_persons').slice(0, 2)).toEqual([
      [0, 30],
      [60, 45],
    ]);
    expect(values(found, 'seconds_with_2_persons')).toEqual([
      [0, 30],
      [60, 15],
    ]);
    expect(values(found, 'person_seconds', '2')).toEqual([
      [0, 30],
      [60, 15],
    ]);
    expect(values(found, 'presence_seconds').slice(0, 2)).toEqual([
      [0, 90],
      [60, 75],
    ]);
    expect(values(found, 'frames')).toEqual([
      [0, 300],
      [60, 300],
    ]);
    expect(values(found, 'detections')).toEqual([
      [0, 450],
      [60, 375],
    ]);
    expect(values(found, 'detection_confidence')[0]).toEqual([0, 0.8]);
    expect(values(found, 'occupancy_confidence')[0]).toEqual([0, 0.8]);
  });

  test('are emitted once each, when no change or window can still affect them', () => {
    const operator = make({});
    for (const frame of frames(0, 60, scene)) void operator.process(frame, 'people');
    const rows = (second: number) =>
      operator.watermark!(NOON + second * SECOND).data.filter((row) => (row as Measure).name === 'frames')
        .length;
    expect([60, 61.9, 62, 62, 63].map(rows)).toEqual([0, 0, 1, 0, 0]);
  });

  test('count a person only for as long as a frame is valid', () => {
    const gap = [...frames(0, 20, scene), ...frames(50, 60, scene)];
    const broken = watch(make({}), gap, NOON + 70 * SECOND);
    expect(values(broken, 'seconds_with_1_persons')).toEqual([[0, 24.8]]);
    expect(values(broken, 'seconds_with_2_persons')[0]).toEqual([0, 10]);
    expect(reported(broken).slice(0, 3)).toEqual([
      ['zone_entered', 0, 'desk'],
      ['zone_left', 24.8, 'desk'],
      ['zone_entered', 50, 'desk'],
    ]);
  });

  test('report who moves, and who lies in bed', () => {
    const bed: Environment['zones'] = [{ id: 'bed', polygon: square(0, 0, 1), kind: 'bed' }];
    const input = frames(0, 60, () => ({ 1: DESK })).map((frame, index) => {
      const [one] = frame.persons;
      const velocity = { x: index < 100 ? 0.5 : 0.1, y: 0 };
      const posture = index < 200 ? ('upright' as const) : ('lying' as const);
      return { ...frame, persons: [{ ...one!, posture, track: { ...one!.track!, velocity } }] };
    });
    const night = watch(make({ zones: bed }), input, NOON + 61 * SECOND);
    expect(values(night, 'moving_seconds', '1')).toEqual([[0, 20]]);
    expect(values(night, 'bed_seconds')).toEqual([[0, 60]]);
    expect(values(night, 'bed_moving_seconds')).toEqual([[0, 20]]);
    expect(values(night, 'sleep_seconds')).toEqual([[0, 20]]);
  });

  test('count each entry of a zone, and each visitor of it once', () => {
    const zones: Environment['zones'] = [{ id: 'shelf', polygon: square(2, 0, 1) }];
    const twice: Scene = (s) => ({ 1: Math.floor(s / 10) % 2 === 1 ? [2.5, 0.5] : [0.5, 0.5] });
    const shop = watch(make({ zones }), frames(0, 60, twice), NOON + 61 * SECOND);
    expect(values(shop, 'zone_visits', 'shelf')).toEqual([[0, 3]]);
    expect(values(shop, 'zone_visitors', 'shelf')).toEqual([[0, 1]]);
  });

  test('resume from a state of 0.5.0, which lacks the entries of zones', () => {
    const zones: Environment['zones'] = [{ id: 'shelf', polygon: square(2, 0, 1) }];
    const late: Scene = (s) => ({ 1: s < 30 ? [0.5, 0.5] : [2.5, 0.5] });
    const before = make({ zones });
    watch(before, frames(0, 20, late));
    const [state] = structuredClone(before.snapshot!()) as [
      { minutes: { counts: Record<string, unknown> }[] },
    ];
    for (const { counts } of state.minutes) delete counts['zone_visits'];
    const after = make({ zones });
    after.restore!([state]);
    const shop = watch(after, frames(20, 60, late), NOON + 61 * SECOND);
    expect(values(shop, 'zone_visits', 'shelf')).toEqual([[0, 1]]);
  });

  test('report how far customers came, and the zones of those who bought', () => {
    const zones: Environment['zones'] = [
      { id: 'door', polygon: square(0, 0, 1), funnel: 'entrance' },
      { id: 'shelf', polygon: square(2, 0, 1), funnel: 'product_interaction' },
      { id: 'till', polygon: square(4, 0, 1), funnel: 'purchase' },
    ];
    const walk = [
      [0.5, 0.5],
      [2.5, 0.5],
      [4.5, 0.5],
    ] as const;
    const shop: Scene = (s) => ({ 1: walk[Math.min(2, Math.floor(s / 10))]!, 2: walk[s < 20 ? 0 : 1] });
    const sold = watch(make({ zones }), frames(0, 60, shop), NOON + 61 * SECOND);
    expect(values(sold, 'funnel_stage', '1')).toEqual([[0, 4]]);
    expect(values(sold, 'funnel_stage', '2')).toEqual([[0, 2]]);
    expect(values(sold, 'zone_visitors', 'shelf')).toEqual([[0, 2]]);
    expect(values(sold, 'zone_conversions', 'shelf')).toEqual([[0, 1]]);
    expect(values(sold, 'zone_seconds', 'shelf')).toEqual([[0, 50]]);
    expect(values(sold, 'person_entered', '1')).toEqual([[0, 1]]);
  });
});

describe('alerts', () => {
  const enters: Scene = (s) => ({ 1: s >= 10 && s < 25 ? SAFE : OUT });
  const intrusions = (environment: Partial<Environment>, scene: Scene = enters) =>
    watch(make(environment), frames(0, 40, scene)).events.filter(({ type }) => type === 'intrusion');
  const atNoon = { days: ['mon' as const], from: '08:00', to: '18:00' };

  test.each<[string, Environment['authorised'], number]>([
    ['nobody is authorised, nor forbidden', undefined, 0],
    ['it is within the hours', { hours: [atNoon] }, 0],
    ['it is at another day', { hours: [{ ...atNoon, days: ['tue'] }] }, 1],
    ['it is after the hours', { hours: [{ ...atNoon, to: '12:00' }] }, 1],
    ['hours over midnight are over', { hours: [{ days: ['sun'], from: '22:00', to: '12:00' }] }, 1],
    ['hours over midnight last', { hours: [{ days: ['sun'], from: '22:00', to: '12:01' }] }, 0],
    ['there are no hours', { hours: [] }, 1],
    ['more than the persons are there', { persons: 0 }, 1],
    ['as many as the persons are there', { persons: 1 }, 0],
  ])('intrusions when %s', (_, authorised, count) => {
    const found = intrusions(authorised ? { authorised } : {});
    expect(found).toHaveLength(count);
    if (count > 0)
      expect(found[0]).toMatchObject({
        id: `test-room-intrusion-safe-${NOON / 1000 + 10_000}`,
        severity: 'high',
        person: 1,
        metadata: { zone: 'safe', persons: 1, threat_level: 'high' },
      });
  });

  test('hours follow the time zone', () => {
    const hours = [{ days: ['mon' as const], from: '13:00', to: '14:00' }];
    expect(intrusions({ authorised: { hours }, timezone: 'Europe/Berlin' })).toHaveLength(0);
    expect(intrusions({ authorised: { hours }, timezone: 'Europe/London' })).toHaveLength(1);
  });

  test('a person who stays past the hours is an intruder from then on', () => {
    const found = watch(
      make({ authorised: { hours: [{ days: ['mon'], from: '08:00', to: '12:01' }] } }),
      frames(0, 90, (s) => ({ 1: s < 80 ? SAFE : OUT })),
    );
    expect(reported(found).filter(([type]) => type === 'intrusion')).toEqual([['intrusion', 60, 'safe']]);
    expect(values(found, 'intrusion_seconds', 'safe')).toEqual([[60, 20]]);
  });

  test('without guarded zones the whole environment is guarded', () => {
    const [found] = intrusions({ zones: [], authorised: { hours: [] } }, () => ({ 1: OUT, 2: DESK }));
    expect(found).toMatchObject({ person: null, metadata: { zone: 'test-room', persons: 2 } });
    expect(found!.severity).toBe('critical');
  });

  test('counts entries of guarded zones, including persons who first appear there', () => {
    const ghost: Scene = (s) => ({ 1: enters(s)[1]!, 2: s >= 30 && s < 33 ? SAFE : null });
    const found = watch(make({ authorised: { persons: 0 } }), frames(0, 60, ghost), NOON + 61 * SECOND);
    expect(values(found, 'entries_unauthorised', 'safe')).toEqual([[0, 2]]);
    expect(values(found, 'entries_false', 'safe')).toEqual([[0, 1]]);
    expect(values(found, 'entries_authorised', 'safe')).toEqual([]);
  });

  test('a crowd is reported once, and again after it ended', () => {
    const scene: Scene = (s) => ({ 1: OUT, 2: DESK, 3: (s >= 5 && s < 15) || s >= 20 ? OUT : null });
    const found = watch(make({ crowd_persons: 3 }), frames(0, 30, scene), NOON + 30 * SECOND);
    expect(reported(found).filter(([type]) => type === 'crowd')).toEqual([
      ['crowd', 5, null],
      ['crowd', 20, null],
    ]);
    expect(found.events.find(({ type }) => type === 'crowd')).toMatchObject({
      severity: 'medium',
      person: null,
      metadata: { persons: 3 },
    });
  });
});

test('rejects late frames, and those of no environment, with a reason', () => {
  const operator = make({});
  const [first, second] = frames(0, 1, () => ({}));
  const refusal = (frame: PoseFrame) =>
    (operator.process(frame, 'people') as Output<never>).failed?.[0]?.code;
  expect([second!, first!, second!, { ...second!, environment: 'x' }].map(refusal)).toEqual([
    undefined,
    'zones.order',
    'zones.order',
    'zones.environment',
  ]);
});

test('persons beyond the limit are dropped and counted', () => {
  const { context, recorded } = testContext({ environments: [testEnvironment] });
  const operator = watchZones.create(withDefaults(watchZones, {}) as never, context);
  const crowd = Object.fromEntries(Array.from({ length: 300 }, (_, id) => [id + 1, OUT]));
  watch(
    operator,
    frames(0, 0.4, () => crowd),
  );
  expect(recorded.dropped).toEqual({ too_many_persons: 88 });
});

test('a state of other zones is not resumed', () => {
  const before = make({});
  watch(
    before,
    frames(0, 10, () => ({ 1: DESK })),
    NOON + 10 * SECOND,
  );
  const after = make({ zones: [] });
  after.restore!(before.snapshot!());
  expect(
    reported(
      watch(
        after,
        frames(10, 20, () => ({ 1: DESK })),
      ),
    ),
  ).toEqual([]);
});

test.each([
  [0.5, 0.5, 0.5],
  [0.9, 0.5, 0.1],
  [1.5, 0.5, -0.5],
  [2, 2, -Math.SQRT2],
  [1.5, 1.2, -Math.hypot(0.5, 0.2)],
])('the point %d, %d lies %d deep in a square', (x, y, metres) => {
  expect(depth(square(0, 0, 1), x, y)).toBeCloseTo(metres, 12);
});

test('a polygon may be concave, in either direction', () => {
  const hook = [
    [0, 0],
    [3, 0],
    [3, 3],
    [2, 3],
    [2, 1],
    [0, 1],
  ];
  for (const polygon of [hook, [...hook].reverse()]) {
    expect(depth(polygon, 1, 2)).toBeCloseTo(-1);
    expect(depth(polygon, 2.5, 2)).toBeCloseTo(0.5);
  }
});

describe('with the presence of detect-motion', () => {
  /** Measures of the room at a second, like those of detect-motion. */
  const room = (second: number, probability: number, present: 0 | 1): readonly Measure[] =>
    (
      [
        ['presence_probability', probability],
        ['presence', present],
      ] as const
    ).map(([name, value]) => ({
      port: 'measure',
      name,
      environment: 'test-room',
      subject: null,
      time: NOON + second * SECOND,
      value,
      source: 'csiflow',
      provenance: { origin: 'live' },
    }));

  /** Frames, with measures of the room just before a second. */
  function watchRoom(input: readonly PoseFrame[], say: Readonly<Record<number, readonly Measure[]>>): Found {
    const node = make({});
    const found = input.map((frame) => {
      for (const measure of say[(frame.time - NOON) / SECOND] ?? []) void node.process(measure, 'motion');
      return watch(node, [frame], frame.windowEnd - SECOND);
    });
    return {
      events: found.flatMap(({ events }) => events),
      measures: found.flatMap(({ measures }) => measures),
    };
  }

  test('nobody enters a room that is surely empty, however certain the poses are', () => {
    const claimed = frames(0, 30, (s) => ({ 4: s >= 5 ? DESK : null }));
    const empty = Object.fromEntries(Array.from({ length: 30 }, (_, s) => [s, room(s, 0.047, 0)]));
    expect(values(watchRoom(claimed, empty), 'person_entered', '4')).toEqual([]);
    expect(values(watchRoom(claimed, {}), 'person_entered', '4')).toEqual([[5, 1]]);
    const unsure = Object.fromEntries(Array.from({ length: 30 }, (_, s) => [s, room(s, 0.12, 0)]));
    expect(values(watchRoom(claimed, unsure), 'person_entered', '4')).toEqual([[5, 1]]);
  });

  test('the person seen last stays while presence lasts, and leaves with it', () => {
    const seen = frames(0, 120, (s) => ({ 4: s < 20 ? DESK : null }));
    const say = Object.fromEntries(
      Array.from({ length: 120 }, (_, s) => [s, s < 80 ? room(s, 0.98, 1) : room(s, 0.12, 0)]),
    );
    const occupancy = values(watchRoom(seen, say), 'occupancy');
    expect(occupancy).toEqual([
      [0, 1],
      [80, 0],
    ]);
    expect(values(watchRoom(seen, {}), 'occupancy').at(-1)).toEqual([20, 0]);
  });

  describe('and poses that are certain of an empty room', () => {
    const CERTAIN = [0.95, 0.05, 0, 0, 0];
    const occupied = Object.fromEntries(Array.from({ length: 60 }, (_, s) => [s, room(s, 0.98, 1)]));
    /** Somebody who moves at `speed` is seen for 20 s; then `counts` say how many people there are. */
    const leaving = (speed: number, counts: readonly number[], links = 4) =>
      frames(0, 60, () => ({})).map((frame): PoseFrame => {
        const isSeen = frame.time < NOON + 20 * SECOND;
        const track = { id: 4, state: 'active', age: 9, since: NOON, velocity: { x: speed, y: 0 } } as const;
        const persons = isSeen ? [personAt(4, [0.5, 0.5], { track })] : [];
        return { ...frame, links, persons, counts: isSeen ? [0, 1, 0, 0, 0] : counts };
      });
    const end = (input: readonly PoseFrame[]) => values(watchRoom(input, occupied), 'occupancy').at(-1);

    test('the person seen last has left, if they walked out of sight', () => {
      expect(end(leaving(0.5, CERTAIN))).toEqual([23, 0]);
    });

    test('a person at rest when last seen stays', () => {
      expect(end(leaving(0, CERTAIN))).toEqual([0, 1]);
    });

    test.each([
      ['before', [2, 1]],
      ['after', [1, 2]],
    ])('a person at rest who is %s a walker in the pose frames stays when both are lost', (_, ids) => {
      const seen = ({ time, persons: [someone], ...frame }: PoseFrame, until: number): PoseFrame => {
        const persons = ids.flatMap((id): Person[] => {
          if (!someone || (id === 2 && time >= NOON + until * SECOND)) return [];
          return [
            { ...someone, track: { ...someone.track!, id, velocity: { x: id === 1 ? 0.5 : 0, y: 0 } } },
          ];
        });
        return { ...frame, time, persons };
      };
      for (const restsUntil of [20, 19.6])
        expect(end(leaving(0, CERTAIN).map((frame) => seen(frame, restsUntil)))).toEqual([20, 1]);
    });

    test('time without pose frames is not certain', () => {
      const lacking = (from: number, to: number) =>
        leaving(0.5, CERTAIN).filter(
          ({ time }) => time <= NOON + from * SECOND || time >= NOON + to * SECOND,
        );
      expect(end(lacking(20, 24.4))).toEqual([27.4, 0]);
      expect(end(lacking(22, 23))).toEqual([23, 0]);
    });

    test('with nothing known, nobody knows how long the room has been empty', () => {
      const node = make({}, { max_gap_ms: 500 });
      const lacking = leaving(0.5, CERTAIN).filter(({ time }) => (time - NOON) % SECOND < SECOND / 2);
      const since = lacking.slice(0, 70).map((frame) => {
        watch(node, [frame], frame.windowEnd - SECOND);
        const [state] = node.snapshot!() as readonly { readonly vacantSince: number | null }[];
        return state!.vacantSince && (frame.time - state!.vacantSince) / SECOND;
      });
      expect(Math.max(...since.map((seconds) => seconds ?? 0))).toBeCloseTo(0.4);
    });

    test('poses in doubt, or over two links, end nothing', () => {
      expect(end(leaving(0.5, [0.85, 0.15, 0, 0, 0]))).toEqual([0, 1]);
      expect(end(leaving(0.5, CERTAIN, 2))).toEqual([0, 1]);
    });
  });

  test('a statement of a minute ago no longer holds', () => {
    const claimed = frames(0, 100, (s) => ({ 4: s >= 5 ? DESK : null }));
    expect(values(watchRoom(claimed, { 0: room(0, 0.047, 0) }), 'person_entered', '4')).toEqual([[60, 1]]);
  });
});

describe('over few links', () => {
  const seconds = { DOUBT: 30, EMPTY: 60 };
  const quiet = (links: number, nobody: (second: number) => number) =>
    frames(0, 120, (s) => (s < seconds.DOUBT ? { 1: OUT } : {})).map((frame) => {
      const c = nobody((frame.time - NOON) / SECOND);
      return { ...frame, links, counts: [c, 1 - c, 0, 0, 0] };
    });
  const inMinutes = (found: Found, name: string) => values(found, name).map(([, value]) => value);

  test.each([1, 2])('%i: what infer-pose does not know is not observed, and no empty room', (links) => {
    const operator = make({});
    const found = watch(
      operator,
      quiet(links, (s) => (s < seconds.DOUBT ? 0.01 : 0.51)),
    );
    expect(inMinutes(found, 'seconds_with_0_persons')).toEqual([]);
    expect(inMinutes(found, 'presence_seconds')[0]).toBeGreaterThan(28);
    expect(inMinutes(found, 'occupancy_mean')).toHaveLength(1);
    expect(operator.describe!()).toEqual({ occupancy: { 'test-room': null } });
  });

  test('an unknown number of people is measured as unknown, not as 0', () => {
    const doubt = (s: number) => (s < seconds.DOUBT ? 0.01 : s < seconds.EMPTY ? 0.51 : 0.9);
    const found = watch(make({}), quiet(1, doubt), NOON + 119 * SECOND);
    expect(values(found, 'occupancy_known')).toEqual([
      [0, 1],
      [seconds.DOUBT, 0],
      [seconds.EMPTY, 1],
    ]);
    expect(values(found, 'occupancy')).toEqual([
      [0, 1],
      [seconds.EMPTY, 0],
    ]);
    expect(values(found, 'occupancy', 'desk')).toEqual([
      [0, 0],
      [seconds.EMPTY, 0],
    ]);
  });

  test('a state of 0.4.0, which has 0 for unknown numbers, is resumed as unknown', () => {
    const before = make({});
    watch(before, quiet(1, (s) => (s < seconds.DOUBT ? 0.01 : 0.51)).slice(0, 300));
    const [{ began, known, ...state }] = before.snapshot!() as [Record<string, unknown>];
    expect({ began, known }).toEqual({ began: NOON, known: false });
    const after = make({});
    after.restore!([{ ...state, told: [0, 0, 0] }]);
    expect(Object.values(after.describe!()['occupancy'] as object)).toEqual([null]);
  });

  test('a moment of certainty does not make the number known', () => {
    const flickering = (s: number) =>
      s < seconds.DOUBT ? 0.01 : Math.round(s * 5) % 4 === 0 && s < seconds.EMPTY ? 0.9 : 0.51;
    const found = watch(make({}), quiet(1, flickering), NOON + 100 * SECOND);
    expect(values(found, 'occupancy_known')).toHaveLength(2);
  });

  test('an empty room is as certain as its frames, and observed again from the first that knows', () => {
    const nobody = (s: number) => (s < seconds.DOUBT ? 0.01 : s < seconds.EMPTY ? 0.51 : 0.9);
    const found = watch(make({}), quiet(1, nobody));
    expect(inMinutes(found, 'seconds_with_0_persons')[0]).toBeGreaterThan(55);
    expect(inMinutes(found, 'occupancy_confidence').at(-1)).toBeCloseTo(0.9);
  });

  test('three links locate people: nobody is nobody', () => {
    const found = watch(
      make({}),
      quiet(3, () => 0.51),
    );
    expect(inMinutes(found, 'seconds_with_0_persons').length).toBeGreaterThan(0);
    expect(inMinutes(found, 'occupancy_confidence').at(-1)).toBe(1);
  });
});
