import * as tf from '@tensorflow/tfjs-core';
import type { Layer, LayerOffsets } from '../../shared/dense/layers.js';

type Offsets = ReadonlyMap<string, LayerOffsets>;

/** Kernel and bias of each layer in turn, as tensors that the caller disposes of. */
export const layerTensors = (
  layers: readonly Layer[],
  offsets: Offsets,
  weights: Float32Array,
): tf.Tensor[] =>
  layers.flatMap(({ name, inputs, outputs }) => {
    const { kernel, bias, end } = offsets.get(name)!;
    return [
      tf.tensor2d(weights.slice(kernel, bias), [inputs, outputs]),
      tf.tensor1d(weights.slice(bias, end)),
    ];
  });

/** Gradients of {@link layerTensors}, laid out as the weights are. */
export function layGradient(
  layers: readonly Layer[],
  offsets: Offsets,
  grads: readonly tf.Tensor[],
  gradient: Float32Array,
): void {
  layers.forEach(({ name }, index) => {
    const { kernel, bias } = offsets.get(name)!;
    gradient.set(grads[2 * index]!.dataSync(), kernel);
    gradient.set(grads[2 * index + 1]!.dataSync(), bias);
  });
}
