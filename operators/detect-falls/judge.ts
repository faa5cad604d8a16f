import type { ModelReference } from '../../pipeline/model/index.js';
import { RULE_THRESHOLD } from './confidence.js';
import { netScorer, ruleScorer, scoreOf, type Scorer } from './detector.js';
import { logitOf, standardised } from './impact-net.js';
import type { Impact } from './impacts.js';
import { STEPS_PER_S } from './changes.js';
import type { Candidate } from './room.js';
import { RATE_HZ } from './tracks.js';
import { parametersOf, readSeveralWeights, readWeights, type SeveralWeights } from './weights.js';

/** What a score must have more while noise floors are learnt: odds seven times as high. On the rule's scale, see `confidenceOf`. */
const WARM_UP_RAISE = 2;
const RULE_WARM_UP_RAISE = WARM_UP_RAISE / 4;

/** A candidate with what it is worth. */
export interface Scored {
  readonly score: number;
  /** Event time, microseconds. */
  readonly time: number;
  readonly links: number;
  /** Seconds that the least learnt of its noise floors rests on. */
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
  /** Of one link. */
  readonly burst: (burst: Candidate) => Scored | null;
  /** Of several links; null: bursts are judged, however many links there are. */
  readonly impact: ((impact: Impact) => Scored) | null;
}

export function judgeOf(config: { readonly method: 'nets' | 'rule'; readonly threshold?: number }): Judge {
  if (config.method === 'rule') {
    return {
      threshold: config.threshold ?? RULE_THRESHOLD,
      model: null,
      burst: (burst) => ofBurst(burst, ruleScorer, RULE_WARM_UP_RAISE),
      impact: null,
    };
  }
  const weights = readWeights();
  const several = readSeveralWeights();
  const scorer = netScorer(weights);
  return {
    threshold: config.threshold ?? weights.threshold,
    model: {
      name: weights.name,
      version: weights.version,
      trainedOn: [...weights.trainedOn.map(({ data }) => data), several.trainedOn].join(', '),
      accuracy: 'docs/reports/falls.md',
    },
    // Where several links see, only what they saw together counts: one alone takes a walk past it for a fall.
    burst: (burst) => (burst.links < 2 ? ofBurst(burst, scorer, WARM_UP_RAISE) : null),
    impact: impactScorer(several, weights.threshold),
  };
}

const linksOf = ({ views }: Candidate): number => new Set(views.map(({ link }) => link)).size;

function ofBurst(burst: Candidate, scorer: Scorer, warmUpRaise: number): Scored | null {
  const score = scoreOf(burst, scorer);
  if (score === -Infinity) return null;
  const { views, sample } = burst;
  const mean = (value: (view: (typeof views)[number]) => number) =>
    views.reduce((sum, view) => sum + value(view), 0) / views.length;
  return {
    score,
    time: (sample * 1e6) / RATE_HZ,
    learnt: burst.learnt / RATE_HZ,
    warmUpRaise,
    links: linksOf(burst),
    peak: mean(({ peak }) => peak),
    duration: mean(({ duration }) => duration),
  };
}

/**
 * The score is the logit moved to the scale of one link, so that one threshold suits both. The networks were trained on
 * rooms from their first seconds on: nothing is raised for them while floors are learnt.
 */
function impactScorer(weights: SeveralWeights, threshold: number): (impact: Impact) => Scored {
  const nets = parametersOf(weights);
  return ({ antennas, time, links, learnt, peak, duration }) => {
    const inputs = antennas.map((changes) => standardised(changes, weights));
    const logit = nets.reduce((sum, net) => sum + logitOf(net, inputs), 0) / nets.length;
    return {
      score: logit - weights.threshold + threshold,
      warmUpRaise: 0,
      learnt: learnt / STEPS_PER_S,
      peak: peak - BAND_GAIN,
      ...{ time, links, duration },
    };
  };
}

/** What bands lower the noise floor by, log10 of power: on this scale an impact is as severe as one link would call it. */
const BAND_GAIN = 0.87;
