import { JOINTS } from '../body.js';
import { turnError } from '../person.js';
import type { ErrorCalibration } from '../weights.js';
import { turned, unit, type Outcome } from './outcomes.js';

/** Share of empty rooms in which somebody may be claimed. */
export const FALSE_PRESENCE = 0.05;

/** Fits the error scales and the presence threshold on held-out windows that no other figure is taken from. */
export function calibrateErrors(held: readonly Outcome[]): ErrorCalibration {
  const people = held.filter(({ truth }) => truth.present);
  const empty = held.filter(({ truth }) => !truth.present).map(({ estimate }) => estimate.present);
  return {
    position: positionScale(people),
    joints: jointScale(people),
    presence: Math.min(0.99, Math.max(0.2, quantile(empty, 1 - FALSE_PRESENCE))),
  };
}

export const rootError = ({ estimate, truth }: Outcome): number =>
  Math.hypot(estimate.root[0] - truth.root[0], estimate.root[1] - truth.root[1]);

/** A power law through the means of tenths of equal size. */
function positionScale(people: readonly Outcome[]): ErrorCalibration['position'] {
  const sorted = [...people].sort((a, b) => a.estimate.scale - b.estimate.scale);
  const tenths = Array.from({ length: 10 }, (_, i) =>
    sorted.slice(Math.floor((i * sorted.length) / 10), Math.floor(((i + 1) * sorted.length) / 10)),
  ).filter((tenth) => tenth.length > 0);
  const x = tenths.map((tenth) => mean(tenth.map(({ estimate }) => Math.log(estimate.scale))));
  const y = tenths.map((tenth) => Math.log(mean(tenth.map(rootError))));
  const [mx, my] = [mean(x), mean(y)];
  const covariance = mean(x.map((value, i) => (value - mx) * (y[i]! - my)));
  const variance = mean(x.map((value) => (value - mx) ** 2));
  const power = variance > 0 ? covariance / variance : 1;
  return { factor: Math.exp(my - power * mx), power };
}

/** Least squares of the joints' errors (relative to the root, in room axes) over their two causes. */
function jointScale(people: readonly Outcome[]): ErrorCalibration['joints'] {
  let [aa, ab, bb, ay, by] = [0, 0, 0, 0, 0];
  for (const { estimate, truth } of people) {
    const said = turned(estimate.joints, unit(estimate.heading));
    const real = turned(truth.joints, truth.heading);
    for (let j = 0; j < JOINTS; j++) {
      const error = Math.hypot(
        said[3 * j]! - real[3 * j]!,
        said[3 * j + 1]! - real[3 * j + 1]!,
        said[3 * j + 2]! - real[3 * j + 2]!,
      );
      const a = estimate.jointScales[j]!;
      const b = turnError(estimate, j);
      aa += a * a;
      ab += a * b;
      bb += b * b;
      ay += a * error;
      by += b * error;
    }
  }
  const determinant = aa * bb - ab * ab;
  if (determinant < 1e-9) return { scale: aa > 0 ? ay / aa : 1, heading: 0 };
  return { scale: (ay * bb - by * ab) / determinant, heading: (by * aa - ay * ab) / determinant };
}

export const mean = (values: readonly number[]): number =>
  values.length === 0 ? NaN : values.reduce((sum, value) => sum + value, 0) / values.length;

/** The value below which a share of the values lies; NaN of none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
}
