import { EarlyStop } from '../../shared/early-stop.js';

/**
 * Small nets with one hidden layer (tanh) and one output, a logit; several of them are averaged. Plain
 * numbers: tensors would cost more than they save.
 */
export interface Ensemble {
  /** Mean of the inputs in training; used to standardise them ... */
  readonly mean: readonly number[];
  readonly deviation: readonly number[];
  /** ... and their limit in standard deviations. */
  readonly clip: number;
  readonly nets: readonly Net[];
}

export interface Net {
  /** [unit, input], then the unit's bias. */
  readonly hidden: readonly (readonly number[])[];
  /** [unit], then the bias. */
  readonly output: readonly number[];
}

/** Mean logit of the nets. */
export function logit(ensemble: Ensemble, inputs: ArrayLike<number>): number {
  const x = standardise(ensemble, inputs);
  return ensemble.nets.reduce((sum, net) => sum + netLogit(net, x), 0) / ensemble.nets.length;
}

/** Inputs in standard deviations, clipped. */
export function standardise(
  { mean, deviation, clip }: Omit<Ensemble, 'nets'>,
  inputs: ArrayLike<number>,
): Float64Array {
  return Float64Array.from(mean, (m, i) => Math.max(-clip, Math.min(clip, (inputs[i]! - m) / deviation[i]!)));
}

function netLogit({ hidden, output }: Net, x: Float64Array): number {
  let sum = output[hidden.length]!;
  hidden.forEach((weights, unit) => {
    let a = weights[x.length]!;
    for (let i = 0; i < x.length; i++) a += weights[i]! * x[i]!;
    sum += output[unit]! * Math.tanh(a);
  });
  return sum;
}

export interface TrainingSettings {
  readonly nets: number;
  readonly units: number;
  /** Examples of each class drawn with replacement for each net. */
  readonly positives: number;
  readonly negatives: number;
  /** Standard deviation of the noise added to the standardised inputs at each step. */
  readonly noise: number;
  readonly weightDecay: number;
  readonly clip: number;
  readonly steps: number;
  readonly rate: number;
}

export interface Example {
  readonly inputs: ArrayLike<number>;
  readonly positive: boolean;
}

/** Early stopping of a training, and its progress callback. */
export interface EnsembleTraining {
  /**
   * Number of evaluations, one every {@link LOOK_STEPS} steps, on the third of the examples that a net is not
   * trained on, without improvement, before training stops with the best weights. 0: each net is trained on
   * all examples and ends with the last weights.
   */
  readonly patience?: number;
  readonly progress?: (net: {
    readonly number: number;
    readonly steps: number;
    readonly stopped: boolean;
  }) => void;
}

/**
 * Trains an ensemble by Adam (Kingma and Ba, 2015) on the cross-entropy, each net on a separate bootstrap.
 * Deterministic for a given `random`.
 */
export function trainEnsemble(
  examples: readonly Example[],
  settings: TrainingSettings,
  random: () => number,
  { patience = 0, progress = () => undefined }: EnsembleTraining = {},
): Ensemble {
  const width = examples[0]!.inputs.length;
  const means = Array.from({ length: width }, (_, i) => mean(examples.map(({ inputs }) => inputs[i]!)));
  const deviation = means.map((m, i) =>
    Math.max(1e-6, Math.sqrt(mean(examples.map(({ inputs }) => (inputs[i]! - m) ** 2)))),
  );
  const scale = { mean: means, deviation, clip: settings.clip };
  const rows = examples.map(({ inputs, positive }) => ({ x: standardise(scale, inputs), positive }));
  const nets = Array.from({ length: settings.nets }, (_, i) => {
    const { net, steps, stopped } = trainNet(
      splitFor(rows, patience > 0 ? i : null),
      settings,
      random,
      patience,
    );
    progress({ number: i + 1, steps, stopped });
    return net;
  });
  return { ...scale, nets };
}

interface Row {
  readonly x: Float64Array;
  readonly positive: boolean;
}

/** The training and the validation examples of a net. */
interface Split {
  readonly trained: readonly Row[];
  readonly watched: readonly Row[];
}

const FOLDS = 3;

/**
 * Omits every third of the falls and of the others, different ones for each net. @param net null: omits
 * nothing
 * @throws Error if there are too few to omit any
 */
function splitFor(rows: readonly Row[], net: number | null): Split {
  if (net === null) return { trained: rows, watched: [] };
  const kinds = [rows.filter(({ positive }) => positive), rows.filter(({ positive }) => !positive)];
  if (kinds.some((own) => own.length < FOLDS))
    throw new Error(`Early stopping requires at least ${FOLDS} falls and ${FOLDS} other candidates.`);
  const isWatched = (_row: Row, index: number) => index % FOLDS === net % FOLDS;
  return {
    trained: kinds.flatMap((own) => own.filter((row, index) => !isWatched(row, index))),
    watched: kinds.flatMap((own) => own.filter(isWatched)),
  };
}

