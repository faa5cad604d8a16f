import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assign } from '../../operators/track-persons/assignment.js';
import { trackPersons } from '../../operators/track-persons/track-persons.js';
import type { Person, PoseFrame } from '../../pipeline/model/index.js';
import { testContext } from '../support/context.js';
import { outputs } from './frames.js';

const config = {
  association: 'floor' as 'floor' | 'iou',
  min_overlap: 0.3,
  gate_sigma: 8,
  speed: 0.65,
  sure_error_m: 0.8,
  min_hits: 3,
  max_age_ms: 1000,
  min_confidence: 0.2,
  max_persons: 8,
  min_shown_confidence: 0,
  follow: true,
};

const operator = (overrides: Partial<typeof config> = {}) =>
  trackPersons.create({ ...config, ...overrides }, testContext().context);

const START = 1_700_000_000_000_000;
const person = (x: number, y: number, positionError = 0.3, confidence = 0.9): Person => ({
  confidence,
  position: { x, y, z: 0 },
  positionError,
  heading: null,
  headingConfidence: 0,
  posture: 'upright',
  keypoints: [{ x: x + 0.1, y, z: 1.6, error: 0.1 }],
  articulated: true,
  track: null,
});
const frame = (index: number, persons: readonly Person[], environment = 'test-room'): PoseFrame => ({
  port: 'pose',
  frameId: index,
  environment,
  time: START + index * 100_000,
  windowEnd: START + index * 100_000 + 500_000,
  processingMs: 1,
  persons,
  links: 4,
  signalQuality: 1,
  provenance: { origin: 'simulated' },
});
const follow = (node: ReturnType<typeof operator>, frames: readonly (readonly Person[])[], from = 0) =>
  (
    outputs(
      node,
      frames.map((persons, i) => frame(from + i, persons)),
    ) as PoseFrame[]
  ).map(({ persons }) => persons);

describe('assignment', () => {
  const best = (costs: number[][], row = 0, used = new Set<number>()): number => {
    if (row === costs.length) return 0;
    return Math.min(
      ...costs[row]!.flatMap((cost, column) =>
        used.has(column) ? [] : [cost + best(costs, row + 1, new Set([...used, column]))],
      ),
    );
  };
  const matrix = fc
    .tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 0, max: 2 }))
    .chain(([rows, more]) =>
      fc.array(fc.array(fc.nat(50), { minLength: rows + more, maxLength: rows + more }), {
        minLength: rows,
        maxLength: rows,
      }),
    );

  it('has the least cost of all', () => {
    fc.assert(
      fc.property(matrix, (costs) => {
        const columns = assign(costs);
        expect(new Set(columns).size).toBe(costs.length);
        expect(columns.reduce((sum, column, row) => sum + costs[row]![column]!, 0)).toBe(best(costs));
      }),
    );
  });

  it('leaves rows unassigned if there are more of them than columns', () => {
    expect(assign([[5], [1], [3]])).toEqual([-1, 0, -1]);
    expect(assign([[], []])).toEqual([-1, -1]);
    expect(assign([])).toEqual([]);
  });
});

