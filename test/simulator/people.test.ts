import { describe, expect, test } from 'vitest';
import { Body, POSE, POSE_SIZE } from '../../pipeline/sources/simulator/person/body.js';
import { keepApart } from '../../pipeline/sources/simulator/apart.js';
import { FALLS } from '../../pipeline/sources/simulator/person/fall.js';
import {
  ACTIVITIES,
  EVERYDAY_MIX,
  Motion,
  simulateSequence,
  type Step,
} from '../../pipeline/sources/simulator/index.js';
import { Random } from '../../pipeline/sources/simulator/shared/random.js';
import { Channel } from '../../pipeline/sources/simulator/channel.js';
import { NO_DIFFUSE } from '../../pipeline/sources/simulator/shared/room.js';
import { bandOf, GROUPS } from '../../pipeline/sources/simulator/band.js';

const SIZE = { x: 5, y: 4, z: 2.6 };
const NOSE = 2;

/** The samples of a script, 50 per second. */
function play(steps: readonly Step[], seed = 3, door?: readonly [number, number]) {
  const body = new Body({ height: 1.75, build: 1, reflectivity: 0.9 });
  const motion = new Motion(body.size, SIZE, new Random(seed), door ? { door } : {});
  const starts = steps.map((step) => {
    const start = motion.duration;
    motion.perform(step);
    return start;
  });
  const pose = new Float64Array(POSE_SIZE);
  const samples = [];
  for (let time = 0; time < motion.duration; time += 0.02) {
    const activity = ACTIVITIES[motion.at(time, pose)]!;
    body.pose(pose);
    samples.push({ time, activity, pose: pose.slice(), points: body.keypoints.slice() });
  }
  return { samples, starts, body };
}

/** Greatest downward speed of the nose. */
const plunge = (samples: ReturnType<typeof play>['samples']): number =>
  Math.max(...samples.slice(1).map((one, i) => (samples[i]!.points[NOSE]! - one.points[NOSE]!) / 0.02));

describe('several people', () => {
  test('never walk through each other, and each has a separate truth', () => {
    let nearest = Infinity;
    let close = 0;
    let count = 0;
    for (let seed = 0; seed < 12; seed++) {
      const { truth, samples } = simulateSequence(700_000 + seed, {
        persons: 3,
        seconds: 8,
        links: 1,
        rateHz: 10,
      });
      expect(truth.persons).toBe(3);
      const at = (person: number, sample: number) =>
        truth.root.subarray(2 * (person * samples + sample), 2 * (person * samples + sample) + 2);
      for (let sample = 0; sample < samples; sample++) {
        for (const [a, b] of [
          [0, 1],
          [0, 2],
          [1, 2],
        ] as const) {
          const [ax, ay] = at(a, sample);
          const [bx, by] = at(b, sample);
          const distance = Math.hypot(ax! - bx!, ay! - by!);
          nearest = Math.min(nearest, distance);
          count++;
          if (distance < 0.5) close++;
        }
      }
      // The last person's keypoints are around that person's root.
      const [x, y] = at(2, 0);
      const hips = (2 * samples * 17 + 11) * 3;
      expect(Math.hypot(truth.keypoints[hips]! - x!, truth.keypoints[hips + 1]! - y!)).toBeLessThan(0.3);
    }
    expect(nearest).toBeGreaterThan(0.25);
    expect(close / count).toBeLessThan(0.01);
  });

  test('even in scripts of minutes, where one walks to where another sits', () => {
    const people = [0, 1].map((index) => {
      const motion = new Motion({ height: 1.7, build: 1, reflectivity: 0.9 }, SIZE, new Random(5, index));
      motion.perform({ activity: 'walk', to: [2.5, 2] });
      return motion.perform({ activity: index === 0 ? 'sit' : 'stand', seconds: 60 });
    });
    keepApart(people, 60, SIZE);
    const [a, b] = [new Float64Array(POSE_SIZE), new Float64Array(POSE_SIZE)];
    for (let time = 0; time < 60; time += 0.1) {
      people[0]!.at(time, a);
      people[1]!.at(time, b);
      expect(Math.hypot(a[POSE.x]! - b[POSE.x]!, a[POSE.y]! - b[POSE.y]!)).toBeGreaterThan(0.35);
    }
  });
});

