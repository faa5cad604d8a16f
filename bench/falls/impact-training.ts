import * as tf from '@tensorflow/tfjs-core';
import { CHANNELS } from '../../operators/detect-falls/impacts/changes.js';
import {
  LAYERS,
  logitOf,
  PARAMETERS,
  PATCH,
  STEPS,
  WIDTH,
  type Scale,
} from '../../operators/detect-falls/networks/impact-net.js';
import { binaryCrossEntropy } from '../../operators/infer-pose/training/loss.js';
import { Adam, type AdamState } from '../../operators/infer-pose/training/optimizer.js';
import { EarlyStop, type EarlyStopState } from '../../operators/shared/early-stop.js';
import { shuffle } from '../shared/shuffle.js';
import { bell, seeded } from '../../pipeline/base/random.js';
import {
  ANTENNAS,
  batchOf,
  examplesOf,
  inputsOf,
  noiseOf,
  type Batch,
  type Chances,
} from './impact-batches.js';
import type { SimulatedImpact } from './scenes.js';

/** How to train the network for several links; chosen on rooms excluded from training. */
export interface ImpactSettings extends Chances {
  readonly epochs: number;
  readonly batch: number;
  /** Peak learning rate; it rises over the first tenth and then falls to 0 along a cosine. */
  readonly rate: number;
  readonly weightDecay: number;
}

/**
 * Trains by AdamW (Loshchilov and Hutter, 2019) on the cross-entropy, with the loaded backend of tfjs. The
 * same examples and seed give the same weights on one backend, even if a training was stopped between two epochs.
 */
export function trainImpacts(
  impacts: readonly SimulatedImpact[],
  scale: Scale,
  settings: ImpactSettings,
  seed: number,
  watch: Watched,
): TrainedImpacts {
  const all = examplesOf(impacts);
  const { standing = null, patience } = watch;
  const first = seeded(seed);
  const parameters = watch.start?.slice() ?? firstParameters(first);
  const adam = standing
    ? Adam.restore(standing.adam)
    : new Adam(parameters, { beta2: 0.999, clip: 1, decay: settings.weightDecay });
  const lossOf = (weights: Float32Array) => crossEntropyOf(weights, watch.impacts, scale);
  const early = new EarlyStop(lossOf, patience, standing?.watched ?? null);
  const noise = noiseOf(settings, first);
  const perEpoch = Math.floor(all.length / settings.batch);
  let stop = false;
  for (let epoch = standing?.epoch ?? 0; epoch < settings.epochs && !stop; epoch++) {
    const random = seeded(1000 * seed + epoch + 1);
    const examples = [...all];
    shuffle(examples, random);
    let sum = 0;
    for (let step = 0; step < perEpoch; step++) {
      const batch = batchOf(
        examples.slice(step * settings.batch, (step + 1) * settings.batch),
        scale,
        settings,
        noise,
        random,
      );
      const { loss, gradient } = lossAndGradient(adam.parameters, batch);
      sum += loss;
      const share = (epoch * perEpoch + step) / (settings.epochs * perEpoch);
      adam.step(gradient, settings.rate * scheduled(share));
    }
    const look = early.look(adam.parameters);
    ({ stop } = look);
    watch.progress(epoch + 1, sum / perEpoch, look.loss);
    watch.save?.({ adam: adam.snapshot(), epoch: epoch + 1, watched: early.state });
  }
  return { net: early.best, watched: early.state.loss, stopped: stop };
}

/** Validation of a training. */
export interface Watched {
  /** From rooms excluded from training. */
  readonly impacts: readonly SimulatedImpact[];
  /** Validations, one per epoch, without improvement before training stops; 0: it runs to its last epoch. */
  readonly patience: number;
  /** @param watched validation loss */
  readonly progress: (epoch: number, loss: number, watched: number) => void;
  /** Parameters to begin with; random ones by default. */
  readonly start?: Float32Array | undefined;
  /** Where an interrupted training was; null: a new one. */
  readonly standing?: ImpactStanding | null;
  /** Called after each epoch. */
  readonly save?: (standing: ImpactStanding) => void;
}

/** A training between two epochs. */
export interface ImpactStanding {
  readonly adam: AdamState;
  /** Finished epochs. */
  readonly epoch: number;
  readonly watched: EarlyStopState;
}

export interface TrainedImpacts {
  /** Parameters at the best validation. */
  readonly net: Float32Array;
  /** Loss at the best validation. */
  readonly watched: number;
  /** Whether validation stopped improving before the last epoch. */
  readonly stopped: boolean;
}

