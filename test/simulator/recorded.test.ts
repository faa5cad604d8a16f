import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Body, POSE, POSE_SIZE } from '../../pipeline/sources/simulator/person/body.js';
import {
  ACTIVITIES,
  EVERYDAY_MIX,
  loadMotion,
  Motion,
  MOTION_MIX,
  simulateSequence,
} from '../../pipeline/sources/simulator/index.js';
import { Random } from '../../pipeline/sources/simulator/shared/random.js';
import { clipOf, JOINTS } from '../../pipeline/sources/simulator/recorded/clip.js';
import { postureOf } from '../../pipeline/sources/simulator/person/poses.js';
import { packageFile } from '../../pipeline/base/paths.js';

const SHARED = packageFile('../shared/motion');
const HEADER = JOINTS.flatMap((name) => ['x', 'y', 'z'].map((axis) => `${name}_${axis}`)).join();

/** Shoulders to elbows to wrists, hips to knees to ankles. */
const LIMBS = [5, 6, 7, 8, 11, 12, 13, 14].map((joint) => [joint, joint + 2] as const);

/** Metres between joint `i` of `a` and joint `j` of `b`. */
const between = (a: Float64Array, i: number, b: Float64Array, j: number): number =>
  Math.hypot(a[3 * i]! - b[3 * j]!, a[3 * i + 1]! - b[3 * j + 1]!, a[3 * i + 2]! - b[3 * j + 2]!);

/** Joints (x forward, y up, z right) of a straight body, tilted about its left-right axis through the feet. */
function straight(tilt: number): number[] {
  const at: Record<string, readonly [number, number]> = {
    root: [0.85, 0],
    chest: [1.08, 0],
    neck: [1.31, 0],
    hip: [0.85, 0.08],
    knee: [0.43, 0.08],
    ankle: [0.02, 0.08],
    shoulder: [1.33, 0.18],
    elbow: [1.05, 0.18],
    wrist: [0.79, 0.18],
  };
  return JOINTS.flatMap((name) => {
    const [up, out] = at[name.replace(/^(left|right)_/, '')]!;
    return [up * Math.sin(tilt), up * Math.cos(tilt), name.startsWith('left') ? -out : out];
  });
}

/** A rag-doll's table: falls forward within one second, then lies. */
const table = (): string =>
  [
    HEADER,
    ...Array.from({ length: 301 }, (_, i) => straight(Math.min(1.5, 1.5 * (i / 100) ** 2)).join()),
  ].join('\n');

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'csiflow-motion-'));
  await mkdir(join(folder, 'ragdoll-falls'));
  for (let i = 0; i < 5; i++) await writeFile(join(folder, 'ragdoll-falls', `fall_00${i}.csv`), table());
});

afterAll(async () => rm(folder, { recursive: true }));

describe('recorded motion', () => {
  test('keeps the directions of trunk and limbs, on a body of another size', () => {
    const tilt = 0.7;
    const head = { name: 'tilted', activity: 'fall', rate: 1, loops: false } as const;
    const clip = clipOf(head, Float32Array.from([...straight(tilt), ...straight(tilt)]));
    const body = new Body({ height: 1.9, build: 1, reflectivity: 1 });
    body.pose(Float64Array.from(clip.poses.subarray(0, POSE_SIZE)));
    const joint = (index: number) => Array.from(body.keypoints.subarray(3 * index, 3 * index + 3));
    const ways = [
      [5, 7],
      [7, 9],
      [11, 13],
      [13, 15],
    ] as const;
    for (const [from, to] of ways) {
      const [x, y, z] = joint(to).map((value, i) => value - joint(from)[i]!) as [number, number, number];
      expect(Math.atan2(x, -z)).toBeCloseTo(-tilt, 4);
      expect(y).toBeCloseTo(0, 6);
    }
    expect(joint(5)[1]).toBeGreaterThan(joint(6)[1]!);
    expect(postureOf(Float64Array.from(clip.poses.subarray(0, POSE_SIZE)))).toBe(0);
  });

  test('is played by a person who falls without a given kind', () => {
    const library = loadMotion(folder);
    const body = new Body({ height: 1.75, build: 1, reflectivity: 1 });
    let played = 0;
    for (let seed = 0; seed < 20; seed++) {
      const motion = new Motion(body.size, { x: 5, y: 5, z: 2.5 }, new Random(seed), { library });
      motion.perform({ activity: 'stand', seconds: 1 }).perform({ activity: 'fall' });
      motion.perform({ activity: 'lie', seconds: 3 }).perform({ activity: 'get_up' });
      const pose = new Float64Array(POSE_SIZE);
      let recorded = false;
      for (let time = 0; time < motion.duration; time += 0.02) {
        motion.at(time, pose);
        recorded ||= pose[POSE.free] === 1;
      }
      motion.at(motion.duration, pose);
      expect(pose[POSE.free]).toBe(0);
      body.pose(pose);
      expect(body.keypoints[2]).toBeGreaterThan(1.5);
      if (recorded) played++;
    }
    expect(played).toBeGreaterThan(10);
    expect(played).toBeLessThan(20);
  });

  test('changes nothing without recordings', () => {
    const plain = simulateSequence(700_001, { links: 1, seconds: 3 });
    const same = simulateSequence(700_001, { links: 1, seconds: 3, motion: undefined });
    expect(same.csi).toEqual(plain.csi);
  });

  test('for training and evaluation shares no recording, and is complete', () => {
    const names = (part: 'all' | 'training' | 'held_out') =>
      loadMotion(folder, part).falls.map(({ name }) => name);
    expect(names('held_out')).toEqual(['fall_004.csv']);
    expect([...names('training'), ...names('held_out')]).toEqual(names('all'));
  });

  test('that is invalid is rejected by file and line', async () => {
    const bad = await mkdtemp(join(tmpdir(), 'csiflow-motion-'));
    try {
      expect(() => loadMotion(bad)).toThrow(/has no recorded motion: neither clips/);
      await mkdir(join(bad, 'ragdoll-falls'));
      await writeFile(join(bad, 'ragdoll-falls', 'fall_000.csv'), `${HEADER}\n1,2,x`);
      expect(() => loadMotion(bad)).toThrow(/fall_000\.csv: line 2 is not 45 numbers/);
      await rm(join(bad, 'ragdoll-falls'), { recursive: true });
      await mkdir(join(bad, 'clips'));
      await writeFile(join(bad, 'clips', 'humanoid3d_character.txt'), '{}');
      expect(() => loadMotion(bad)).toThrow(/humanoid3d_character\.txt: Skeleton\.Joints has no joint root/);
    } finally {
      await rm(bad, { recursive: true });
    }
  });
});

