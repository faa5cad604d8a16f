import type { Keypoint3D, Person } from '../../../pipeline/model/index.js';
import { JOINTS, POSTURES } from '../networks/body.js';
import type { Estimate } from '../sights/sight.js';
import type { ErrorCalibration, Scale } from '../model/weights.js';

/** Length of the heading vector below which the heading is unknown. */
const HEADING_KNOWN = 0.25;
/** Error at which confidence is one half. */
const HALF_CONFIDENCE = 0.6;

/**
 * A person of a window as in results. Lengths are rounded to 1 mm, so that stored results do not depend on
 * the last bits.
 * @param error expected distance to the true position, metres
 */
export function personOf(
  estimate: Estimate,
  error: number,
  joints: ErrorCalibration['joints'],
  articulateBelow: number,
): Person {
  const positionError = round(error, 1000);
  const [x, y] = estimate.root;
  const [hx, hy] = estimate.heading;
  const length = Math.hypot(hx, hy);
  return {
    confidence: round(confidenceOf(positionError), 1000),
    position: { x: round(x, 1000), y: round(y, 1000), z: 0 },
    positionError,
    heading: length >= HEADING_KNOWN ? round(Math.atan2(hy, hx), 1000) : null,
    headingConfidence: round(Math.min(1, length), 1000),
    posture: POSTURES[likeliest(estimate.postures)]!,
    keypoints: keypointsOf(estimate, joints),
    articulated: positionError < articulateBelow,
    track: null,
  };
}

/** Expected distance of the floor position from the network's own scale, metres. */
export const expectedError = (scale: number, by: Scale): number => by.factor * scale ** by.power;

/** A function of the expected error of the position, in metres: 1 at 0, one half at 0.6 m, a quarter at 1.8 m. */
export const confidenceOf = (positionError: number): number =>
  HALF_CONFIDENCE / (HALF_CONFIDENCE + positionError);

/** Expected distance of joint `j` relative to the root, metres: its own, and the effect of a wrong heading. */
export const jointError = (estimate: Estimate, j: number, by: ErrorCalibration['joints']): number =>
  Math.max(0.02, by.scale * estimate.jointScales[j]! + by.heading * turnError(estimate, j));

/** Distance of joint `j` from the body's axis, times the uncertainty of the heading. */
export const turnError = (estimate: Estimate, j: number): number =>
  Math.hypot(estimate.joints[3 * j]!, estimate.joints[3 * j + 1]!) *
  Math.max(0, 1 - Math.hypot(...estimate.heading));

/** The joints in the body's own axes, rotated to the heading and placed at the root. */
function keypointsOf(estimate: Estimate, by: ErrorCalibration['joints']): Keypoint3D[] {
  const { root } = estimate;
  const [hx, hy] = estimate.heading;
  const length = Math.hypot(hx, hy);
  const [cos, sin] = length > 0 ? [hx / length, hy / length] : [1, 0];
  return Array.from({ length: JOINTS }, (_, j): Keypoint3D => {
    const x = estimate.joints[3 * j]!;
    const y = estimate.joints[3 * j + 1]!;
    return {
      x: round(root[0] + cos * x - sin * y, 1000),
      y: round(root[1] + sin * x + cos * y, 1000),
      z: round(estimate.joints[3 * j + 2]!, 1000),
      error: round(jointError(estimate, j, by), 1000),
    };
  });
}

export const likeliest = (values: ArrayLike<number>): number => {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i]! > values[best]!) best = i;
  return best;
};

/** To a multiple of 1 / `parts`; never -0. */
const round = (value: number, parts: number): number => Math.round(value * parts) / parts + 0;
