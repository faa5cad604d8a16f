import { logit, type Ensemble } from './dense.js';
import { ruleScore } from './features.js';
import type { Candidate, View } from './room.js';

/** Gives a candidate its score: high for a fall. */
export type Scorer = (features: ArrayLike<number>) => number;

export const netScorer =
  (ensemble: Ensemble): Scorer =>
  (features) =>
    logit(ensemble, features);
export const ruleScorer: Scorer = ruleScore;

/** Mean score of the links, each the mean of its antennas; -Infinity where no link has seen enough. */
export function scoreOf(candidate: Candidate, scorer: Scorer): number {
  const links = byLink(candidate.views);
  if (links.size === 0) return -Infinity;
  let sum = 0;
  for (const views of links.values())
    sum += views.reduce((a, view) => a + scorer(view.features), 0) / views.length;
  return sum / links.size;
}

function byLink(views: readonly View[]): Map<string, View[]> {
  const links = new Map<string, View[]>();
  for (const view of views) {
    const known = links.get(view.link);
    if (known) known.push(view);
    else links.set(view.link, [view]);
  }
  return links;
}
