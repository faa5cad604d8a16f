import { seeded } from '../../../pipeline/base/random.js';
import { outputFile } from '../../../pipeline/base/paths.js';
import { stoppedText } from '../../shared/early-stop.js';
import {
  trainEnsemble,
  type Ensemble,
  type EnsembleTraining,
  type TrainingSettings,
} from '../networks/dense.js';
import { FEATURES } from '../motion/features.js';
import { readMaterial, SETS, type LabelledExample } from './material.js';
import { WEIGHTS_FILE, type FallWeights } from '../networks/weights.js';
import { writeWeights, type Written } from './write-weights.js';

/**
 * Settings of the shipped nets, from a feasibility study except `noise` and `steps`; decision 0129
 * explains those.
 */
export const SETTINGS: TrainingSettings = {
  nets: 12,
  units: 12,
  positives: 200,
  negatives: 400,
  noise: 0.7,
  weightDecay: 1e-3,
  clip: 4,
  steps: 400,
  rate: 0.01,
};

/**
 * Score from which a candidate is a fall: odds of e to 1, trained with one fall to two others. On data
 * excluded from training, all falls score above it and everything else below; docs/reports/suite.md has
 * its accuracy elsewhere.
 */
export const THRESHOLD = 1;

/** An ensemble by `seed`: the same examples yield the same weights. */
export const trainOn = (
  examples: readonly LabelledExample[],
  seed: number,
  training: EnsembleTraining = {},
): Ensemble => trainEnsemble(examples, SETTINGS, seeded(seed), training);

/** Trains the shipped weights and writes them: seconds on one core. @throws Error if the recordings are missing. */
export function trainFalls(options: {
  readonly data: string;
  readonly out?: string;
  readonly seed: number;
  /**
   * Evaluations without improvement on the third of the examples that a net is not trained on, before
   * training stops; 0: each net is trained on all examples, to the last step.
   */
  readonly patience: number;
  readonly print: (line: string) => void;
}): FallWeights & Written {
  const { data, out = outputFile(WEIGHTS_FILE), seed, patience, print } = options;
  const examples = readMaterial(data);
  const falls = examples.filter(({ positive }) => positive).length;
  print(`${falls} falls and ${examples.length - falls} other candidates`);
  print(`training ${SETTINGS.nets} nets of ${FEATURES.length}-${SETTINGS.units}-1 ...`);
  const ensemble = trainOn(examples, seed, {
    patience,
    progress: ({ number, steps, stopped }) => {
      const why = stopped ? `; ${stoppedText(patience, 'on its held-out examples')}` : '';
      print(`net ${number} of ${SETTINGS.nets} is trained, ${steps} steps${why}`);
    },
  });
  const written = writeWeights<FallWeights>(out, {
    name: 'falls',
    version: '2',
    features: FEATURES,
    trainedOn: SETS.map(({ data: name, licence, folder }, i) => {
      const own = examples.filter(({ log }) => log.includes('/') === (i === 1));
      const fallen = own.filter(({ positive }) => positive).length;
      return { data: name, licence, folder, examples: `${fallen} falls, ${own.length - fallen} others` };
    }),
    // Omitted without early stopping, as in the training of the shipped weights.
    settings: { ...SETTINGS, seed, ...(patience > 0 && { patience }) },
    threshold: THRESHOLD,
    ...rounded(ensemble),
  });
  print(`wrote ${out}, sha256 ${written.sha256}`);
  return written;
}

/** Six digits are sufficient and make the file small. */
export function rounded(ensemble: Ensemble): Ensemble {
  const short = (values: readonly number[]) => values.map((value) => Number(value.toPrecision(6)));
  return {
    mean: short(ensemble.mean),
    deviation: short(ensemble.deviation),
    clip: ensemble.clip,
    nets: ensemble.nets.map(({ hidden, output }) => ({ hidden: hidden.map(short), output: short(output) })),
  };
}