describe('falls', () => {
  test.each(FALLS.map((fall) => [fall] as const))('of the kind %s end on the floor', (fall) => {
    const { samples } = play([
      { activity: 'walk', seconds: 2 },
      { activity: 'fall', fall },
      { activity: 'lie', seconds: 3 },
    ]);
    const falling = samples.filter(({ activity }) => activity === 'fall');
    expect(samples.at(-1)!.points[NOSE]).toBeLessThan(fall === 'slide' ? 1.1 : 0.45);
    expect(samples.at(-1)!.activity).toBe('lie');
    const seconds = falling.length * 0.02;
    expect(seconds).toBeGreaterThan(fall === 'slide' ? 1.4 : 0.8);
    expect(seconds).toBeLessThan(fall === 'slide' ? 8 : 3);
    if (fall !== 'slide') expect(plunge(falling)).toBeGreaterThan(1.5);
  });

  test('off a bed drop from its height to the floor beside it', () => {
    for (let seed = 0; seed < 10; seed++) {
      const { samples, starts } = play(
        [{ activity: 'lie', on: 'bed', seconds: 2 }, { activity: 'fall' }, { activity: 'lie', seconds: 2 }],
        seed,
      );
      const before = samples.findLast(({ time }) => time < starts[1]!)!;
      const after = samples.at(-1)!;
      expect(before.pose[POSE.support]).toBeGreaterThan(0.39);
      expect(after.pose[POSE.support]).toBe(0);
      expect(after.points[NOSE]).toBeLessThan(0.45);
      const moved = Math.hypot(
        before.pose[POSE.x]! - after.pose[POSE.x]!,
        before.pose[POSE.y]! - after.pose[POSE.y]!,
      );
      expect(moved).toBeGreaterThan(0.3);
    }
  });

  test('off a chair do not start with standing up', () => {
    const { samples, starts } = play([
      { activity: 'sit', seconds: 3 },
      { activity: 'fall' },
      { activity: 'get_up' },
    ]);
    const falling = samples.filter(({ time }) => time > starts[1]! && time < starts[2]!);
    expect(Math.max(...falling.map(({ points }) => points[NOSE]!))).toBeLessThan(1.35);
    expect(falling.at(-1)!.points[NOSE]).toBeLessThan(0.5);
    expect(samples.at(-1)!.points[NOSE]).toBeGreaterThan(1.5);
  });
});

describe('movements similar to a fall', () => {
  test('sitting down fast is a multiple as fast as sitting down', () => {
    const speed = (fast: boolean) =>
      plunge(
        play([
          { activity: 'stand', seconds: 1 },
          { activity: 'sit_down', on: 'sofa', fast },
        ]).samples,
      );
    expect(speed(true)).toBeGreaterThan(1);
    expect(speed(true)).toBeGreaterThan(1.8 * speed(false));
  });

  test('a jump leaves the floor and comes back to it', () => {
    const { samples } = play([
      { activity: 'stand', seconds: 1 },
      { activity: 'jump' },
      { activity: 'stand', seconds: 1 },
    ]);
    const ankles = samples.map(({ points }) => Math.min(points[3 * 15 + 2]!, points[3 * 16 + 2]!));
    expect(Math.max(...ankles)).toBeGreaterThan(0.12);
    expect(ankles.at(-1)).toBeLessThan(0.08);
  });

  test('kneeling, crawling, picking up and squats are low, and end upright', () => {
    for (const [activity, low] of [
      ['kneel', 1.35],
      ['crawl', 0.9],
      ['pick_up', 1.25],
      ['exercise', 1.45],
    ] as const) {
      const { samples } = play([
        { activity: 'stand', seconds: 1 },
        { activity, seconds: 5 },
      ]);
      const nose = samples.map(({ points }) => points[NOSE]!);
      expect(Math.min(...nose), activity).toBeLessThan(low);
      expect(nose.at(-1), activity).toBeGreaterThan(1.5);
      expect(samples.some((one) => one.activity === activity)).toBe(true);
    }
  });

  test('are part of the everyday mix, with crawling and leaving', () => {
    const seen = new Set<string>();
    for (let seed = 0; seed < 120; seed++) {
      const { truth } = simulateSequence(seed, { seconds: 6, links: 1, rateHz: 5, mix: EVERYDAY_MIX });
      for (const activity of truth.activity) seen.add(ACTIVITIES[activity]!);
    }
    for (const name of ['jump', 'kneel', 'pick_up', 'exercise', 'crawl', 'away'])
      expect(seen).toContain(name);
    expect(seen).not.toContain('fall');
  });
});

