import type { ModelReference } from '../../pipeline/model/index.js';
import { RULE_THRESHOLD } from './confidence.js';
import { logit } from './dense.js';
import { netScorer, ruleScorer, scoreOf, type Scorer } from './detector.js';
import type { Candidate, Found, PooledCandidate } from './room.js';
import { readPooledWeights, readWeights, type PooledWeights } from './weights.js';

/** What a score must have more while noise floors are learnt: odds seven times as high. On the rule's scale, see `confidenceOf`. */
const WARM_UP_RAISE = 2;
const RULE_WARM_UP_RAISE = WARM_UP_RAISE / 4;

/** A candidate with what it is worth. */
export interface Scored {
  readonly score: number;
  /** Number of its grid point: `sample / RATE_HZ` seconds since 1970. */
  readonly sample: number;
  readonly links: number;
  /** Samples that the least learnt of its noise floors rests on. */
  readonly learnt: number;
  /** What the threshold is raised by while floors are learnt. */
  readonly warmUpRaise: number;
  /** Highest motion over the noise floor, log10 of relative power. */
  readonly peak: number;
  /** Seconds. */
  readonly duration: number;
}

/** Tells what candidates are worth. */
export interface Judge {
  readonly threshold: number;
  readonly model: ModelReference | null;
  readonly judge: (found: Found) => Scored | null;
}

export function judgeOf(config: { readonly method: 'nets' | 'rule'; readonly threshold?: number }): Judge {
  if (config.method === 'rule') {
    return {
      threshold: config.threshold ?? RULE_THRESHOLD,
      model: null,
      judge: ({ burst }) => burst && ofBurst(burst, ruleScorer, RULE_WARM_UP_RAISE),
    };
  }
  const weights = readWeights();
  const pooledWeights = readPooledWeights();
  const scorer = netScorer(weights);
  return {
    threshold: config.threshold ?? weights.threshold,
    model: {
      name: weights.name,
      version: weights.version,
      trainedOn: [...weights.trainedOn.map(({ data }) => data), pooledWeights.trainedOn].join(', '),
      accuracy: 'docs/reports/falls.md',
    },
    // Where several links see, only what they pooled counts: one of them alone takes a walk past it for a fall.
    judge: ({ burst, pooled }) => {
      if (pooled) return ofPooled(pooled, pooledWeights, weights.threshold);
      return burst && burst.links < 2 ? ofBurst(burst, scorer, WARM_UP_RAISE) : null;
    },
  };
}

const linksOf = ({ views }: Candidate): number => new Set(views.map(({ link }) => link)).size;

function ofBurst(burst: Candidate, scorer: Scorer, warmUpRaise: number): Scored | null {
  const score = scoreOf(burst, scorer);
  if (score === -Infinity) return null;
  const { views, sample, learnt } = burst;
  const mean = (value: (view: (typeof views)[number]) => number) =>
    views.reduce((sum, view) => sum + value(view), 0) / views.length;
  return {
    score,
    sample,
    learnt,
    warmUpRaise,
    links: linksOf(burst),
    peak: mean(({ peak }) => peak),
    duration: mean(({ duration }) => duration),
  };
}

/**
 * The score is the logit moved to the scale of one link, so that one threshold suits both. These nets were trained on
 * rooms from their first seconds on: nothing is raised for them while floors are learnt.
 */
const ofPooled = (
  { features, ...candidate }: PooledCandidate,
  nets: PooledWeights,
  threshold: number,
): Scored => ({
  ...candidate,
  peak: candidate.peak - BAND_GAIN,
  warmUpRaise: 0,
  score: logit(nets, features) - nets.threshold + threshold,
});

/** What bands lower the noise floor by, log10 of power: on this scale an impact is as severe as one link would call it. */
const BAND_GAIN = 0.87;