interface TrainedNet {
  readonly net: Net;
  readonly steps: number;
  readonly stopped: boolean;
}

function trainNet(
  { trained: rows, watched }: Split,
  settings: TrainingSettings,
  random: () => number,
  patience: number,
): TrainedNet {
  const { units } = settings;
  const width = rows[0]!.x.length;
  const draw = (from: readonly Row[], count: number) =>
    Array.from({ length: count }, () => from[Math.floor(random() * from.length)]!);
  const batch = [
    ...draw(
      rows.filter((row) => row.positive),
      settings.positives,
    ),
    ...draw(
      rows.filter((row) => !row.positive),
      settings.negatives,
    ),
  ];
  // Weights as one vector: units x (width + 1), then units + 1.
  const count = units * (width + 1) + units + 1;
  const first = units * (width + 1);
  const w = Float64Array.from({ length: count }, (_, i) => {
    const bias = i < first ? i % (width + 1) === width : i === count - 1;
    return bias ? 0 : normal(random) / Math.sqrt(i < first ? width : units);
  });
  const gradient = new Float64Array(count);
  const momentum = new Float64Array(count);
  const square = new Float64Array(count);
  // Noise comes from a table: drawing each number would take most of the time.
  const noise = Float64Array.from({ length: NOISE_TABLE }, () => settings.noise * normal(random));
  const a = new Float64Array(units);
  const x = new Float64Array(width);
  const netOf = (weights: Float64Array): Net => ({
    hidden: Array.from({ length: units }, (_, u) => [
      ...weights.subarray(u * (width + 1), (u + 1) * (width + 1)),
    ]),
    output: [...weights.subarray(first)],
  });
  const early = new EarlyStop<Float64Array>((weights) => lossOf(netOf(weights), watched, settings), patience);
  let stopped = false;
  let step = 1;
  for (; step <= settings.steps && !stopped; step++) {
    gradient.fill(0);
    for (const row of batch) {
      const from = Math.floor(random() * (NOISE_TABLE - width));
      for (let i = 0; i < width; i++) x[i] = row.x[i]! + noise[from + i]!;
      let z = w[count - 1]!;
      for (let u = 0; u < units; u++) {
        const at = u * (width + 1);
        let sum = w[at + width]!;
        for (let i = 0; i < width; i++) sum += w[at + i]! * x[i]!;
        a[u] = Math.tanh(sum);
        z += w[first + u]! * a[u]!;
      }
      const error = 1 / (1 + Math.exp(-z)) - (row.positive ? 1 : 0);
      gradient[count - 1]! += error;
      for (let u = 0; u < units; u++) {
        gradient[first + u]! += error * a[u]!;
        const back = error * w[first + u]! * (1 - a[u]! * a[u]!);
        const at = u * (width + 1);
        for (let i = 0; i < width; i++) gradient[at + i]! += back * x[i]!;
        gradient[at + width]! += back;
      }
    }
    for (let i = 0; i < count; i++) {
      const g = gradient[i]! / batch.length + settings.weightDecay * w[i]!;
      momentum[i] = 0.9 * momentum[i]! + 0.1 * g;
      square[i] = 0.999 * square[i]! + 0.001 * g * g;
      w[i]! -=
        (settings.rate * (momentum[i]! / (1 - 0.9 ** step))) /
        (Math.sqrt(square[i]! / (1 - 0.999 ** step)) + 1e-8);
    }
    if (patience > 0 && step % LOOK_STEPS === 0) ({ stop: stopped } = early.look(w));
  }
  return { net: netOf(patience > 0 ? early.best : w), steps: step - 1, stopped };
}

/** Steps between two evaluations of a net. */
export const LOOK_STEPS = 10;

/** Cross-entropy of examples, with falls and others weighted as in a bootstrap. */
function lossOf(net: Net, rows: readonly Row[], { positives, negatives }: TrainingSettings): number {
  const of = (kind: boolean) =>
    mean(
      rows
        .filter(({ positive }) => positive === kind)
        .map(({ x }) => {
          const signed = (kind ? -1 : 1) * netLogit(net, x);
          return Math.max(0, signed) + Math.log1p(Math.exp(-Math.abs(signed)));
        }),
    );
  return (positives * of(true) + negatives * of(false)) / (positives + negatives);
}

const NOISE_TABLE = 65_536;

import { normal } from '../../../pipeline/base/random.js';
import { mean } from '../../shared/mean.js';
