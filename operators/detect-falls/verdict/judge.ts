import type { ModelReference } from '../../../pipeline/model/index.js';
import { RULE_THRESHOLD } from './confidence.js';
import { netScorer, ruleScorer, scoreOf, type Scorer } from '../networks/detector.js';
import { EARLY_OUTPUTS, groupsOf, logitOf, standardised, type Scale } from '../networks/impact-net.js';
import type { Impact } from '../impacts/impacts.js';
import { STEPS_PER_S } from '../impacts/changes.js';
import type { Candidate } from '../motion/room.js';
import { RATE_HZ } from '../motion/tracks.js';
import {
  headOf,
  parametersOf,
  readWarningWeights,
  SLOW_WEIGHTS_FILE,
  weightsInUse,
  type SeveralWeights,
  type SlowWeights,
  type WeightsInUse,
} from '../networks/weights.js';

/**
 * Margin on a score while noise floors are learnt: odds seven times as high. On the rule's scale, see
 * `confidenceOf`.
 */
const WARM_UP_RAISE = 2;
const RULE_WARM_UP_RAISE = WARM_UP_RAISE / 4;

/** A candidate with its score. */
export interface Scored {
  readonly score: number;
  /** Event time, microseconds. */
  readonly time: number;
  readonly links: number;
  /** Seconds behind the least learnt of its noise floors. */
  readonly learnt: number;
  /** Margin on the threshold while floors are learnt. */
  readonly warmUpRaise: number;
  /** Highest motion above the noise floor, log10 of relative power. */
  readonly peak: number;
  /** Seconds. */
  readonly duration: number;
}

/** Scores candidates. */
export interface Judge {
  readonly threshold: number;
  readonly model: ModelReference | null;
  /** For one link. */
  readonly burst: (burst: Candidate) => Scored | null;
  /** For several links; null: bursts are judged, regardless of the number of links. */
  readonly impact: ((impact: Impact) => Scored) | null;
  /** For several links, from the data known early; null: no warnings. */
  readonly warning: Warning | null;
}

export interface Warning {
  readonly threshold: number;
  readonly model: ModelReference;
  readonly score: (impact: Impact) => Scored;
}

interface JudgeConfig {
  readonly method: 'nets' | 'rule';
  readonly threshold?: number;
  readonly warn: boolean;
  readonly warn_threshold?: number;
  readonly weights?: string;
}

/** @param folder that of the topology @throws Error if its weights cannot be used; the message says why */
export function judgeOf(config: JudgeConfig, folder: string): Judge {
  if (config.method === 'rule') {
    return {
      threshold: config.threshold ?? RULE_THRESHOLD,
      model: null,
      burst: (burst) => ofBurst(burst, ruleScorer, RULE_WARM_UP_RAISE),
      impact: null,
      warning: null,
    };
  }
  const inUse = weightsInUse(config.weights, folder);
  const { one: weights, several, slow } = inUse;
  const scorer = netScorer(weights);
  return {
    threshold: config.threshold ?? weights.threshold,
    model: modelOf(inUse),
    // If several links deliver, only their combined data counts: a single one takes a walk past it for a
    // fall.
    burst: (burst) => (burst.links < 2 ? ofBurst(burst, scorer, WARM_UP_RAISE) : null),
    impact: impactScorer(several, slow, weights.threshold),
    warning: config.warn ? warningOf(several, config.warn_threshold) : null,
  };
}

const modelOf = ({ one, several, slow, named: { name, version } }: WeightsInUse): ModelReference => ({
  name,
  version,
  trainedOn: [
    ...one.trainedOn.map(({ data }) => data),
    several.trainedOn,
    ...(slow ? [additionTo(several.trainedOn, slow.trainedOn)] : []),
  ].join(', '),
  accuracy: one.report ?? 'docs/reports/suite.md',
});

/** Weights that continue others say again what those were trained on. */
const additionTo = (earlier: string, later: string): string =>
  later.startsWith(earlier) ? later.slice(earlier.length).replace(/^; /, '') : later;

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
 * The score is the logit, shifted to the scale of one link so that one threshold fits both. The networks were
 * trained on rooms from their first seconds, so their threshold has no margin while floors are learnt.
 */
function impactScorer(
  several: SeveralWeights,
  slow: SlowWeights | null,
  threshold: number,
): (impact: Impact) => Scored {
  const usual = excessOver(several);
  const few = slow && { belowHz: slow.belowHz, excess: excessOver(slow, SLOW_WEIGHTS_FILE) };
  return (impact) => {
    // An unknown rate is no low one.
    const excess = few && impact.rateHz < few.belowHz ? few.excess : usual;
    return ofImpact(impact, threshold + excess(impact.antennas));
  };
}

/** Logit of an end of motion, minus the threshold of the weights. */
function excessOver(weights: SeveralWeights, file?: string): (antennas: Impact['antennas']) => number {
  const nets = parametersOf(weights, file);
  return (antennas) => {
    const inputs = antennas.map((changes) => standardised(changes, weights));
    return nets.reduce((sum, net) => sum + logitOf(net, inputs), 0) / nets.length - weights.threshold;
  };
}

/** A logistic model of the outputs of the same networks' lower layers for the last seconds. */
function warningOf(several: SeveralWeights, threshold: number | undefined): Warning {
  const weights = readWarningWeights();
  const head = headOf(weights, several);
  const nets = parametersOf(several);
  return {
    threshold: threshold ?? weights.threshold,
    model: {
      name: weights.name,
      version: weights.version,
      trainedOn: weights.trainedOn,
      accuracy: 'docs/reports/falls-several-links.md',
    },
    score: (impact) => ofImpact(impact, earlyLogit(head, earlyInputs(nets, several, impact.antennas))),
  };
}

/** Outputs of the networks' lower layers for an end of motion that is known early, [network, output]. */
export function earlyInputs(
  nets: readonly Float32Array[],
  scale: Scale,
  antennas: readonly Float32Array[],
): Float32Array {
  const inputs = antennas.map((changes) => standardised(changes, scale));
  const out = new Float32Array(nets.length * EARLY_OUTPUTS);
  nets.forEach((net, index) => {
    out.set(groupsOf(net, inputs), index * EARLY_OUTPUTS);
  });
  return out;
}

const earlyLogit = (head: Float32Array, inputs: Float32Array): number =>
  inputs.reduce((sum, value, i) => sum + value * head[i]!, head[inputs.length]!);

const ofImpact = ({ time, links, learnt, peak, duration }: Impact, score: number): Scored => ({
  score,
  warmUpRaise: 0,
  learnt: learnt / STEPS_PER_S,
  peak: peak - BAND_GAIN,
  ...{ time, links, duration },
});

/**
 * Amount by which bands lower the noise floor, log10 of power: makes the severity of an impact comparable
 * with that of one link.
 */
const BAND_GAIN = 0.87;
