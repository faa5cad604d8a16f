import { JOINTS } from './clip.js';

/**
 * Motion clips of DeepMimic (github.com/xbpeng/DeepMimic, MIT): a skeleton file with the position of each
 * joint in its parent's frame, and clips of frames: seconds, root position, then a rotation (w, x, y, z) or
 * an angle for each joint.
 */

/** Joints with a rotation in a frame, in order, and the count of numbers for each. */
const ROTATIONS: readonly (readonly [string, 4 | 1])[] = [
  ['root', 4],
  ['chest', 4],
  ['neck', 4],
  ['right_hip', 4],
  ['right_knee', 1],
  ['right_ankle', 4],
  ['right_shoulder', 4],
  ['right_elbow', 1],
  ['left_hip', 4],
  ['left_knee', 1],
  ['left_ankle', 4],
  ['left_shoulder', 4],
  ['left_elbow', 1],
];
const SAMPLE_SIZE = 4 + ROTATIONS.reduce((sum, [, size]) => sum + size, 0);

interface Joint {
  readonly name: string;
  readonly parent: number;
  readonly attach: readonly number[];
}

export type Skeleton = readonly Joint[];

/** A joint as stored in the file. */
interface Attached {
  readonly Name: string;
  readonly Parent: number;
  readonly AttachX: number;
  readonly AttachY: number;
  readonly AttachZ: number;
}

/** @throws Error that names the missing part */
export function readSkeleton(text: string): Skeleton {
  const file = JSON.parse(text) as {
    Skeleton?: { Joints?: Attached[] };
  };
  const joints = file.Skeleton?.Joints?.map((joint) => ({
    name: joint.Name,
    parent: joint.Parent,
    attach: [joint.AttachX, joint.AttachY, joint.AttachZ],
  }));
  const missing = JOINTS.find((name) => !joints?.some((joint) => joint.name === name));
  if (!joints || missing) throw new Error(`Skeleton.Joints has no joint ${missing ?? JOINTS[0]}`);
  return joints;
}

export interface Recorded {
  /** Seconds from one frame to the next. */
  readonly step: number;
  readonly loops: boolean;
  /** [frames, 15, (x, y, z)], y upward. */
  readonly joints: Float32Array;
}

/** @throws Error with the invalid frame */
export function readClip(text: string, skeleton: Skeleton): Recorded {
  const { Loop, Frames } = JSON.parse(text) as { Loop?: string; Frames?: number[][] };
  if (!Frames || Frames.length < 2) throw new Error('Frames has fewer than two frames');
  const joints = new Float32Array(Frames.length * JOINTS.length * 3);
  Frames.forEach((frame, index) => {
    if (frame.length !== SAMPLE_SIZE || !frame.every(Number.isFinite)) {
      throw new Error(`Frames[${index}] is not ${SAMPLE_SIZE} numbers`);
    }
    joints.set(jointsOf(frame, skeleton), index * JOINTS.length * 3);
  });
  return { step: Frames[0]![0]!, loops: Loop === 'wrap', joints };
}

type Vector = readonly number[];

/** Forward kinematics: [15, (x, y, z)]. */
function jointsOf(frame: readonly number[], skeleton: Skeleton): number[] {
  const turns = new Map<string, Vector>();
  let at = 4;
  for (const [name, size] of ROTATIONS) {
    const [w, x, y, z] = frame.slice(at, at + size) as [number, number, number, number];
    turns.set(name, size === 4 ? unit([w, x, y, z]) : [Math.cos(w / 2), 0, 0, Math.sin(w / 2)]);
    at += size;
  }
  const positions: Vector[] = [];
  const frames: Vector[] = [];
  skeleton.forEach(({ name, parent, attach }, index) => {
    const turn = turns.get(name) ?? [1, 0, 0, 0];
    if (parent < 0) {
      positions[index] = frame.slice(1, 4);
      frames[index] = turn;
    } else {
      const offset = rotate(frames[parent]!, attach);
      positions[index] = positions[parent]!.map((value, axis) => value + offset[axis]!);
      frames[index] = product(frames[parent]!, turn);
    }
  });
  return JOINTS.flatMap((name) => positions[skeleton.findIndex((joint) => joint.name === name)]!);
}

const unit = (q: Vector): Vector => {
  const length = Math.hypot(...q) || 1;
  return q.map((value) => value / length);
};

function product(p: Vector, q: Vector): Vector {
  const [a, b, c, d] = p as [number, number, number, number];
  const [w, x, y, z] = q as [number, number, number, number];
  return [
    a * w - b * x - c * y - d * z,
    a * x + b * w + c * z - d * y,
    a * y - b * z + c * w + d * x,
    a * z + b * y - c * x + d * w,
  ];
}

/** A vector turned by a unit quaternion. */
function rotate(q: Vector, v: Vector): Vector {
  const [w, x, y, z] = q as [number, number, number, number];
  return product(product(q, [0, ...v]), [w, -x, -y, -z]).slice(1);
}
