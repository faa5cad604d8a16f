import { LEFT_HIP, RIGHT_HIP } from '../../../operators/infer-pose/networks/body.js';
import type { Environment, Person, PoseFrame } from '../../../pipeline/model/index.js';
import type { TruthLine } from '../../../pipeline/sources/simulator/truth-file.js';
import type { Observed } from './scene.js';
import type { Truth } from './truth.js';

/** Reads the output of a sink as its receiver would. */

/** Start of the window that a pose frame was inferred from, microseconds. */
export const windowStart = ({ time, windowEnd }: PoseFrame): number => 2 * time - windowEnd;

/** Pose frames whose window is entirely within a stretch of event time. */
export const poseFramesIn = ({ poses }: Observed, from: number, to: number): readonly PoseFrame[] =>
  poses.filter((poseFrame) => windowStart(poseFrame) >= from && poseFrame.windowEnd <= to);

/** Reported persons, including those out of sight, at their last position. */
export const toldOf = ({ persons }: PoseFrame): readonly Person[] =>
  persons.filter(({ track }) => track?.state !== 'ended');

/** Persons seen in this very pose frame. */
export const seenIn = (poseFrame: PoseFrame): readonly Person[] =>
  toldOf(poseFrame).filter(({ track }) => track?.state !== 'lost');

/** The most confident person of a pose frame, where one person is expected. */
export const surestOf = (poseFrame: PoseFrame): Person | undefined =>
  [...toldOf(poseFrame)].sort((a, b) => a.positionError - b.positionError)[0];

export const placeError = (person: Person, { root }: TruthLine): number => placeErrorAt(person, root);

/** @param place metres, on the floor */
export const placeErrorAt = ({ position }: Person, [x, y]: readonly [number, number]): number =>
  Math.hypot(position.x - x, position.y - y);

/** Error of the constant answer: the middle of the room. */
export const middleError = ({ size }: Environment, { root }: TruthLine): number =>
  Math.hypot(size.x / 2 - root[0], size.y / 2 - root[1]);

/** How well pose frames locate the only person of a scene. */
export interface Located {
  /** Metres, one for each pose frame with an answer: its most certain person's reported error, and the real one. */
  readonly answers: readonly { readonly told: number; readonly real: number }[];
  /** For each pose frame: 1 if there is no answer. */
  readonly abstained: readonly number[];
  /** For each pose frame: the error of the constant answer, metres. */
  readonly middle: readonly number[];
}

/** Pose frames without a person in the truth do not count. */
export function located(poseFrames: readonly PoseFrame[], truth: Truth, room: Environment): Located {
  const found = {
    answers: [] as { told: number; real: number }[],
    abstained: [] as number[],
    middle: [] as number[],
  };
  for (const poseFrame of poseFrames) {
    const actual = truth.at(poseFrame.time)?.people[0];
    if (!actual) continue;
    const person = surestOf(poseFrame);
    found.abstained.push(Number(!person));
    found.middle.push(middleError(room, actual));
    if (person) found.answers.push({ told: person.positionError, real: placeError(person, actual) });
  }
  return found;
}

/** Degrees; undefined if there is no heading. */
export function headingError({ heading }: Person, truth: TruthLine): number | undefined {
  if (heading === null) return undefined;
  const turn = heading - truth.heading;
  return (Math.abs(Math.atan2(Math.sin(turn), Math.cos(turn))) * 180) / Math.PI;
}

/** Joints relative to the middle of the hips, [17][x, y, z]. */
export const aligned = (joints: readonly (readonly number[])[]): number[][] => {
  const pelvis = [0, 1, 2].map((axis) => (joints[LEFT_HIP]![axis]! + joints[RIGHT_HIP]![axis]!) / 2);
  return joints.map((joint) => joint.map((value, axis) => value - pelvis[axis]!));
};

export const jointsOf = ({ keypoints }: Person): number[][] => keypoints.map(({ x, y, z }) => [x, y, z]);

/** Mean distance of joints, millimetres. */
export const jointError = (a: readonly (readonly number[])[], b: readonly (readonly number[])[]): number =>
  (1000 / a.length) *
  a.reduce(
    (sum, joint, j) => sum + Math.hypot(joint[0]! - b[j]![0]!, joint[1]! - b[j]![1]!, joint[2]! - b[j]![2]!),
    0,
  );

/**
 * Reported number of people in the environment over time: from `watch-zones` if the topology has it,
 * otherwise from its tracks. If it was never known, 0; once unknown, the last number.
 */
export function occupancyAt(observed: Observed, zones: boolean, time: number): number {
  if (zones) return lastMeasure(observed, 'occupancy', time) ?? 0;
  const poseFrame = observed.poses.findLast(({ windowEnd }) => windowEnd <= time);
  return poseFrame ? toldOf(poseFrame).filter(({ track }) => track?.state !== 'tentative').length : 0;
}

/** Whether the topology knows how many people are there: never for a `watch-zones` that has not said so. */
export function isOccupancyKnown(observed: Observed, zones: boolean, time: number): boolean {
  if (zones) return lastMeasure(observed, 'occupancy_known', time) === 1;
  return observed.poses.some(({ windowEnd }) => windowEnd <= time);
}

/** The last value of a measure of the whole environment. */
export const lastMeasure = ({ measures }: Observed, name: string, time: number): number | undefined =>
  measures.findLast((one) => one.name === name && one.subject === null && one.time <= time)?.value;

/** Values of a measure of the whole environment in a stretch of event time. */
export const measuresIn = (
  { measures }: Observed,
  name: string,
  from: number,
  to: number,
): readonly number[] =>
  measures
    .filter((one) => one.name === name && one.subject === null && one.time >= from && one.time <= to)
    .map(({ value }) => value);
