import * as tf from '@tensorflow/tfjs-core';
import { JOINTS } from '../networks/body.js';
import { turnBack } from '../inputs/geometry.js';
import { COUNTS, LOG_SCALE, OUT } from '../networks/layers.js';
import { expectedPlace, Network } from '../networks/network.js';
import { viewBatch } from '../inputs/scene.js';
import type { TrainingBatch } from './batches.js';

/** Weights of the terms (root distance: 1). */
export const TERMS = {
  joints: 2,
  heading: 1,
  cells: 0.5,
  scales: 0.1,
  posture: 0.3,
  moving: 0.3,
  people: 1.2,
} as const;

/**
 * Mean loss over a batch, as a differentiable scalar: distance of the root, mean joint distance in the body's
 * own axes, the heading vector, cross-entropies of grid, posture, moving and the number of people, and the
 * Laplace likelihood of the errors, whose gradient reaches only the scales. Windows without a person only
 * count for the number of people.
 */
export function batchLoss(
  tensors: readonly tf.Tensor[],
  batch: TrainingBatch,
  terms: Readonly<Record<keyof typeof TERMS, number>> = TERMS,
): tf.Scalar {
  const network = new Network(tensors);
  const { scene } = batch;
  const windows = scene.windows;
  const tokens = network.encode(scene);
  const { cells: logits, counts } = network.score(tokens, scene);
  const expected = expectedPlace(logits, scene);
  // The pose head reads from the position found; with several people, from near one of them. No gradient
  // flows through that position.
  const found = expected.dataSync();
  const views = viewBatch(
    batch.scenes,
    (w) => {
      const from = batch.alone[w] === 1 ? found : batch.near;
      return [from[2 * w]!, from[2 * w + 1]!];
    },
    (w) => batch.axes[w]!,
  );
  const alone = tf.tensor2d(batch.alone, [windows, 1]);
  const near = tf.tensor2d(batch.near, [windows, 2]);
  const place = tf.add(tf.mul(expected, alone), tf.mul(near, tf.sub(1, alone)));
  const out = network.pose(tokens, views);
  const part = (start: number, size: number) => tf.slice(out, [0, start], [windows, size]);

  const present = tf.tensor1d(batch.present);
  const some = Math.max(
    1,
    batch.present.reduce((sum, one) => sum + one, 0),
  );
  const overPresent = (values: tf.Tensor) => tf.div(tf.sum(tf.mul(values, present)), some);

  const rootError = distance(
    tf.sub(tf.add(place, turnedBack(part(OUT.offset, 2), batch)), tf.tensor2d(batch.root, [windows, 2])),
  );
  const joints = tf.reshape(part(OUT.joints, 3 * JOINTS), [windows, JOINTS, 3]);
  const jointErrors = distance(tf.sub(joints, tf.tensor3d(batch.joints, [windows, JOINTS, 3])));
  const heading = tf.sum(
    tf.square(tf.sub(part(OUT.heading, 2), tf.tensor2d(batch.heading, [windows, 2]))),
    1,
  );
  const cells = tf.neg(tf.sum(tf.mul(tf.tensor2d(batch.cells, logits.shape), logProbabilities(logits)), 1));
  const postures = tf.tensor2d(batch.posture, [windows, 3]);
  const posture = tf.neg(tf.sum(tf.mul(postures, logProbabilities(part(OUT.postures, 3))), 1));
  const scales = tf.add(
    laplace(part(OUT.rootScale, 1), tf.reshape(rootError, [windows, 1])),
    laplace(part(OUT.jointScales, JOINTS), jointErrors),
  );
  const moving = binaryCrossEntropy(tf.reshape(part(OUT.moving, 1), [windows]), tf.tensor1d(batch.moving));
  const people = tf.tensor2d(batch.people, [windows, COUNTS]);
  const crowd = tf.neg(tf.mean(tf.sum(tf.mul(people, logProbabilities(counts)), 1)));

  const total = tf.addN([
    rootError,
    tf.mul(terms.joints, tf.mean(jointErrors, 1)),
    tf.mul(terms.heading / 2, heading),
    tf.mul(terms.cells, cells),
    tf.mul(terms.posture, posture),
    tf.mul(terms.scales, scales),
    tf.mul(terms.moving, moving),
  ]);
  return tf.add(overPresent(total), tf.mul(terms.people, crowd));
}

/** Horizontal vectors in the axes of each window, turned into those of the room. */
function turnedBack(vectors: tf.Tensor, batch: TrainingBatch): tf.Tensor {
  const windows = batch.axes.length;
  const [a, b, c, d] = [0, 1, 2, 3].map(() => new Float32Array(windows)) as [
    Float32Array,
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  batch.axes.forEach((own, w) => {
    [a[w], c[w]] = turnBack(own, 1, 0);
    [b[w], d[w]] = turnBack(own, 0, 1);
  });
  const x = tf.slice(vectors, [0, 0], [windows, 1]);
  const y = tf.slice(vectors, [0, 1], [windows, 1]);
  const column = (values: Float32Array) => tf.tensor2d(values, [windows, 1]);
  return tf.concat(
    [tf.add(tf.mul(column(a), x), tf.mul(column(b), y)), tf.add(tf.mul(column(c), x), tf.mul(column(d), y))],
    1,
  );
}

/** Length over the last axis, smooth at 0. */
export const distance = (difference: tf.Tensor): tf.Tensor =>
  tf.sqrt(tf.add(tf.sum(tf.square(difference), -1), 1e-4));

const logProbabilities = (logits: tf.Tensor): tf.Tensor => tf.log(tf.add(tf.softmax(logits), 1e-7));

/** Mean over the columns of log s + e / s, with the errors as constants. */
export function laplace(logScales: tf.Tensor, errors: tf.Tensor): tf.Tensor {
  const bounded = tf.clipByValue(logScales, LOG_SCALE.least, LOG_SCALE.most);
  return tf.mean(tf.add(bounded, tf.mul(constant(errors), tf.exp(tf.neg(bounded)))), 1);
}

/** A tensor without gradient. */
const constant = tf.customGrad((x) => ({
  value: tf.clone(x as tf.Tensor),
  gradFunc: () => tf.zerosLike(x as tf.Tensor),
}));

/** For a logit against 0 or 1: max(x, 0) - x y + log(1 + exp(-|x|)). */
export function binaryCrossEntropy(logits: tf.Tensor, truth: tf.Tensor): tf.Tensor {
  const rest = tf.log(tf.add(1, tf.exp(tf.neg(tf.abs(logits)))));
  return tf.add(tf.sub(tf.relu(logits), tf.mul(logits, truth)), rest);
}
