import type { Person } from '../../../pipeline/model/index.js';
import { personOf } from './person.js';
import type { PersonEstimate } from './recall.js';
import type { ErrorCalibration } from '../model/weights.js';

/** When a person is reported, and when a skeleton is drawn. */
export interface PeopleOptions {
  /** Probability, 0 to 1. */
  readonly presence: number;
  /** Expected error of the position, metres. */
  readonly articulateBelow: number;
}

/** The reported persons. @param counts probabilities of nobody, one person, and so on */
export function peopleOf(
  estimates: readonly PersonEstimate[],
  counts: readonly number[],
  joints: ErrorCalibration['joints'],
  { presence, articulateBelow }: PeopleOptions,
): Person[] {
  if (1 - counts[0]! < presence) return [];
  return estimates.map(({ estimate, error, drawn }) =>
    personOf(estimate, error, joints, drawn ? articulateBelow : 0),
  );
}
