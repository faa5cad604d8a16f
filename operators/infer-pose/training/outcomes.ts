import type { Environment } from '../../../pipeline/model/index.js';
import { JOINTS, LEFT_HIP, RIGHT_HIP } from '../networks/body.js';
import { estimate } from '../sights/estimate.js';
import type { Estimate, Sight } from '../sights/sight.js';
import { LINK_FEATURES } from '../inputs/features.js';
import type { Network } from '../networks/network.js';
import { sceneOf } from './batches.js';
import { generateChunk, ONE_WINDOW, type Plan } from './generate.js';
import { ACTIVITIES, PERSON, peopleIn, personTruth, type Activity, type Samples } from './samples.js';

/** Seeds from this one to the last are never used for training: separate rooms, bodies and motions. */
export const FIRST_HELD_OUT_SEED = 900_000;
/** Later seeds are those of the networks for 5 GHz (bench/joint/rooms.ts). */
export const LAST_HELD_OUT_SEED = 1_999_999;
/** Seeds from this one up to the held-out ones are for choosing methods and fitting scales. */
export const FIRST_TUNING_SEED = 700_000;

export interface HeldOut {
  readonly seed: number;
  readonly sequences: number;
  /** For random rooms. */
  readonly links: number;
  readonly environment: Environment | null;
  readonly conditions?: Plan['conditions'];
  readonly centreMhz?: Plan['centreMhz'];
}

/** One window from each of `sequences` rooms (or evenings in the same room), without falls. */
export function heldOutSamples({
  seed,
  sequences,
  links,
  environment,
  conditions = 'ordinary',
  centreMhz,
}: HeldOut): Samples {
  if (seed < FIRST_TUNING_SEED) throw new RangeError(`held-out seeds start at ${FIRST_TUNING_SEED}`);
  const people = [0.12, 0.64, 0.12, 0.08, 0.04];
  const plan = {
    seed,
    links,
    sequences,
    environment,
    conditions,
    centreMhz,
    people,
    seconds: ONE_WINDOW,
    windows: 1,
    falls: 0,
  };
  return generateChunk(plan, 0);
}

/** A held-out window: the network's output and the truth. */
export interface Outcome {
  readonly sight: Sight;
  readonly size: { readonly x: number; readonly y: number };
  readonly people: readonly Truth[];
}

/** A held-out window with one person, and the network's output. */
export interface Single {
  readonly estimate: Estimate;
  readonly truth: Truth;
  readonly size: Outcome['size'];
}

export interface Truth {
  readonly activity: Activity;
  readonly root: readonly [number, number];
  readonly heading: readonly [number, number];
  readonly posture: number;
  readonly moving: boolean;
  /** In the body's own axes, relative to the root. */
  readonly joints: Float32Array;
}

/** Runs the network over samples like the operator. */
export function outcomes(network: Network, samples: Samples): Outcome[] {
  const results: Outcome[] = [];
  const links = Array.from({ length: samples.links }, (_, i) => i);
  const width = samples.links * LINK_FEATURES;
  for (let start = 0; start < samples.count; start += 32) {
    const rows = Array.from({ length: Math.min(32, samples.count - start) }, (_, i) => start + i);
    const scenes = rows.map((row) => sceneOf(samples, row, links));
    const features = samples.features.slice(start * width, (start + rows.length) * width);
    estimate(network, scenes, features).forEach((sight, i) => {
      results.push({ sight, size: scenes[i]!.size, people: peopleOf(samples, rows[i]!) });
    });
  }
  return results;
}

/** The windows with exactly one person. */
export const singles = (held: readonly Outcome[]): Single[] =>
  held.flatMap(({ sight, size, people }) =>
    people.length === 1 ? [{ estimate: sight.alone, truth: people[0]!, size }] : [],
  );

export const peopleOf = ({ truth }: Samples, row: number): Truth[] =>
  Array.from({ length: peopleIn(truth, row) }, (_, person): Truth => {
    const t = personTruth(truth, row, person);
    return {
      activity: ACTIVITIES[t[PERSON.activity]!]!,
      root: [t[PERSON.root]!, t[PERSON.root + 1]!],
      heading: [t[PERSON.heading]!, t[PERSON.heading + 1]!],
      posture: t[PERSON.posture]!,
      moving: t[PERSON.moving] === 1,
      joints: t.slice(PERSON.joints, PERSON.joints + 3 * JOINTS),
    };
  });

/** Joints in room axes of all persons present. */
export const trueJoints = (samples: Samples): Float32Array[] =>
  Array.from({ length: samples.count }, (_, row) => peopleOf(samples, row)).flatMap((people) =>
    people.map(({ joints, heading }) => turned(joints, heading)),
  );

/** Joints in the body's own axes, rotated by a heading vector; a vector shorter than 1 draws them towards the body's axis. */
export function turned(joints: Float32Array, [cos, sin]: readonly [number, number]): Float32Array {
  const out = new Float32Array(joints.length);
  for (let i = 0; i < joints.length; i += 3) {
    out[i] = cos * joints[i]! - sin * joints[i + 1]!;
    out[i + 1] = sin * joints[i]! + cos * joints[i + 1]!;
    out[i + 2] = joints[i + 2]!;
  }
  return out;
}

/** Distance of each joint, metres, both poses moved to their pelvis (the middle of the hips) first. */
export function pelvisAligned(a: Float32Array, b: Float32Array): number[] {
  const shift = [0, 1, 2].map(
    (axis) =>
      (a[3 * LEFT_HIP + axis]! +
        a[3 * RIGHT_HIP + axis]! -
        b[3 * LEFT_HIP + axis]! -
        b[3 * RIGHT_HIP + axis]!) /
      2,
  );
  return Array.from({ length: JOINTS }, (_, j) =>
    Math.hypot(
      a[3 * j]! - b[3 * j]! - shift[0]!,
      a[3 * j + 1]! - b[3 * j + 1]! - shift[1]!,
      a[3 * j + 2]! - b[3 * j + 2]! - shift[2]!,
    ),
  );
}

/** A heading vector scaled to length 1. */
export function unit([x, y]: readonly [number, number]): [number, number] {
  const length = Math.hypot(x, y);
  return length > 0 ? [x / length, y / length] : [1, 0];
}