describe('track-persons', () => {
  const walk = (count: number, y = 1, step = 0.1) =>
    Array.from({ length: count }, (_, i) => person(0.5 + i * step, y));

  it('makes a track active after three frames and keeps its number', () => {
    const shown = follow(
      operator(),
      walk(20).map((walker) => [walker]),
    );
    expect(shown.map(([first]) => first!.track!.state).slice(0, 4)).toEqual([
      'tentative',
      'tentative',
      'active',
      'active',
    ]);
    expect(new Set(shown.map(([first]) => first!.track!.id))).toEqual(new Set([1]));
    expect(shown.at(-1)![0]!.track!.velocity.x).toBeCloseTo(1, 0);
    expect(shown.at(-1)![0]!.track!.age).toBe(20);
  });

  it('distinguishes two who pass each other, in any order', () => {
    const east = walk(40);
    const west = walk(40, 2.4).map((walker, i) => person(4.5 - i * 0.1, walker.position.y));
    const shown = follow(
      operator(),
      east.map((walker, i) => (i % 2 === 0 ? [walker, west[i]!] : [west[i]!, walker])),
    );
    for (const persons of shown) {
      expect(persons.map(({ track }) => track!.id).sort()).toEqual([1, 2]);
      expect(persons.find(({ track }) => track!.id === 1)!.position.y).toBeLessThan(1.7);
    }
  });

  it('moves the keypoints with the position', () => {
    const shown = follow(operator(), [[person(1, 1)], [person(1.3, 1)]]);
    const { position, keypoints } = shown[1]![0]!;
    expect(keypoints[0]!.x - position.x).toBeCloseTo(0.1, 12);
    expect(position.x).toBeGreaterThan(1);
    expect(position.x).toBeLessThan(1.3);
  });

  it('keeps a hidden person, then ends the track', () => {
    const node = operator();
    follow(
      node,
      walk(10).map((walker) => [walker]),
    );
    const shown = follow(node, new Array<Person[]>(12).fill([]), 10);
    expect(shown.map(([first]) => first?.track?.state)).toEqual([
      ...new Array<string>(10).fill('lost'),
      'ended',
      undefined,
    ]);
    // Walks on for a limited time.
    expect(shown[9]![0]!.position.x - shown[5]![0]!.position.x).toBeLessThan(0.4);
    expect(shown[5]![0]!.articulated).toBe(false);
    expect(shown[9]![0]!.confidence).toBeLessThan(shown[1]![0]!.confidence);
  });

  it('finds a person again before the track has ended', () => {
    const node = operator();
    follow(
      node,
      walk(10).map((walker) => [walker]),
    );
    const shown = follow(node, [[], [], [], [person(1.6, 1)]], 10);
    expect(shown.at(-1)![0]!.track).toMatchObject({ id: 1, state: 'active' });
  });

  it('puts a still person in the middle of alternating places', () => {
    const node = operator();
    follow(
      node,
      walk(20).map((walker) => [walker]),
    );
    const inTurn = Array.from({ length: 30 }, (_, i) => [person(2.4, i % 2 === 0 ? 0.8 : 1.2, 0.4)]);
    const shown = follow(node, inTurn, 20);
    for (const [{ position, track }] of shown.slice(-5) as [Person][]) {
      expect(Math.abs(position.y - 1)).toBeLessThan(0.1);
      expect(track!.id).toBe(1);
    }
  });

  it('follows that person when walking again', () => {
    const node = operator();
    follow(
      node,
      walk(20).map((walker) => [walker]),
    );
    follow(node, new Array<Person[]>(20).fill([person(2.4, 1, 1.2)]), 20);
    const shown = follow(
      node,
      walk(15).map(({ position }) => [person(2.4, position.x + 0.5)]),
      40,
    );
    expect(shown.at(-1)![0]!.track).toMatchObject({ id: 1, state: 'active' });
    expect(shown.at(-1)![0]!.position.y).toBeCloseTo(2.4, 0);
  });

  it('gives a ghost no track', () => {
    expect(follow(operator(), [[person(1, 1, 0.3, 0.1)], [person(1, 1, NaN, NaN)]])).toEqual([[], []]);
  });

  it('rejects a pose of an unknown environment', () => {
    expect(operator().process(frame(0, [], 'elsewhere'), 'poses')).toMatchObject({
      data: [],
      failed: [{ code: 'track.environment' }],
    });
  });

  const arbitraryPerson = fc
    .tuple(
      fc.double({ min: 0, max: 5, noNaN: true }),
      fc.double({ min: 0, max: 4, noNaN: true }),
      fc.double({ min: 0.1, max: 1.5, noNaN: true }),
      fc.double({ min: 0, max: 1, noNaN: true }),
    )
    .map((values) => person(...values));
  const scenes = fc.array(fc.array(arbitraryPerson, { maxLength: 4 }), { maxLength: 30 });

  it('continues from a snapshot as if it had never stopped, and never changes its input', () => {
    fc.assert(
      fc.property(scenes, scenes, (first, second) => {
        const copy = structuredClone(second);
        const one = operator();
        follow(one, first);
        const other = operator();
        other.restore!(structuredClone(one.snapshot!()));
        expect(follow(other, second, first.length)).toEqual(follow(one, second, first.length));
        expect(second).toEqual(copy);
      }),
    );
  });

  it('never gives one number to two persons of a frame, and stays finite', () => {
    fc.assert(
      fc.property(scenes, (frames) => {
        for (const persons of follow(operator(), frames)) {
          const ids = persons.map(({ track }) => track!.id);
          expect(new Set(ids).size).toBe(ids.length);
          expect(persons.every(({ position }) => Number.isFinite(position.x + position.y))).toBe(true);
        }
      }),
    );
  });
});

