import { seeded } from '../../pipeline/base/random.js';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { outputFile } from '../../pipeline/base/paths.js';
import { stoppedText } from '../shared/early-stop.js';
import { trainEnsemble, type Ensemble, type EnsembleTraining, type TrainingSettings } from './dense.js';
import { FEATURES } from './features.js';
import { readMaterial, SETS, type LabelledExample } from './material.js';
import { WEIGHTS_FILE, type FallWeights } from './weights.js';

/** Of the nets that ship. From a feasibility study, but `noise` and `steps`: docs/reports/falls.md has how these were chosen. */
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
 * Score from which on a candidate is a fall: odds of e to 1, in training with one fall to two others. Of what was left
 * out of training, all falls score above it and all else below; docs/reports/falls.md has what it is worth elsewhere.
 */
export const THRESHOLD = 1;

/** An ensemble by `seed`: the same examples give the same weights. */
export const trainOn = (
  examples: readonly LabelledExample[],
  seed: number,
  training: EnsembleTraining = {},
): Ensemble => trainEnsemble(examples, SETTINGS, seeded(seed), training);

/** Trains the weights that ship and writes them: seconds on one core. @throws Error where the recordings are not there. */
export function trainFalls(options: {
  readonly data: string;
  readonly out?: string;
  readonly seed: number;
  /** Looks at the third of the examples that a net is not trained on, without a better one, until its training stops; 0: each is trained on all, to its last step. */
  readonly patience: number;
  readonly print: (line: string) => void;
}): FallWeights & { readonly file: string; readonly sha256: string } {
  const { data, out = outputFile(WEIGHTS_FILE), seed, patience, print } = options;
  const examples = readMaterial(data);
  const falls = examples.filter(({ positive }) => positive).length;
  print(`${falls} falls and ${examples.length - falls} other candidates`);
  print(`training ${SETTINGS.nets} nets of ${FEATURES.length}-${SETTINGS.units}-1 ...`);
  const ensemble = trainOn(examples, seed, {
    patience,
    progress: ({ number, steps, stopped }) => {
      const why = stopped ? `; ${stoppedText(patience, 'in what it is not trained on')}` : '';
      print(`net ${number} of ${SETTINGS.nets} is trained, ${steps} steps${why}`);
    },
  });
  const weights: FallWeights = {
    name: 'falls',
    version: '2',
    features: FEATURES,
    trainedOn: SETS.map(({ data: name, licence, folder }, i) => {
      const own = examples.filter(({ log }) => log.includes('/') === (i === 1));
      const fallen = own.filter(({ positive }) => positive).length;
      return { data: name, licence, folder, examples: `${fallen} falls, ${own.length - fallen} others` };
    }),
    // Left out where it is not looked at: as the weights that ship were trained.
    settings: { ...SETTINGS, seed, ...(patience > 0 && { patience }) },
    threshold: THRESHOLD,
    ...rounded(ensemble),
  };
  mkdirSync(dirname(out), { recursive: true });
  const text = `${JSON.stringify(weights)}\n`;
  const sha256 = createHash('sha256').update(text).digest('hex');
  writeFileSync(out, text);
  print(`wrote ${out}, sha256 ${sha256}`);
  return { ...weights, file: out, sha256 };
}

/** Six digits are enough, and keep the file small. */
export function rounded(ensemble: Ensemble): Ensemble {
  const short = (values: readonly number[]) => values.map((value) => Number(value.toPrecision(6)));
  return {
    mean: short(ensemble.mean),
    deviation: short(ensemble.deviation),
    clip: ensemble.clip,
    nets: ensemble.nets.map(({ hidden, output }) => ({ hidden: hidden.map(short), output: short(output) })),
  };
}
