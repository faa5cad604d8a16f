import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as tf from '@tensorflow/tfjs-core';
import { loadLayersModel, type LayersModel } from '@tensorflow/tfjs-layers';
import { loadBackend } from '../../../operators/infer-pose/backends/backends.js';
import type { Runtime } from './model.js';

interface ModelFile {
  readonly modelTopology: object;
  readonly format?: string;
  readonly weightsManifest: readonly {
    readonly paths: readonly string[];
    readonly weights: tf.io.WeightsManifestEntry[];
  }[];
}

/** A layers model of TensorFlow.js: a folder with model.json and its weight files. */
export const tfjs: Runtime = async (folder, { name }) => {
  await loadBackend('auto');
  const model = await loadLayersModel(tf.io.fromMemory(artifactsOf(folder)));
  const names = model.inputs.map((input) => input.name);
  return async (inputs) => {
    const unknown = names.filter((one) => !(one in inputs) && names.length > 1);
    if (unknown.length > 0 || names.length !== Object.keys(inputs).length)
      throw new Error(
        `${name}: its inputs are ${names.join(', ')}, it is given ${Object.keys(inputs).join(', ')}: name them with \`inputs\` in its manifest`,
      );
    // A model with one input accepts it under any name.
    const given = names.map((one) => inputs[one] ?? Object.values(inputs)[0]!);
    return outputOf(
      model,
      given.map(({ shape, data }) => tf.tensor(data, [1, ...shape])),
    );
  };
};

async function outputOf(model: LayersModel, inputs: tf.Tensor[]): Promise<readonly number[]> {
  const output = model.predict(inputs.length === 1 ? inputs[0]! : inputs);
  const first = Array.isArray(output) ? output[0]! : output;
  try {
    return Array.from(await first.data());
  } finally {
    tf.dispose([...inputs, output]);
  }
}

/** @throws Error that names the file and what is wrong with it */
function artifactsOf(folder: string): tf.io.ModelArtifacts {
  const file = join(folder, 'model.json');
  const { modelTopology, format, weightsManifest } = JSON.parse(readFileSync(file, 'utf8')) as ModelFile;
  if (format === 'graph-model')
    throw new Error(`${file} is a graph model: only layers models can be run; convert it to ONNX`);
  const weights = weightsManifest.flatMap(({ paths }) =>
    paths.map((path) => readFileSync(join(folder, path))),
  );
  const bytes = Buffer.concat(weights);
  return {
    modelTopology,
    weightSpecs: weightsManifest.flatMap((group) => group.weights),
    weightData: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength),
  };
}