describe('published output', () => {
  it('is rounded to a millimetre, so that it does not depend on the last bits', () => {
    const frames = Array.from({ length: 6 }, (_, i) => [person(1 + i / 7, 2 - i / 11, 0.3)]);
    const whole = (value: number) => Math.round(value * 1000) / 1000;
    for (const { position, keypoints, track } of follow(operator(), frames).flat()) {
      const numbers = [position.x, position.y, track!.velocity.x, track!.velocity.y];
      for (const value of [...numbers, ...keypoints.flatMap(({ x, y, z }) => [x, y, z])])
        expect(value).toBe(whole(value));
    }
  });

  it('includes how many are followed, and how certain they are', () => {
    const node = operator();
    expect(node.describe!()).toEqual({ active_tracks: 0, track_quality: 0 });
    const both = [person(1, 1, 0.3, 0.9), person(4, 3, 0.3, 0.5)];
    follow(node, [both, both, both]);
    expect(node.describe!()).toEqual({ active_tracks: 2, track_quality: 0.7 });
  });

  it('has no track of a person whose place is not a number', () => {
    const node = operator();
    expect(follow(node, [[person(NaN, 1)], [person(1, 1, NaN)]]).flat()).toEqual([]);
  });
});

describe('at most as many as the network can distinguish', () => {
  const here = [person(1, 1)];
  const there = [person(4, 3)];

  it('a person who appears elsewhere continues the lost track', () => {
    const frames = [...Array<typeof here>(5).fill(here), ...Array<typeof there>(5).fill(there)];
    const followed = follow(operator({ max_persons: 1 }), frames);
    expect(followed.map((persons) => persons.map(({ track }) => track!.id))).toEqual(Array(10).fill([1]));
    expect(followed.at(-1)![0]!.position).toMatchObject({ x: 4, y: 3 });
  });

  it('drops a ghost beside a person in sight', () => {
    const frames = Array<typeof here>(10).fill([...here, ...there]);
    const followed = follow(operator({ max_persons: 1 }), frames).slice(4);
    expect(followed.map((persons) => persons.length)).toEqual(Array(6).fill(1));
  });

  it('follows both if two can be distinguished', () => {
    const frames = Array<typeof here>(10).fill([...here, ...there]);
    expect(follow(operator({ max_persons: 2 }), frames).at(-1)).toHaveLength(2);
  });
});

describe('the error of a position', () => {
  const walk = Array.from({ length: 10 }, (_, index) => [person(1 + index * 0.05, 2)]);
  const one = (persons: readonly Person[]): Person => persons[0]!;

  it('is estimated from some seconds of frames', () => {
    const unsure = Array.from({ length: 100 }, () => [person(1.5, 2, 0.9)]);
    const errors = follow(operator(), [...walk, ...unsure]).map((persons) => one(persons).positionError);
    const grown = errors.slice(walk.length);
    expect(grown).toEqual([...grown].sort((a, b) => a - b));
    expect(grown[0]).toBeLessThan(0.5);
    expect(grown.at(-1)).toBeCloseTo(0.9, 1);
  });

  it('grows while a person is out of sight', () => {
    const nobody = Array.from({ length: 25 }, () => []);
    const errors = follow(operator({ max_age_ms: 2500 }), [...walk, ...nobody]).map(
      (persons) => one(persons).positionError,
    );
    const unseen = errors.slice(walk.length);
    expect(unseen).toEqual([...unseen].sort((a, b) => a - b));
    expect(unseen.at(-1)).toBeGreaterThan(1);
  });

  it('does not shrink when a report is repeated', () => {
    const still = Array.from({ length: 30 }, () => [person(2, 2, 0.4)]);
    expect(one(follow(operator(), still).at(-1)!).positionError).toBeGreaterThan(0.25);
  });
});

