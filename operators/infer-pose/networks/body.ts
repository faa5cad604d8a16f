import type { Posture } from '../../../pipeline/model/index.js';

/** Joints in COCO order. */
export const JOINTS = 17;

/** Index of the joint on the other side, for mirroring. */
export const MIRRORED: readonly number[] = [0, 2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11, 14, 13, 16, 15];

/** A body's joints in its own axes, [JOINTS, (x, y, z)], mirrored: sides swapped, left for right. */
export const mirroredJoints = (joints: Float32Array): Float32Array =>
  Float32Array.from(
    { length: 3 * JOINTS },
    (_, i) => (i % 3 === 1 ? -1 : 1) * joints[3 * MIRRORED[Math.floor(i / 3)]! + (i % 3)]!,
  );

export const LEFT_HIP = 11;
export const RIGHT_HIP = 12;

/** In the order of the network's outputs. */
export const POSTURES: readonly Posture[] = ['upright', 'sitting', 'lying'];
