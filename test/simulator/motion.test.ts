import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BONES } from '../../pipeline/model/index.js';
import { Body, POSE, POSE_SIZE } from '../../pipeline/sources/simulator/person/body.js';
import { ACTIVITIES, Motion, type Step } from '../../pipeline/sources/simulator/index.js';
import { homePose } from '../../pipeline/sources/simulator/person/poses.js';
import { Random } from '../../pipeline/sources/simulator/shared/random.js';

const step: fc.Arbitrary<Step> = fc.record({
  activity: fc.constantFrom(...ACTIVITIES),
  seconds: fc.double({ min: 0.5, max: 6, noNaN: true }),
});
const scene = fc.record({
  seed: fc.integer({ min: 0, max: 1e6 }),
  height: fc.double({ min: 1.55, max: 1.92, noNaN: true }),
  size: fc.record({
    x: fc.double({ min: 3, max: 7, noNaN: true }),
    y: fc.double({ min: 3, max: 6, noNaN: true }),
    z: fc.constant(2.5),
  }),
  steps: fc.array(step, { minLength: 1, maxLength: 6 }),
});

/** Poses of a script, 20 per second: keypoints, pose and activity go to `look`. */
function watch(
  {
    seed,
    height,
    size,
    steps,
  }: { seed: number; height: number; size: { x: number; y: number; z: number }; steps: Step[] },
  look: (keypoints: Float64Array, pose: Float64Array, activity: number, time: number) => void,
): void {
  const body = new Body({ height, build: 1, reflectivity: 0.8 });
  const motion = new Motion(body.size, size, new Random(seed));
  for (const one of steps) motion.perform(one);
  const pose = new Float64Array(POSE_SIZE);
  for (let time = 0; time < motion.duration; time += 0.05) {
    const activity = motion.at(time, pose);
    body.pose(pose);
    look(body.keypoints, pose, activity, time);
  }
}

/** At the wall where the default door is. */
const atDoor = (pose: Float64Array, size: { x: number }): boolean =>
  Math.hypot(pose[POSE.x]! - size.x / 2, pose[POSE.y]!) < 0.6;

const between = (points: Float64Array, a: number, b: number): number =>
  Math.hypot(...[0, 1, 2].map((i) => points[3 * a + i]! - points[3 * b + i]!));