describe.skipIf(!existsSync(SHARED))('the recordings beside the project', () => {
  let read: ReturnType<typeof loadMotion> | undefined;
  const recordings = () => (read ??= loadMotion(SHARED));

  test('are walks, crawling, jumps, exercise and falls that end on the floor', () => {
    const { clips, falls } = recordings();
    expect(new Set(clips.map(({ activity }) => activity))).toEqual(
      new Set(['walk', 'crawl', 'jump', 'exercise']),
    );
    expect(falls).toHaveLength(50);
    const body = new Body({ height: 1.7, build: 1, reflectivity: 1 });
    const low = falls.filter(({ poses, count }) => {
      const last = Float64Array.from(poses.subarray((count - 1) * POSE_SIZE));
      body.pose(last);
      return body.keypoints[2]! < 0.6 && postureOf(last) === 2;
    });
    // One of the fifty is pushed, and does not fall.
    expect(low.length).toBeGreaterThanOrEqual(45);
    for (const { poses, count, name } of clips.filter(({ activity }) => activity === 'walk')) {
      for (let i = 0; i < count; i += 10) {
        const pose = Float64Array.from(poses.subarray(i * POSE_SIZE, (i + 1) * POSE_SIZE));
        expect(postureOf(pose), name).toBe(0);
      }
    }
  });

  test('are played without a jump, inside the room, with limbs of constant length', () => {
    const library = recordings();
    const size = { x: 5, y: 4.5, z: 2.5 };
    const seen = new Set<string>();
    for (let seed = 0; seed < 16; seed++) {
      const body = new Body({ height: 1.6 + 0.01 * seed, build: 1, reflectivity: 1 });
      const motion = new Motion(body.size, size, new Random(seed), { library });
      for (const activity of ['walk', 'exercise', 'crawl', 'jump', 'walk', 'fall', 'get_up'] as const)
        motion.perform({ activity });
      const pose = new Float64Array(POSE_SIZE);
      let before: Float64Array | undefined;
      let lengths: number[] | undefined;
      for (let time = 0; time < motion.duration; time += 0.05) {
        const activity = ACTIVITIES[motion.at(time, pose)]!;
        body.pose(pose);
        if (pose[POSE.free] === 1) seen.add(activity);
        const points = body.keypoints;
        for (let joint = 0; before && joint < 17; joint++) {
          const speed = between(points, joint, before, joint) / 0.05;
          if (speed > 14)
            expect.fail(`${activity}, seed ${seed}, ${time.toFixed(2)} s: joint ${joint} at ${speed} m/s`);
        }
        const now = LIMBS.map(([a, b]) => between(points, a, points, b));
        lengths ??= now;
        const change = Math.max(...now.map((length, i) => Math.abs(length / lengths![i]! - 1)));
        if (change > 1e-6) expect.fail(`${activity}, seed ${seed}: limbs changed by ${change}`);
        before = points.slice();
        // An `expect` for each of 20,000 poses would take longer than all else of this test.
        if (!(points[0]! > -0.1 && points[0]! < size.x + 0.1))
          expect.fail(`${activity}, seed ${seed}, ${time.toFixed(2)} s: the nose is at x = ${points[0]} m`);
      }
    }
    for (const activity of ['walk', 'exercise', 'crawl', 'jump', 'fall']) expect(seen).toContain(activity);
  });

  test('make different sequences, and falls of a rag doll', () => {
    const motion = loadMotion(SHARED, 'training');
    const mix = { ...MOTION_MIX, walk: 0, stand: 0, arms: 0, sit: 0, lie: 0, change: 0, fall: 1 };
    let lying = 0;
    for (let seed = 0; seed < 10; seed++) {
      const { truth, samples } = simulateSequence(700_010 + seed, {
        seconds: 8,
        links: 1,
        rateHz: 10,
        mix,
        motion,
      });
      if (truth.posture[samples - 1] === 2) lying++;
    }
    expect(lying).toBeGreaterThan(4);
    const options = { seconds: 4, links: 1, mix: EVERYDAY_MIX };
    const differ = Array.from({ length: 8 }, (_, i) => 700_100 + i).filter(
      (seed) =>
        simulateSequence(seed, { ...options, motion }).truth.keypoints.join() !==
        simulateSequence(seed, options).truth.keypoints.join(),
    );
    expect(differ.length).toBeGreaterThan(1);
  });
});
