import { POSTURES } from '../networks/body.js';
import { COUNTS } from '../networks/layers.js';
import { expectedError, likeliest } from '../people/person.js';
import type { ErrorCalibration } from '../model/weights.js';
import { rootError } from './calibrate.js';
import { pelvisAligned, singles, turned, unit, type Outcome, type Single, type Truth } from './outcomes.js';
import type { Activity } from './samples.js';
import { mean } from '../../shared/mean.js';
import { rankedQuantile } from '../../shared/median.js';

/**
 * Accuracy on held-out windows, with baselines that need no CSI. Lengths are metres, but MPJPE millimetres,
 * angles degrees.
 */
export interface Accuracy {
  readonly windows: number;
  readonly all: Row;
  readonly still: Row;
  readonly activities: Readonly<Partial<Record<Activity, Row>>>;
  readonly presence: Presence;
  /** Expected against actual mean error of the position, by fifths of the expected error. */
  readonly fifths: readonly { readonly expected: number; readonly actual: number }[];
}

export interface Row {
  readonly windows: number;
  readonly root: number;
  readonly rootP90: number;
  /** Root error of the constant answer, the middle of the room. */
  readonly rootConstant: number;
  /** Pelvis-aligned, room axes, of the pose as published: a whole skeleton turned to the heading. */
  readonly mpjpe: number;
  /**
   * The same of the pose with the smallest error: drawn towards the body's axis in proportion to the
   * heading's uncertainty.
   */
  readonly mpjpeShrunk: number;
  /** The same of one constant pose (the mean in room axes). */
  readonly mpjpeConstant: number;
  /** After rotation to the true heading: the shape alone. */
  readonly shape: number;
  /** Median of the heading's error. */
  readonly heading: number;
  /** Share of correct postures, and of `upright` as the constant answer. */
  readonly posture: number;
  readonly postureConstant: number;
  /** Share of joints within 20 % of the torso (right shoulder to left hip), published pose and constant pose. */
  readonly pck20: number;
  readonly pck20Constant: number;
}

export interface Presence {
  /** Share of empty rooms in which a person is more probable than none. */
  readonly falsePresence: number;
  readonly emptyWindows: number;
  /** Share of windows with one person in which nobody is more probable, by activity. */
  readonly missed: Readonly<Partial<Record<Activity, number>>>;
  readonly missedAll: number;
  /** Share of correct numbers of people, by true number (0, 1, ...). */
  readonly counted: readonly number[];
}

const STILL: readonly Activity[] = ['standing', 'sitting', 'lying'];

/** @param constantPose mean joints relative to the root, room axes, of other held-out windows */
export function accuracyOf(
  held: readonly Outcome[],
  calibration: ErrorCalibration,
  constantPose: Float32Array,
): Accuracy {
  const people = singles(held);
  const names = [...new Set(people.map(({ truth }) => truth.activity))].sort();
  const of = (activity: Activity) => people.filter(({ truth }) => truth.activity === activity);
  return {
    windows: held.length,
    all: rowOf(people, constantPose),
    still: rowOf(
      people.filter(({ truth }) => STILL.includes(truth.activity)),
      constantPose,
    ),
    activities: Object.fromEntries(names.map((name) => [name, rowOf(of(name), constantPose)])),
    presence: presenceOf(held),
    fifths: fifthsOf(people, calibration),
  };
}

/** Mean joints in room axes: the pose of the constant answer. */
export const meanPose = (poses: readonly Float32Array[]): Float32Array =>
  Float32Array.from({ length: poses[0]?.length ?? 0 }, (_, i) => mean(poses.map((pose) => pose[i]!)));

