import * as tf from '@tensorflow/tfjs-core';
import { LAYERS, PARAMETERS, PLACES } from '../layers.js';
import { weightTensors } from '../network.js';
import type { TrainingBatch } from './batches.js';
import { batchLoss } from './loss.js';

/** Loss of a batch and its gradient, laid out as the weights are. */
export function lossAndGradient(
  weights: Float32Array,
  batch: TrainingBatch,
  terms?: Parameters<typeof batchLoss>[2],
): { readonly loss: number; readonly gradient: Float32Array } {
  const gradient = new Float32Array(PARAMETERS);
  let loss = NaN;
  // Nothing is returned through tidy: it would look for tensors in every number of the gradient.
  tf.tidy(() => {
    const tensors = weightTensors(weights);
    const { value, grads } = tf.valueAndGrads((...x: tf.Tensor[]) => batchLoss(x, batch, terms))(tensors);
    LAYERS.forEach(({ name }, index) => {
      const { kernel, bias } = PLACES.get(name)!;
      gradient.set(grads[2 * index]!.dataSync(), kernel);
      gradient.set(grads[2 * index + 1]!.dataSync(), bias);
    });
    loss = value.dataSync()[0]!;
  });
  return { loss, gradient };
}
