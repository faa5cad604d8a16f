import { Body, KEYPOINTS, POSE } from './person/body.js';
import { postureOf } from './person/poses.js';
import type { ThingKind } from './thing.js';
import { wrapAngle } from '../../base/angle.js';

/**
 * Actual positions of people, on the samples' grid. Indices of ACTIVITIES; postures 0 upright, 1 sitting, 2
 * lying.
 */
export interface Truth {
  readonly persons: number;
  /** [persons, samples, (x, y)]: floor point below the pelvis, metres. */
  readonly root: Float32Array;
  /** [persons, samples]: radians from the x axis, counter-clockwise. */
  readonly heading: Float32Array;
  /** [persons, samples]. */
  readonly posture: Uint8Array;
  /** [persons, samples]. */
  readonly activity: Uint8Array;
  /** [persons, samples, 17, (x, y, z)]: COCO order, metres in the room. */
  readonly keypoints: Float32Array;
}

/** Actual position of a thing, on the samples' grid. */
export interface ThingTruth {
  readonly kind: ThingKind;
  /** [samples]: 1 if it moved. */
  readonly moving: Uint8Array;
  /** [samples, (x, y, z)]: its middle, metres. */
  readonly place: Float32Array;
}

export const emptyTruth = (persons: number, samples: number): Truth => ({
  persons,
  root: new Float32Array(persons * samples * 2),
  heading: new Float32Array(persons * samples),
  posture: new Uint8Array(persons * samples),
  activity: new Uint8Array(persons * samples),
  keypoints: new Float32Array(persons * samples * KEYPOINTS * 3),
});

export function writeTruth(
  truth: Truth,
  person: number,
  samples: number,
  sample: number,
  pose: Float64Array,
  body: Body,
  activity: number,
): void {
  const row = person * samples + sample;
  truth.root[2 * row] = pose[POSE.x]!;
  truth.root[2 * row + 1] = pose[POSE.y]!;
  truth.heading[row] = wrapAngle(pose[POSE.heading]!);
  truth.posture[row] = postureOf(pose);
  truth.activity[row] = activity;
  truth.keypoints.set(body.keypoints, row * KEYPOINTS * 3);
}
