import * as tf from '@tensorflow/tfjs-core';
import { WIDTHS } from './layers.js';
import type { Network } from './network.js';
import type { SceneBatch, ViewBatch } from '../inputs/scene.js';

/**
 * The network in two parts: the first sees the windows, then the caller chooses the places on the floor at
 * which the second looks for poses. What computes them is interchangeable: tensors of this process, or a
 * server.
 */
export interface Parts {
  see(batch: SceneBatch): Promise<SeenBatch>;
  look(batch: LookBatch): Promise<Float32Array>;
}

/** Output of the first part. */
export interface SeenBatch {
  /** Probabilities of each cell that somebody is there: [windows, CELLS] */
  readonly cells: Float32Array;
  /** Probabilities of the number of people: [windows, COUNTS] */
  readonly counts: Float32Array;
  /** Features of each cell: [windows, CELLS, WIDTHS.joined] */
  readonly joined: Float32Array;
  /** Token of each link: [windows, links, WIDTHS.token] */
  readonly tokens: Float32Array;
  /** The links' tokens by mean and by maximum: [windows, 2 * WIDTHS.token] */
  readonly heard: Float32Array;
}

/** Input of the second part; its output is [windows, OUT.size]. */
export interface LookBatch extends ViewBatch {
  /** [windows, links, WIDTHS.token] */
  readonly tokens: Float32Array;
}

/** Names of the first part's outputs, in order. */
export const SEEN = ['cells', 'counts', 'joined', 'tokens', 'heard'] as const;

/** The first part's outputs as tensors, in the order of {@link SEEN}. */
function seenTensors(network: Network, batch: SceneBatch): tf.Tensor[] {
  const tokens = network.encode(batch);
  const scored = network.score(tokens, batch);
  const heard = tf.reshape(tokens, [batch.windows, batch.links, WIDTHS.token]);
  const pooled = tf.concat<tf.Tensor2D>([tf.mean(heard, 1), tf.max(heard, 1)], 1);
  return [tf.softmax(scored.cells), tf.softmax(scored.counts), scored.joined, tokens, pooled];
}

const seenOf = (arrays: readonly Float32Array[]): SeenBatch =>
  Object.fromEntries(SEEN.map((name, i) => [name, arrays[i]!])) as unknown as SeenBatch;

const lookTensor = (network: Network, batch: LookBatch): tf.Tensor =>
  network.pose(tf.tensor2d(batch.tokens, [batch.windows * batch.links, WIDTHS.token]), batch);

/** Both parts at once, for backends whose results can be read without waiting. */
export class TensorParts {
  readonly #network: Network;

  constructor(network: Network) {
    this.#network = network;
  }

  see(batch: SceneBatch): SeenBatch {
    return seenOf(read(() => seenTensors(this.#network, batch)));
  }

  look(batch: LookBatch): Float32Array {
    return read(() => [lookTensor(this.#network, batch)])[0]!;
  }
}

function read(compute: () => tf.Tensor[]): Float32Array[] {
  const tensors = tf.tidy(compute);
  try {
    return tensors.map((tensor) => tensor.dataSync<'float32'>());
  } finally {
    tf.dispose(tensors);
  }
}

/** The same for backends that can only be waited for, such as WebGPU. */
export class AwaitedTensorParts implements Parts {
  readonly #network: Network;

  constructor(network: Network) {
    this.#network = network;
  }

  async see(batch: SceneBatch): Promise<SeenBatch> {
    return seenOf(await awaited(() => seenTensors(this.#network, batch)));
  }

  async look(batch: LookBatch): Promise<Float32Array> {
    return (await awaited(() => [lookTensor(this.#network, batch)]))[0]!;
  }
}

async function awaited(compute: () => tf.Tensor[]): Promise<Float32Array[]> {
  const tensors = tf.tidy(compute);
  try {
    return await Promise.all(tensors.map((tensor) => tensor.data<'float32'>()));
  } finally {
    tf.dispose(tensors);
  }
}
