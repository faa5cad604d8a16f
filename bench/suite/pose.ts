import { LEFT_HIP } from '../../operators/infer-pose/networks/body.js';
import type { Person } from '../../pipeline/model/index.js';
import type { TruthLine } from '../../pipeline/sources/simulator/truth-file.js';
import { aligned, jointError, jointsOf } from '../accuracy/chain/answers.js';
import type { Case } from './task.js';
import { mean } from '../../operators/shared/mean.js';

/** Index among COCO's 17 joints. */
const RIGHT_SHOULDER = 6;

/** Poses as numbers: x and y on the floor, then x, y, z of 17 joints relative to the middle of the hips. */

export const poseOf = (person: Person): readonly number[] => [
  person.position.x,
  person.position.y,
  ...aligned(jointsOf(person)).flat(),
];

export const truePose = ({ root, keypoints }: TruthLine): readonly number[] => [
  root[0],
  root[1],
  ...aligned(keypoints).flat(),
];

/** Joints of an answer, relative to the middle of its own hips. */
const joints = (pose: readonly number[]): number[][] =>
  aligned(Array.from({ length: 17 }, (_, joint) => pose.slice(2 + 3 * joint, 5 + 3 * joint)));

const distance = (a: readonly number[], b: readonly number[]): number =>
  Math.hypot(a[0]! - b[0]!, a[1]! - b[1]!, a[2]! - b[2]!);

/** Mean distance of the joints, millimetres. */
export const bodyError = (answer: readonly number[], truth: readonly number[]): number =>
  jointError(joints(answer), joints(truth));

/** Distance of each joint, metres. */
export function jointErrors(answer: readonly number[], truth: readonly number[]): readonly number[] {
  const right = joints(truth);
  return joints(answer).map((joint, index) => distance(joint, right[index]!));
}

/** From the right shoulder to the left hip, metres. */
export function torso(pose: readonly number[]): number {
  const all = joints(pose);
  return distance(all[RIGHT_SHOULDER]!, all[LEFT_HIP]!);
}

export const MIDDLE_POSE = "the room's middle, the mean pose";

/** Adds the answer that needs no CSI: the middle of the room, and the mean pose of the other rooms (of its own, where there is only one). */
export function withMiddlePose(
  cases: readonly (Case & { readonly middle: readonly [number, number] })[],
): readonly Case[] {
  const means = new Map(
    [...new Set(cases.map(({ group }) => group))].map((group) => {
      const others = cases.filter((one) => one.group !== group);
      const from = others.length > 0 ? others : cases;
      return [group, from[0]!.truth.map((_, i) => mean(from.map(({ truth }) => truth[i]!)))] as const;
    }),
  );
  return cases.map(({ middle, ...one }) => ({
    ...one,
    answers: { ...one.answers, [MIDDLE_POSE]: [...middle, ...means.get(one.group)!.slice(2)] },
  }));
}
