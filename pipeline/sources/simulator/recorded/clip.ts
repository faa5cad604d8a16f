import type { Activity } from '../person/activities.js';
import { POSE, POSE_SIZE } from '../person/body.js';
import { FREE } from '../person/free.js';
import { wrapAngle } from '../../../base/angle.js';

/** Joints of recorded motion, in the order of their columns. */
export const JOINTS = [
  'root',
  'chest',
  'neck',
  ...['right_hip', 'right_knee', 'right_ankle', 'right_shoulder', 'right_elbow', 'right_wrist'],
  ...['left_hip', 'left_knee', 'left_ankle', 'left_shoulder', 'left_elbow', 'left_wrist'],
] as const;

/** Recorded motion as poses at a constant rate. */
export interface Clip {
  readonly name: string;
  readonly activity: Activity;
  /** Poses per second. */
  readonly rate: number;
  readonly count: number;
  /** True if its end leads back to its start. */
  readonly loops: boolean;
  /** Length of a leg, metres: distances over the floor scale with the leg of the body that plays it. */
  readonly leg: number;
  /** [count, POSE_SIZE]: position and heading as recorded. */
  readonly poses: Float32Array;
}

export const clipSeconds = ({ count, rate }: Clip): number => (count - 1) / rate;

type Vector = readonly [number, number, number];

/** Up to this height of the lowest joint above a foot at rest, the body is not in the air, metres. */
const SOLE = 0.04;

/**
 * Converts joints [count, 15, (x, y, z)], y upward, into poses whose limbs have the recorded directions. The
 * simulated person has different limb lengths, and stands with the lowest point on the floor.
 */
export function clipOf(head: Pick<Clip, 'name' | 'activity' | 'rate' | 'loops'>, joints: Float32Array): Clip {
  const size = 3 * JOINTS.length;
  const count = joints.length / size;
  const poses = new Float32Array(count * POSE_SIZE);
  const lowest = new Float32Array(count);
  let heading = 0;
  for (let i = 0; i < count; i++) {
    const at = (name: (typeof JOINTS)[number]): Vector => {
      const from = i * size + 3 * JOINTS.indexOf(name);
      // The room has x forward, y left, z up; recordings have x forward, y up, z right.
      return [joints[from]!, -joints[from + 2]!, joints[from + 1]!];
    };
    const pose = poses.subarray(i * POSE_SIZE, (i + 1) * POSE_SIZE);
    heading = writePose(pose, at, heading);
    lowest[i] = Math.min(...JOINTS.map((name) => at(name)[2]));
  }
  const floor = Float32Array.from(lowest).sort()[Math.floor(count / 10)]!;
  for (let i = 0; i < count; i++) {
    poses[i * POSE_SIZE + POSE.support] = Math.max(0, lowest[i]! - floor - SOLE);
  }
  return { ...head, count, leg: legOf(joints), poses };
}

/** Writes one pose; returns its heading, unwrapped to be near `before`. */
function writePose(
  pose: Float32Array,
  at: (name: (typeof JOINTS)[number]) => Vector,
  before: number,
): number {
  const up = unit(minus(at('chest'), at('root')));
  const left = unit(minus(at('left_hip'), at('right_hip')));
  const forward = cross(left, up);
  // The rotation about the vertical in the shortest rotation from standing upright.
  const yaw = Math.atan2(forward[1] - left[0], forward[0] + left[1]);
  const heading = before + wrapAngle(yaw - before);
  const cos = Math.cos(heading);
  const sin = Math.sin(heading);
  const write = (direction: number, [x, y, z]: Vector) => {
    pose.set([cos * x + sin * y, cos * y - sin * x, z], POSE.directions + direction);
  };
  write(FREE.pelvisLeft, left);
  write(FREE.pelvisUp, up);
  write(FREE.trunkLeft, unit(minus(at('left_shoulder'), at('right_shoulder'))));
  write(FREE.trunkUp, unit(minus(at('neck'), at('root'))));
  for (const [side, name] of (['left', 'right'] as const).entries()) {
    write(FREE.upperArm + 3 * side, unit(minus(at(`${name}_elbow`), at(`${name}_shoulder`))));
    write(FREE.forearm + 3 * side, unit(minus(at(`${name}_wrist`), at(`${name}_elbow`))));
    write(FREE.thigh + 3 * side, unit(minus(at(`${name}_knee`), at(`${name}_hip`))));
    write(FREE.shank + 3 * side, unit(minus(at(`${name}_ankle`), at(`${name}_knee`))));
  }
  [pose[POSE.x], pose[POSE.y]] = at('root');
  pose[POSE.heading] = heading;
  pose[POSE.free] = 1;
  return heading;
}

function legOf(joints: Float32Array): number {
  const joint = (name: (typeof JOINTS)[number]): Vector => {
    const from = 3 * JOINTS.indexOf(name);
    return [joints[from]!, joints[from + 1]!, joints[from + 2]!];
  };
  const length = (a: Vector, b: Vector) => Math.hypot(...minus(a, b));
  const knee = joint('left_knee');
  return length(joint('left_hip'), knee) + length(knee, joint('left_ankle'));
}

const minus = (a: Vector, b: Vector): Vector => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];

const unit = (a: Vector): Vector => {
  const length = Math.max(Math.hypot(...a), 1e-9);
  return [a[0] / length, a[1] / length, a[2] / length];
};

const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
