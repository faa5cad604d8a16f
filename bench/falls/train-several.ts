import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { logit, trainEnsemble, type TrainingSettings } from '../../operators/detect-falls/dense.js';
import { POOLED_FEATURES } from '../../operators/detect-falls/pooled.js';
import { rounded, seeded } from '../../operators/detect-falls/train.js';
import { POOLED_WEIGHTS_FILE, type PooledWeights } from '../../operators/detect-falls/weights.js';
import { outputFile } from '../../pipeline/base/paths.js';
import { simulateRooms, type Plan, type SimulatedRoom } from './scenes.js';

/** Of the nets of several links; chosen on rooms that were not trained on (seeds from 700,000). */
export const SEVERAL_SETTINGS: TrainingSettings = {
  nets: 6,
  units: 16,
  positives: 300,
  negatives: 1200,
  noise: 0.5,
  weightDecay: 2e-3,
  clip: 4,
  steps: 200,
  rate: 0.01,
};

/** False alarms an hour of simulated daily life that the threshold is set for, in rooms that were not trained on. */
export const FALSE_AN_HOUR = 8;

const plans = (kind: Plan['kind'], first: number, count: number, seconds: number): Plan[] =>
  Array.from({ length: count }, (_, index) => ({ kind, seed: first + index, seconds }));

/** Rooms that are trained on. */
const TRAINING = [...plans('falls', 600_000, 60, 300), ...plans('life', 610_000, 4, 1800)];
/** Rooms that the threshold is set by. */
const TUNING = [...plans('falls', 700_000, 25, 300), ...plans('life', 610_010, 5, 1800)];

/** A point of what was found in rooms that were not trained on. */
export interface Operating {
  readonly threshold: number;
  readonly found: number;
  readonly falls: number;
  readonly falseAnHour: number;
  readonly hours: number;
}

/** Simulates rooms and trains the nets of several links; rooms in `cache` are not simulated again. */
export function trainSeveral(options: {
  readonly out?: string;
  readonly cache?: string;
  readonly seed: number;
  readonly print: (line: string) => void;
}): PooledWeights & {
  readonly file: string;
  readonly sha256: string;
  readonly points: readonly Operating[];
} {
  const { out = outputFile(POOLED_WEIGHTS_FILE), cache, seed, print } = options;
  const training = simulateRooms(TRAINING, cache, print);
  const examples = training.flatMap(({ examples: own }) => own);
  const falls = examples.filter(({ positive }) => positive).length;
  print(`${falls} falls and ${examples.length - falls} other candidates`);
  const ensemble = trainEnsemble(examples, SEVERAL_SETTINGS, seeded(seed), (nets) => {
    print(`net ${nets} of ${SEVERAL_SETTINGS.nets} is trained`);
  });
  const nets = rounded(ensemble);
  const tuning = simulateRooms(TUNING, cache, print);
  const points = [10, FALSE_AN_HOUR, 5, 2, 1, 0.4].map((rate) =>
    operatingAt(tuning, (inputs) => logit(nets, inputs), rate),
  );
  for (const { threshold, found, falls: all, falseAnHour } of points)
    print(
      `from ${threshold.toFixed(2)}: ${found} of ${all} falls, ${falseAnHour.toFixed(2)} false alarms an hour`,
    );
  const weights: PooledWeights = {
    name: 'falls-pooled',
    version: '1',
    features: POOLED_FEATURES,
    trainedOn: `csiflow's simulator (${falls} falls, ${examples.length - falls} other ends of motion, 2 to 6 links)`,
    settings: { ...SEVERAL_SETTINGS, seed },
    threshold: Number(points[1]!.threshold.toPrecision(4)),
    ...nets,
  };
  mkdirSync(dirname(out), { recursive: true });
  const text = `${JSON.stringify(weights)}\n`;
  writeFileSync(out, text);
  const sha256 = createHash('sha256').update(text).digest('hex');
  print(`wrote ${out}, sha256 ${sha256}`);
  return { ...weights, file: out, sha256, points };
}

/** The threshold at which rooms without a fall have `rate` false alarms an hour, and what it finds in the others. */
function operatingAt(
  rooms: readonly SimulatedRoom[],
  score: (inputs: readonly number[]) => number,
  rate: number,
): Operating {
  const quiet = rooms.filter(({ falls }) => falls === 0);
  const hours = quiet.reduce((sum, { seconds }) => sum + seconds, 0) / 3600;
  const scores = quiet.flatMap(({ examples }) => examples.map(({ inputs }) => score(inputs)));
  const allowed = Math.floor(rate * hours);
  const threshold = scores.sort((a, b) => b - a)[allowed] ?? -Infinity;
  const fallen = rooms.filter(({ falls }) => falls > 0);
  const found = fallen.map(
    ({ examples }) =>
      new Set(
        examples.filter(({ fall, inputs }) => fall >= 0 && score(inputs) > threshold).map(({ fall }) => fall),
      ).size,
  );
  return {
    threshold,
    hours,
    falseAnHour: allowed / hours,
    found: found.reduce((a, b) => a + b, 0),
    falls: fallen.reduce((sum, { falls }) => sum + falls, 0),
  };
}