function rowOf(people: readonly Single[], constantPose: Float32Array): Row {
  const poses = people.map(({ estimate, truth }) => {
    const real = turned(truth.joints, truth.heading);
    const published = pelvisAligned(turned(estimate.joints, unit(estimate.heading)), real);
    const length = Math.hypot(...estimate.heading);
    const shrunk = length > 1 ? unit(estimate.heading) : estimate.heading;
    const constant = pelvisAligned(constantPose, real);
    const torso = torsoOf(truth);
    return {
      published: mean(published),
      shrunk: mean(pelvisAligned(turned(estimate.joints, shrunk), real)),
      constant: mean(constant),
      shape: mean(pelvisAligned(estimate.joints, truth.joints)),
      pck: mean(published.map((error) => Number(error <= 0.2 * torso))),
      pckConstant: mean(constant.map((error) => Number(error <= 0.2 * torso))),
    };
  });
  const errors = people.map(rootError);
  const millimetres = (values: number[]) => 1000 * mean(values);
  return {
    windows: people.length,
    root: mean(errors),
    rootP90: rankedQuantile(errors, 0.9),
    rootConstant: mean(
      people.map(({ truth, size }) => Math.hypot(size.x / 2 - truth.root[0], size.y / 2 - truth.root[1])),
    ),
    mpjpe: millimetres(poses.map((pose) => pose.published)),
    mpjpeShrunk: millimetres(poses.map((pose) => pose.shrunk)),
    mpjpeConstant: millimetres(poses.map((pose) => pose.constant)),
    shape: millimetres(poses.map((pose) => pose.shape)),
    heading: rankedQuantile(people.map(headingError), 0.5),
    posture: mean(
      people.map(({ estimate, truth }) => Number(likeliest(estimate.postures) === truth.posture)),
    ),
    postureConstant: mean(people.map(({ truth }) => Number(POSTURES[truth.posture] === 'upright'))),
    pck20: mean(poses.map((pose) => pose.pck)),
    pck20Constant: mean(poses.map((pose) => pose.pckConstant)),
  };
}

function headingError({ estimate, truth }: Single): number {
  const [ax, ay] = estimate.heading;
  const [bx, by] = truth.heading;
  return (Math.abs(Math.atan2(ax * by - ay * bx, ax * bx + ay * by)) * 180) / Math.PI;
}

const RIGHT_SHOULDER = 6;
const LEFT_HIP = 11;

function torsoOf({ joints }: Truth): number {
  const along = (axis: number) => joints[3 * RIGHT_SHOULDER + axis]! - joints[3 * LEFT_HIP + axis]!;
  return Math.hypot(along(0), along(1), along(2));
}

function presenceOf(held: readonly Outcome[]): Presence {
  const empty = held.filter(({ people }) => people.length === 0);
  const alone = held.filter(({ people }) => people.length === 1);
  const nobody = ({ sight }: Outcome) => Number(sight.counts[0]! > 0.5);
  const doing = (name: Activity) => alone.filter(({ people }) => people[0]!.activity === name);
  const names = [...new Set(alone.map(({ people }) => people[0]!.activity))].sort();
  return {
    falsePresence: mean(empty.map((one) => 1 - nobody(one))),
    emptyWindows: empty.length,
    missed: Object.fromEntries(names.map((name) => [name, mean(doing(name).map(nobody))])),
    missedAll: mean(alone.map(nobody)),
    counted: Array.from({ length: COUNTS }, (_, count) =>
      mean(
        held
          .filter(({ people }) => people.length === count)
          .map(({ sight }) => Number(likeliest(sight.counts) === count)),
      ),
    ),
  };
}

function fifthsOf(people: readonly Single[], calibration: ErrorCalibration): Accuracy['fifths'] {
  const expected = (one: Single) => expectedError(one.estimate.scale, calibration.position);
  const sorted = [...people].sort((a, b) => expected(a) - expected(b));
  return Array.from({ length: 5 }, (_, i) => {
    const fifth = sorted.slice(
      Math.floor((i * sorted.length) / 5),
      Math.floor(((i + 1) * sorted.length) / 5),
    );
    return { expected: mean(fifth.map(expected)), actual: mean(fifth.map(rootError)) };
  });
}
