import { leaveOneOut, partsOf, type Fold } from '../folds.js';
import { trainKernel, type Classifier, type KernelSettings, type Sample } from './kernel.js';

/** The candidates; training data alone decides between them. */
const SETTINGS: readonly KernelSettings[] = [
  { gamma: 0.1, ridge: 0.01 },
  { gamma: 0.3, ridge: 0.01 },
  { gamma: 1, ridge: 0.01 },
  { gamma: 0.3, ridge: 0.1 },
];
/** Folds of one person's clips, where there is no second person to choose by. */
const PARTS = 4;

export interface Learnt {
  readonly classify: Classifier;
  readonly settings: KernelSettings;
}

/** Trains with the settings that do best when each group of the training data is held out in turn. */
export function learn(samples: readonly Sample[], groups: readonly string[], classes: number): Learnt {
  const several = new Set(groups).size > 1;
  const folds = several ? leaveOneOut(groups) : partsOf(samples.length, PARTS);
  const rated = SETTINGS.map((settings) => ({ settings, right: rightOf(samples, folds, classes, settings) }));
  const best = rated.reduce((a, b) => (b.right > a.right ? b : a));
  return { classify: trainKernel(samples, classes, best.settings), settings: best.settings };
}

function rightOf(
  samples: readonly Sample[],
  folds: readonly Fold[],
  classes: number,
  settings: KernelSettings,
): number {
  let right = 0;
  for (const { train, test } of folds) {
    const classify = trainKernel(
      train.map((index) => samples[index]!),
      classes,
      settings,
    );
    for (const index of test) {
      const { inputs, label } = samples[index]!;
      const scores = classify(inputs);
      if (scores.indexOf(Math.max(...scores)) === label) right++;
    }
  }
  return right;
}