describe('where a person faces', () => {
  /** Hips and a nose, as a network draws them that sees this heading. */
  const facing = (x: number, heading: number, length: number): Person => {
    const [cos, sin] = [Math.cos(heading), Math.sin(heading)];
    const joint = (ahead: number, left: number) => ({
      x: x + cos * ahead - sin * left,
      y: 2 + sin * ahead + cos * left,
      z: 1,
      error: 0.1,
    });
    const keypoints = Array.from({ length: 17 }, () => joint(0.2, 0));
    keypoints[11] = joint(0, 0.1);
    keypoints[12] = joint(0, -0.1);
    return { ...person(x, 2), heading: length < 0.25 ? null : heading, headingConfidence: length, keypoints };
  };
  const walking = (heading: number, length: number, count = 30) =>
    Array.from({ length: count }, (_, i) => [facing(0.5 + 0.1 * i, heading, length)]);
  const last = (shown: readonly (readonly Person[])[]) => shown.at(-1)![0]!;
  const withoutFacing = (body: object) =>
    Object.fromEntries(Object.entries(body).filter(([name]) => name !== 'facing'));
  /** Direction from the hips to the nose. */
  const drawn = ({ keypoints }: Person) => {
    const [nose, left, right] = [keypoints[0]!, keypoints[11]!, keypoints[12]!];
    return Math.atan2(nose.y - (left.y + right.y) / 2, nose.x - (left.x + right.x) / 2);
  };

  it('follows the way of a walker the more, the less certain the network is', () => {
    const headings = [0.3, 0.9].map((length) => last(follow(operator(), walking(1, length))).heading!);
    expect(headings[0]).toBeGreaterThan(0.2);
    expect(headings[0]).toBeLessThan(headings[1]! - 0.2);
    expect(headings[1]).toBeLessThan(0.9);
  });

  it('is where the joints are turned to, which keep their distances', () => {
    const walk = walking(1, 0.5);
    const shown = last(follow(operator(), walk));
    expect(drawn(shown)).toBeCloseTo(shown.heading!, 1);
    const { keypoints, position } = shown;
    expect(Math.hypot(keypoints[0]!.x - position.x, keypoints[0]!.y - position.y)).toBeCloseTo(0.2, 2);
  });

  it('does not follow one pose frame the other way round', () => {
    const shown = last(follow(operator(), [...walking(0, 0.6), [facing(3.5, Math.PI, 0.6)]]));
    expect(Math.abs(shown.heading!)).toBeLessThan(0.5);
  });

  it('does not follow what was seen before the person was out of sight', () => {
    const still = Array.from({ length: 30 }, () => [facing(2, 0, 0.6)]);
    const away = Array.from({ length: 15 }, () => []);
    const shown = last(
      follow(operator({ max_age_ms: 10_000 }), [...still, ...away, [facing(2, Math.PI, 0.6)]]),
    );
    expect(shown.track).toMatchObject({ id: 1, state: 'active' });
    expect(shown.headingConfidence).toBeCloseTo(0.6, 1);
  });

  it('is what the network sees if the person keeps still', () => {
    const still = Array.from({ length: 30 }, () => [facing(2, -2, 0.4)]);
    expect(last(follow(operator(), still))).toMatchObject({ heading: -2, headingConfidence: 0.4 });
  });

  it('is reported of a walker whose heading the network does not know', () => {
    const shown = last(follow(operator(), walking(2, 0.1)));
    expect(Math.abs(shown.heading!)).toBeLessThan(0.5);
    expect(drawn(shown)).toBeCloseTo(shown.heading!, 1);
  });

  it('stays unknown while the person keeps still', () => {
    const still = Array.from({ length: 30 }, () => [facing(2, 1, 0.1)]);
    expect(last(follow(operator(), still))).toMatchObject({ heading: null, headingConfidence: 0.1 });
  });

  it('is known of a track that version 0.5.0 stored', () => {
    const [one, other] = [operator(), operator()];
    follow(one, walking(0, 0.6, 10));
    const stored = one.snapshot!().map((room) => ({
      ...room,
      tracks: room.tracks.map((track) => ({ ...track, body: withoutFacing(track.body as object) })),
    }));
    other.restore!(stored);
    const [shown] = follow(other, [[facing(1.5, 0, 0.6)]], 10);
    expect(shown![0]).toMatchObject({ heading: 0, track: { id: 1, state: 'active' } });
  });
});

