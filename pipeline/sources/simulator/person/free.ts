/**
 * The free part of a pose: trunk and limbs as directions. It is for recorded motion, which joint angles of a
 * symmetric body cannot express. Directions are in the frame of the pose's heading (forward, left, up) and
 * need not have length 1, so poses can be mixed number by number.
 */

/**
 * Offset of each direction within the free part. For pairs it is the left one; the right one follows three
 * numbers later.
 */
export const FREE = {
  pelvisLeft: 0,
  pelvisUp: 3,
  trunkLeft: 6,
  trunkUp: 9,
  upperArm: 12,
  forearm: 18,
  thigh: 24,
  shank: 30,
} as const;

export const FREE_SIZE = 36;

/** Turns the unit vector `into[at..]` toward the free direction `pose[from..]` by the fraction `share`. */
export function mixDirection(
  into: Float64Array,
  at: number,
  pose: Float64Array,
  from: number,
  share: number,
  heading: readonly [cos: number, sin: number],
): void {
  const [cos, sin] = heading;
  const x = cos * pose[from]! - sin * pose[from + 1]!;
  const y = sin * pose[from]! + cos * pose[from + 1]!;
  const z = pose[from + 2]!;
  const scale = share / Math.max(Math.hypot(x, y, z), 1e-9);
  const rest = 1 - share;
  into[at] = rest * into[at]! + scale * x;
  into[at + 1] = rest * into[at + 1]! + scale * y;
  into[at + 2] = rest * into[at + 2]! + scale * z;
  normalise(into, at);
}

/** Turns axes (forward, left, up) toward the free `left` and `up` of a pose. */
export function mixAxes(
  axes: Float64Array,
  pose: Float64Array,
  left: number,
  share: number,
  heading: readonly [cos: number, sin: number],
): void {
  mixDirection(axes, 6, pose, left + 3, share, heading);
  mixDirection(axes, 3, pose, left, share, heading);
  const along = axes[3]! * axes[6]! + axes[4]! * axes[7]! + axes[5]! * axes[8]!;
  for (let i = 0; i < 3; i++) axes[3 + i]! -= along * axes[6 + i]!;
  normalise(axes, 3);
  axes[0] = axes[4]! * axes[8]! - axes[5]! * axes[7]!;
  axes[1] = axes[5]! * axes[6]! - axes[3]! * axes[8]!;
  axes[2] = axes[3]! * axes[7]! - axes[4]! * axes[6]!;
}

function normalise(into: Float64Array, at: number): void {
  const length = Math.max(Math.hypot(into[at]!, into[at + 1]!, into[at + 2]!), 1e-9);
  for (let i = 0; i < 3; i++) into[at + i]! /= length;
}
