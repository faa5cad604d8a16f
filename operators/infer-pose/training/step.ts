import * as tf from '@tensorflow/tfjs-core';
import { LAYERS, PARAMETERS, OFFSETS } from '../networks/layers.js';
import { weightTensors } from '../networks/network.js';
import { layGradient } from '../networks/tensors.js';
import type { TrainingBatch } from './batches.js';
import { batchLoss } from './loss.js';

/** Loss of a batch and its gradient, in the layout of the weights. */
export function lossAndGradient(
  weights: Float32Array,
  batch: TrainingBatch,
  terms?: Parameters<typeof batchLoss>[2],
): { readonly loss: number; readonly gradient: Float32Array } {
  const gradient = new Float32Array(PARAMETERS);
  let loss = NaN;
  // Nothing is returned through tidy: it would search every number of the gradient for tensors.
  tf.tidy(() => {
    const tensors = weightTensors(weights);
    const { value, grads } = tf.valueAndGrads((...x: tf.Tensor[]) => batchLoss(x, batch, terms))(tensors);
    layGradient(LAYERS, OFFSETS, grads, gradient);
    loss = value.dataSync()[0]!;
  });
  return { loss, gradient };
}