describe('crowds', () => {
  it('are followed quickly, however large', () => {
    const crowd = Array.from({ length: 40 }, (_, i) => person(i % 7, Math.floor(i / 7), 0.3));
    const began = performance.now();
    follow(operator({ max_persons: 100 }), new Array<Person[]>(10).fill(crowd));
    expect(performance.now() - began).toBeLessThan(3000);
  });
});

describe('a ghost', () => {
  it('gets no track from a frame or two, nor from a few with a large error', () => {
    const ghost = [person(1, 1)];
    const unsure = Array.from({ length: 8 }, () => [person(3, 2, 1.2)]);
    const shown = follow(operator(), [ghost, ghost, [], ...unsure, []]);
    expect(shown.flat().some(({ track }) => track!.state !== 'tentative')).toBe(false);
    expect(shown.at(-1)).toEqual([]);
  });

  it('is not kept by false claims after a person has left', () => {
    const here = Array.from({ length: 40 }, () => [person(2, 2)]);
    // Every tenth frame claims a person with a large error.
    const empty = Array.from({ length: 100 }, (_, i) => (i % 10 === 9 ? [person(2.3, 2, 1.2)] : []));
    const shown = follow(operator({ max_age_ms: 3000 }), [...here, ...empty]);
    expect(
      shown
        .slice(85)
        .flat()
        .filter(({ track }) => track!.state !== 'tentative'),
    ).toEqual([]);
  });

  it('is not a person missed in every other frame: one at rest is kept', () => {
    const walk = Array.from({ length: 30 }, (_, i) => [person(1 + i * 0.08, 2)]);
    const flickers = Array.from({ length: 300 }, (_, i) => (i % 20 < 10 ? [person(3.4, 2, 1)] : []));
    const shown = follow(operator({ max_age_ms: 3000 }), [...walk, ...flickers]);
    expect(new Set(shown.slice(5).flatMap((persons) => persons.map(({ track }) => track!.id)))).toEqual(
      new Set([1]),
    );
    expect(shown.slice(5).every((persons) => persons.length === 1)).toBe(true);
  });
});

describe('by overlap', () => {
  const sort = { association: 'iou', min_hits: 1, max_age_ms: 150 } as const;
  const at = (x: number): Person => ({
    ...person(x, 1),
    keypoints: [-0.3, 0.3].map((side) => ({ x: x + side, y: 1 + side, z: 1, error: 0.1 })),
  });

  it('keeps the number of an overlapping person, and gives another to a separate one', () => {
    const frames = [[at(1)], [at(1.1)], [at(1.2)], [at(3)], [at(3)]];
    const shown = follow(operator(sort), frames);
    expect(shown.map((persons) => persons.map(({ track }) => [track!.id, track!.state]))).toEqual([
      [[1, 'active']],
      [[1, 'active']],
      [[1, 'active']],
      [
        [1, 'lost'],
        [2, 'tentative'],
      ],
      [
        [1, 'ended'],
        [2, 'active'],
      ],
    ]);
  });

  it('has no track of an outline without a size or a number', () => {
    const point = { ...person(1, 1, 0), articulated: false };
    expect(follow(operator(sort), [[point, person(NaN, 1)], [point]]).flat()).toEqual([]);
  });

  it('continues from a snapshot as if it had never stopped', () => {
    const [one, other] = [operator(sort), operator(sort)];
    const walk = (from: number) => Array.from({ length: 8 }, (_, i) => [at(1 + (from + i) * 0.07)]);
    follow(one, walk(0));
    other.restore!(structuredClone(one.snapshot!()));
    expect(follow(other, walk(8), 8)).toEqual(follow(one, walk(8), 8));
  });
});