describe('a person who leaves', () => {
  const DOOR = [5, 1.5] as const;

  test('walks out by the door, and returns by it', () => {
    const { samples } = play(
      [
        { activity: 'walk', seconds: 3 },
        { activity: 'away', seconds: 4 },
        { activity: 'walk', seconds: 2 },
      ],
      3,
      DOOR,
    );
    const away = samples.filter(({ activity }) => activity === 'away');
    const [first, last] = [away[0]!, away.at(-1)!];
    for (const { pose } of [first, last]) {
      expect(Math.hypot(pose[POSE.x]! - DOOR[0], pose[POSE.y]! - DOOR[1])).toBeLessThan(0.1);
    }
    expect(last.time - first.time).toBeGreaterThan(5);
    for (const { pose, activity } of samples) {
      if (pose[POSE.x]! > SIZE.x + 1e-3) expect(activity).toBe('away');
    }
    expect(away.some(({ pose }) => pose[POSE.absence] === 1)).toBe(true);
  });

  test('fades from the channel behind the wall, without a jump', () => {
    const { samples, body } = play(
      [
        { activity: 'walk', seconds: 2 },
        { activity: 'away', seconds: 3 },
      ],
      3,
      DOOR,
    );
    const band = bandOf(GROUPS);
    const room = {
      size: SIZE,
      reflection: [-0.4, -0.4, -0.4, -0.4, -0.4, -0.4],
      furniture: [],
      diffuse: NO_DIFFUSE,
    };
    const channel = new Channel(room, [0.5, 0.1, 1], [4.9, 3.5, 1.5], band);
    const respond = (bodies: Body[]) => {
      const out = new Float64Array(2 * GROUPS.length);
      channel.respond(bodies, out);
      return out;
    };
    const empty = respond([]);
    const size = Math.hypot(...empty);
    const beyond = samples.filter(({ pose }) => pose[POSE.absence]! > 0 && pose[POSE.absence]! < 1);
    expect(beyond.length).toBeGreaterThan(20);
    const last = beyond.reduce((a, b) => (a.pose[POSE.absence]! > b.pose[POSE.absence]! ? a : b));
    body.pose(last.pose);
    const difference = respond([body]).map((value, i) => value - empty[i]!);
    expect(Math.hypot(...difference) / size).toBeLessThan(0.03);
  });
});

test('a person who lies for minutes breathes, and moves occasionally', () => {
  const { samples, starts } = play([{ activity: 'lie', on: 'bed', seconds: 600 }]);
  const lying = samples.filter(({ time, activity }) => activity === 'lie' && time > starts[0]! + 12);
  const breath = lying.map(({ pose }) => pose[POSE.breath]!);
  expect(Math.max(...breath) - Math.min(...breath)).toBeGreaterThan(0.006);
  const moves = lying.slice(1).map((one, i) => {
    const speeds = Array.from({ length: 17 }, (_, joint) =>
      Math.hypot(
        ...[0, 1, 2].map((axis) => one.points[3 * joint + axis]! - lying[i]!.points[3 * joint + axis]!),
      ),
    );
    return Math.max(...speeds) / 0.02;
  });
  const moving = moves.filter((speed) => speed > 0.05).length * 0.02;
  expect(moving).toBeGreaterThan(2);
  expect(moving).toBeLessThan(60);
  expect(Math.max(...moves)).toBeLessThan(3);
  for (const { points } of lying) expect(points[NOSE]).toBeLessThan(1);
});