/** Mean cross-entropy of a net's output for unaugmented candidates. */
function crossEntropyOf(net: Float32Array, impacts: readonly SimulatedImpact[], scale: Scale): number {
  const losses = impacts
    .filter(({ unclear }) => !unclear)
    .map((impact) => {
      const logit = logitOf(net, inputsOf(impact, scale));
      const signed = impact.fall >= 0 ? -logit : logit;
      return Math.max(0, signed) + Math.log1p(Math.exp(-Math.abs(signed)));
    });
  return losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
}

const scheduled = (share: number): number =>
  share < 0.1 ? 0.1 + 9 * share : 0.5 * (1 + Math.cos((Math.PI * (share - 0.1)) / 0.9));

/** Loss of a batch and its gradient, in the layout of the weights. */
export function lossAndGradient(
  parameters: Float32Array,
  batch: Batch,
): { readonly loss: number; readonly gradient: Float32Array } {
  const gradient = new Float32Array(PARAMETERS);
  let loss = NaN;
  tf.tidy(() => {
    const tensors = LAYERS.flatMap(({ at, inputs, outputs }): tf.Tensor[] => [
      tf.tensor2d(parameters.slice(at, at + inputs * outputs), [outputs, inputs]),
      tf.tensor1d(parameters.slice(at + inputs * outputs, at + (inputs + 1) * outputs)),
    ]);
    const { value, grads } = tf.valueAndGrads((...x: tf.Tensor[]) => crossEntropy(x, batch))(tensors);
    LAYERS.forEach(({ at, inputs, outputs }, layer) => {
      gradient.set(grads[2 * layer]!.dataSync(), at);
      gradient.set(grads[2 * layer + 1]!.dataSync(), at + inputs * outputs);
    });
    loss = value.dataSync()[0]!;
  });
  return { loss, gradient };
}

/**
 * The network of `impact-net.ts` over a batch. @param tensors for each layer the weights [output, input],
 * then the biases
 */
function crossEntropy(tensors: readonly tf.Tensor[], batch: Batch): tf.Scalar {
  const { size } = batch;
  const layer = (x: tf.Tensor, number: number): tf.Tensor2D => {
    const runs = tf.reshape<tf.Rank.R2>(x, [-1, LAYERS[number]!.inputs]);
    return tf.add(tf.matMul(runs, tensors[2 * number] as tf.Tensor2D, false, true), tensors[2 * number + 1]!);
  };
  const present = tf.tensor4d(batch.present, [size, ANTENNAS, 1, 1]);
  const inputs = tf.tensor2d(batch.inputs, [size * ANTENNAS, STEPS * CHANNELS]);
  // Rectified, so a missing antenna is never the maximum.
  const patches = there(tf.relu(layer(inputs, 0)), present, PATCHES);
  const beside = tf.concat(
    [patches, ...pooled(patches, present).map((one) => tf.mul(one, tf.onesLike(patches)))],
    3,
  );
  const groups = there(tf.relu(layer(tf.relu(layer(beside, 1)), 2)), present, GROUPS);
  const room = tf.concat(
    pooled(groups, present).map((one) => tf.reshape(one, [size, -1])),
    1,
  );
  const masked = tf.mul(room, tf.tensor2d(batch.kept, [size, LAYERS[3]!.inputs]));
  const hidden = tf.relu(layer(masked, 3));
  const last = tf.mul(hidden, tf.tensor2d(batch.keptHidden, [size, LAYERS[4]!.inputs]));
  const logits = tf.reshape(layer(last, 4), [size]);
  return tf.mean(binaryCrossEntropy(logits, tf.tensor1d(batch.positive)));
}

const PATCHES = STEPS / PATCH;
const GROUPS = LAYERS[3]!.inputs / (2 * WIDTH);

/** [size, ANTENNAS, runs, WIDTH], zeros for missing antennas. */
const there = (outputs: tf.Tensor, present: tf.Tensor4D, runs: number): tf.Tensor4D =>
  tf.mul(tf.reshape(outputs, [present.shape[0], ANTENNAS, runs, WIDTH]), present);

/** Mean and maximum over the antennas. */
const pooled = (outputs: tf.Tensor4D, present: tf.Tensor4D): readonly tf.Tensor[] => [
  tf.div(tf.sum(outputs, 1, true), tf.sum(present, 1, true)),
  tf.max(outputs, 1, true),
];

/** He and others (2015). */
function firstParameters(random: () => number): Float32Array {
  const parameters = new Float32Array(PARAMETERS);
  for (const { at, inputs, outputs } of LAYERS)
    for (let i = 0; i < inputs * outputs; i++) parameters[at + i] = Math.sqrt(2 / inputs) * bell(random);
  return parameters;
}
