import { JOINTS } from '../networks/body.js';
import { turnError } from '../people/person.js';
import type { Estimate } from '../sights/sight.js';
import type { ErrorCalibration, Scale } from '../model/weights.js';
import { singles, turned, unit, type Outcome, type Single, type Truth } from './outcomes.js';
import { mean } from '../../shared/mean.js';

/** Fits the error scales on held-out windows that are used for nothing else. */
export function calibrateErrors(held: readonly Outcome[]): ErrorCalibration {
  const people = singles(held);
  const alone = people.map((one) => ({ scale: one.estimate.scale, error: rootError(one) }));
  return { position: powerLaw(alone), several: powerLaw(severalErrors(held)), joints: jointScale(people) };
}

/** A result, and the truth. */
interface Answered {
  readonly estimate: Estimate;
  readonly truth: Pick<Truth, 'joints' | 'heading'>;
}

export const rootError = ({ estimate, truth }: Single): number =>
  Math.hypot(estimate.root[0] - truth.root[0], estimate.root[1] - truth.root[1]);

interface ScaledError {
  readonly scale: number;
  readonly error: number;
}

/**
 * For windows with several people whose number was correct: each reported person and the true one assigned to
 * it, with the smallest total distance.
 */
function severalErrors(held: readonly Outcome[]): ScaledError[] {
  return held.flatMap(({ sight, people }) =>
    people.length > 1 && sight.several.length === people.length
      ? matched(sight.several, people).map(([reported, truth]) => ({
          scale: reported.scale,
          error: distanceOf(reported, truth),
        }))
      : [],
  );
}

const distanceOf = (reported: Estimate, truth: Truth): number =>
  Math.hypot(reported.root[0] - truth.root[0], reported.root[1] - truth.root[1]);

/** Pairs of reported and true people with the smallest sum of distances; both are equally many, and few. */
export function matched(reported: readonly Estimate[], people: readonly Truth[]): [Estimate, Truth][] {
  if (reported.length === 0) return [];
  const [first, ...rest] = reported;
  const options = people.map((truth, i): [Estimate, Truth][] => [
    [first!, truth],
    ...matched(
      rest,
      people.filter((_, other) => other !== i),
    ),
  ]);
  const cost = (pairs: readonly [Estimate, Truth][]) =>
    pairs.reduce((sum, [one, truth]) => sum + distanceOf(one, truth), 0);
  return options.reduce((best, option) => (cost(option) < cost(best) ? option : best));
}

/** A power law through the means of tenths of equal size. */
export function powerLaw(people: readonly ScaledError[]): Scale {
  const sorted = [...people].sort((a, b) => a.scale - b.scale);
  const tenths = Array.from({ length: 10 }, (_, i) =>
    sorted.slice(Math.floor((i * sorted.length) / 10), Math.floor(((i + 1) * sorted.length) / 10)),
  ).filter((tenth) => tenth.length > 0);
  const x = tenths.map((tenth) => mean(tenth.map(({ scale }) => Math.log(scale))));
  const y = tenths.map((tenth) => Math.log(mean(tenth.map(({ error }) => error))));
  const [mx, my] = [mean(x), mean(y)];
  const covariance = mean(x.map((value, i) => (value - mx) * (y[i]! - my)));
  const variance = mean(x.map((value) => (value - mx) ** 2));
  const power = variance > 0 ? covariance / variance : 1;
  return { factor: Math.exp(my - power * mx), power };
}

/** Least squares of the joints' errors (relative to the root, in room axes) over their two causes. */
export function jointScale(people: readonly Answered[]): ErrorCalibration['joints'] {
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
