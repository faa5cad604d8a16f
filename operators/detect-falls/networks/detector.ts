import { logit, type Ensemble } from './dense.js';
import { ruleScore } from '../motion/features.js';
import type { Candidate, View } from '../motion/room.js';
import { mean } from '../../shared/mean.js';

/** Scores a candidate: high for a fall. */
export type Scorer = (features: ArrayLike<number>) => number;

export const netScorer =
  (ensemble: Ensemble): Scorer =>
  (features) =>
    logit(ensemble, features);
export const ruleScorer: Scorer = ruleScore;

/**
 * Mean score of the links, each the mean of its antennas; -Infinity if no link has enough data. A link is
 * weighted by the power of its motion above its noise floor, including motion before and after the peak: a
 * link far from the person only sees noise, and a link with motion at another time shows that the burst was
 * not isolated.
 */
export function scoreOf(candidate: Candidate, scorer: Scorer): number {
  let sum = 0;
  let weights = 0;
  for (const views of byLink(candidate.views).values()) {
    const weight = Math.max(MIN_WEIGHT, 10 ** mean(views.map(({ highest }) => highest)) - 1);
    sum += weight * mean(views.map(({ features }) => scorer(features)));
    weights += weight;
  }
  return weights > 0 ? sum / weights : -Infinity;
}

/** Weight of a link at its noise floor: if no link saw more, all count equally. */
const MIN_WEIGHT = 0.01;

function byLink(views: readonly View[]): Map<string, View[]> {
  const links = new Map<string, View[]>();
  for (const view of views) {
    const known = links.get(view.link);
    if (known) known.push(view);
    else links.set(view.link, [view]);
  }
  return links;
}
