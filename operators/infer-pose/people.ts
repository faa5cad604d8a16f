import type { Person } from '../../pipeline/model/index.js';
import { meanDistanceOf } from '../shared/floor-error.js';
import { movingOf, type Belief, type HeldPlace } from './context.js';
import type { Estimate, Sight } from './estimate.js';
import { likeliest, ofOneWindow, personOf, type Known } from './person.js';
import type { ErrorCalibration } from './weights.js';

/** When somebody is said to be there, and when a skeleton is drawn. */
export interface PeopleOptions {
  /** Probability, 0 to 1. */
  readonly presence: number;
  /** Expected error of the place, metres. */
  readonly articulateBelow: number;
}

/**
 * Those who are said to be there.
 * @param counts probabilities of nobody, one person, and so on
 * @param belief null where one window is all that is known
 */
export function peopleOf(
  { alone, several }: Sight,
  counts: readonly number[],
  belief: Belief | null,
  calibration: ErrorCalibration,
  { presence, articulateBelow }: PeopleOptions,
): Person[] {
  if (1 - counts[0]! < presence) return [];
  const person = (estimate: Estimate, known: Known): Person => {
    const told = personOf(estimate, known, calibration, articulateBelow);
    // Joints of a window that shows another posture would draw that one.
    const agrees = likeliest(known.postures) === likeliest(estimate.postures);
    return { ...told, articulated: told.articulated && agrees };
  };
  const many = likeliest(counts.slice(1)) > 0 && several.length > 1;
  if (many) return several.map((one) => person(one, ofOneWindow(one, calibration.several)));
  return [
    person(alone, belief?.place ? held(belief, belief.place) : ofOneWindow(alone, calibration.position)),
  ];
}

/**
 * Of one who rests: the windows that the place was held from err alike, which no filter sees. Fitted on simulated rooms that
 * nothing was trained on; metres, and a share of the told error.
 */
const RESTING_MORE = 0.55;
const RESTING_LESS = 0.25;

/** One who is alone, where and how the windows together say. */
function held(belief: Belief, { x, y, variance }: HeldPlace): Known {
  const resting = 1 - movingOf(belief);
  const told = meanDistanceOf(variance);
  return {
    root: [x, y],
    positionError: Math.hypot((1 - RESTING_LESS * resting) * told, RESTING_MORE * resting),
    postures: belief.postures,
  };
}