describe('people', () => {
  test('have limbs of constant length, equal on both sides', () => {
    fc.assert(
      fc.property(scene, (input) => {
        let first: number[] | undefined;
        watch(input, (points) => {
          const lengths = BONES.map(([a, b]) => between(points, a, b));
          first ??= lengths;
          const worst = Math.max(...lengths.map((length, i) => Math.abs(length / first![i]! - 1)));
          if (worst > 0.02 || Math.abs(lengths[0]! / lengths[2]! - 1) > 1e-6)
            expect.fail(`limbs changed by ${worst}`);
        });
      }),
      { numRuns: 25, seed: 20 },
    );
  });

  test('stay inside the room, above the floor and on their support', () => {
    fc.assert(
      fc.property(scene, (input) => {
        let outside = 0;
        let lowest = Infinity;
        let lifted = 0;
        watch(input, (points, pose, activity) => {
          // People who are away, or in the doorway, are not inside the room.
          if (input.steps.some((one) => one.activity === 'away') && atDoor(pose, input.size)) return;
          if (ACTIVITIES[activity] === 'away') return;
          let low = Infinity;
          for (let i = 0; i < points.length; i += 3) {
            const x = points[i]!;
            const y = points[i + 1]!;
            outside = Math.max(outside, -x, -y, x - input.size.x, y - input.size.y);
            low = Math.min(low, points[i + 2]!);
          }
          lowest = Math.min(lowest, low);
          lifted = Math.max(lifted, low - pose[POSE.support]!);
        });
        expect(outside).toBeLessThan(0.1);
        expect(lowest).toBeGreaterThan(0);
        expect(lifted).toBeLessThan(0.16);
      }),
      { numRuns: 25, seed: 20 },
    );
  });

  test('never jump: no joint is faster than 12 m/s', () => {
    fc.assert(
      fc.property(scene, (input) => {
        let before: Float64Array | undefined;
        watch(input, (points, _pose, activity, time) => {
          for (let joint = 0; before && joint < 17; joint++) {
            const axes = [0, 1, 2].map((i) => points[3 * joint + i]! - before![3 * joint + i]!);
            const speed = Math.hypot(...axes) / 0.05;
            if (speed > 12) expect.fail(`${ACTIVITIES[activity]!} at ${time.toFixed(2)} s: ${speed} m/s`);
          }
          before = points.slice();
        });
      }),
      { numRuns: 25, seed: 20 },
    );
  });

  test('walking stand on a foot at every moment and have the configured speed', () => {
    const size = { x: 6, y: 5, z: 2.6 };
    const body = new Body({ height: 1.75, build: 1, reflectivity: 0.8 });
    const motion = new Motion(body.size, size, new Random(2));
    motion.perform({ activity: 'walk', seconds: 20, speed: 1.1 });
    const pose = new Float64Array(POSE_SIZE);
    const speeds: number[] = [];
    let x = NaN;
    let y = NaN;
    for (let time = 1; time < 20; time += 0.1) {
      motion.at(time, pose);
      body.pose(pose);
      expect(Math.min(body.keypoints[47]!, body.keypoints[50]!)).toBeCloseTo(0.039 * 1.75, 2);
      if (!Number.isNaN(x)) speeds.push(Math.hypot(pose[POSE.x]! - x, pose[POSE.y]! - y) / 0.1);
      x = pose[POSE.x]!;
      y = pose[POSE.y]!;
    }
    speeds.sort((a, b) => a - b);
    expect(speeds[Math.floor(0.9 * speeds.length)]).toBeGreaterThan(0.9);
    expect(speeds.at(-1)).toBeLessThan(1.5);
  });

  test('falling are down within two seconds, at 2.5 m/s or more, and lie still', () => {
    for (const fall of ['forward', 'backward', 'left', 'right'] as const) {
      const body = new Body({ height: 1.75, build: 1, reflectivity: 0.8 });
      const motion = new Motion(body.size, { x: 5, y: 5, z: 2.6 }, new Random(4));
      motion.perform({ activity: 'stand', seconds: 2 });
      const start = motion.duration;
      motion.perform({ activity: 'fall', fall }).perform({ activity: 'lie', seconds: 5 });
      const pose = new Float64Array(POSE_SIZE);
      let fastest = 0;
      let before = NaN;
      for (let time = start; time < start + 4; time += 0.02) {
        motion.at(time, pose);
        body.pose(pose);
        const nose = body.keypoints[2]!;
        if (nose < before) fastest = Math.max(fastest, (before - nose) / 0.02);
        before = nose;
        if (time > start + 2.5) expect(nose, fall).toBeLessThan(0.4);
      }
      expect(fastest, fall).toBeGreaterThan(2.5);
      expect(fastest, fall).toBeLessThan(8);
    }
  });

  test('return without a jump if they never left their place', () => {
    const size = { x: 5, y: 4, z: 2.6 };
    const random = new Random(8);
    const home = homePose(random, size, [3, 2]);
    const motion = new Motion({ height: 1.7, build: 1, reflectivity: 0.8 }, size, random, { home });
    motion.perform({ activity: 'stand', seconds: 2 }).goHome();
    const pose = new Float64Array(POSE_SIZE);
    for (let time = 0; time < motion.duration; time += 0.01) {
      motion.at(time, pose);
      expect(Math.hypot(pose[POSE.x]! - 3, pose[POSE.y]! - 2)).toBeLessThan(0.01);
    }
  });

  test('return, so that a script can be repeated', () => {
    const size = { x: 5, y: 4, z: 2.6 };
    const random = new Random(8);
    const home = homePose(random, size, [1, 1]);
    const motion = new Motion({ height: 1.7, build: 1, reflectivity: 0.8 }, size, random, { home });
    motion.perform({ activity: 'walk', seconds: 5 }).perform({ activity: 'lie', seconds: 2 }).goHome();
    const pose = new Float64Array(POSE_SIZE);
    motion.at(motion.duration, pose);
    expect(pose[POSE.x]).toBeCloseTo(1, 6);
    expect(pose[POSE.y]).toBeCloseTo(1, 6);
    expect(Math.cos(pose[POSE.heading]! - home[POSE.heading]!)).toBeCloseTo(1, 6);
  });
});
