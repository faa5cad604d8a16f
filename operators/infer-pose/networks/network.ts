import * as tf from '@tensorflow/tfjs-core';
import { MAP } from '../inputs/doppler-map.js';
import { COURSE, FIGURES, LINK_FEATURES } from '../inputs/features.js';
import { GROUPS, POINTS } from '../inputs/grid.js';
import { CELLS, DIRECTION_FEATURES, PLACE_FEATURES, WALL_FEATURES } from '../inputs/geometry.js';
import { COUNTS, LAYERS, OFFSETS, STEPS, WIDTHS } from './layers.js';
import type { SceneBatch, ViewBatch } from '../inputs/scene.js';
import { layerTensors } from './tensors.js';

/**
 * The network: one encoder shared by all links, a floor grid scored by each link's relative geometry, and a
 * pose head that reads the links again relative to the position found. Convolutions are reshapes and matrix
 * products, so that gradients exist on every backend. It holds no weights: they come as tensors, in the order
 * of {@link LAYERS}.
 */

/** Those of {@link LAYERS}; the caller disposes of them. */
export const weightTensors = (weights: Float32Array): tf.Tensor[] => layerTensors(LAYERS, OFFSETS, weights);

export class Network {
  readonly #tensors = new Map<string, readonly [tf.Tensor, tf.Tensor]>();

  /** @param tensors as from {@link weightTensors}; the caller remains their owner. */
  constructor(tensors: readonly tf.Tensor[]) {
    LAYERS.forEach(({ name }, index) => {
      this.#tensors.set(name, [tensors[2 * index]!, tensors[2 * index + 1]!]);
    });
  }

  /** One token per link: [windows * links, token]. */
  encode(batch: Pick<SceneBatch, 'windows' | 'links' | 'features'>): tf.Tensor2D {
    const rows = batch.windows * batch.links;
    let x = this.convolve(tf.reshape(columns(batch.features, 0, COURSE), [rows, POINTS, GROUPS]), 'first');
    x = this.convolve(x, 'second');
    x = this.convolve(x, 'third');
    const parts = [
      this.dense(tf.reshape(x, [rows, STEPS * WIDTHS.third]), 'course'),
      this.dense(columns(batch.features, COURSE, MAP), 'map'),
      this.dense(columns(batch.features, COURSE + MAP, FIGURES), 'figures'),
    ];
    return this.dense(tf.concat(parts, 1), 'token');
  }

  /**
   * Logit of each cell, [windows, CELLS], and of each number of people, [windows, COUNTS]; and their inputs,
   * [windows * CELLS, WIDTHS.joined].
   */
  score(
    tokens: tf.Tensor2D,
    batch: SceneBatch,
  ): { readonly cells: tf.Tensor2D; readonly counts: tf.Tensor2D; readonly joined: tf.Tensor2D } {
    const { windows, links } = batch;
    const places = tf.tensor2d(batch.places, [windows * links * CELLS, PLACE_FEATURES]);
    const seen = tf.reshape(this.dense(places, 'score-place', 'linear'), [
      windows * links,
      CELLS,
      WIDTHS.score,
    ]);
    const heard = tf.reshape(this.dense(tokens, 'score-token', 'linear'), [windows * links, 1, WIDTHS.score]);
    const both = tf.reshape(relu(tf.add(seen, heard)), [windows * links * CELLS, WIDTHS.score]);
    const scored = this.dense(both, 'scored');
    const joined = this.dense(this.pooledCells(scored, batch), 'joined');
    const cells = tf.reshape<tf.Rank.R2>(this.dense(joined, 'logit', 'linear'), [windows, CELLS]);
    return { cells, counts: this.#count(tokens, joined, cells, batch), joined };
  }

  /** The number of people, from the links and from the floor. */
  #count(tokens: tf.Tensor2D, joined: tf.Tensor2D, cells: tf.Tensor2D, batch: SceneBatch): tf.Tensor2D {
    const crowd = this.dense(this.pooledWindows(tokens, joined, cells, batch), 'crowd');
    return tf.reshape(this.dense(crowd, 'count', 'linear'), [batch.windows, COUNTS]);
  }

  /** Outputs of the pose head: [windows, OUT.size]. `tokens` has a row for each window and link of `batch`. */
  pose(tokens: tf.Tensor2D, batch: ViewBatch): tf.Tensor2D {
    const { windows, links } = batch;
    const views = tf.tensor2d(batch.views, [windows * links, PLACE_FEATURES + DIRECTION_FEATURES]);
    const view = this.dense(tf.concat([tokens, views], 1), 'view');
    const logits = this.dense(view, 'attention', 'linear');
    const wide = this.dense(this.pooledViews(view, logits, batch), 'wide');
    return this.dense(this.dense(wide, 'deep'), 'out', 'linear');
  }

  /**
   * The links' scores of each cell by mean and by maximum, and the walls: [windows * CELLS, 2 * WIDTHS.scored +
   * WALL_FEATURES].
   * @param scored [windows * links * CELLS, WIDTHS.scored]
   */
  protected pooledCells(scored: tf.Tensor2D, { windows, links, walls }: SceneBatch): tf.Tensor2D {
    const stacked = tf.reshape(scored, [windows, links, CELLS * WIDTHS.scored]);
    const pooled = [tf.mean(stacked, 1), tf.max(stacked, 1)].map((part) =>
      tf.reshape<tf.Rank.R2>(part, [windows * CELLS, WIDTHS.scored]),
    );
    return tf.concat([...pooled, tf.tensor2d(walls, [windows * CELLS, WALL_FEATURES])], 1);
  }

  /**
   * The links' tokens by mean and by maximum; the cells' features at the most probable positions, and their
   * maximum: [windows, 2 * WIDTHS.token + 2 * WIDTHS.joined].
   */
  protected pooledWindows(
    tokens: tf.Tensor2D,
    joined: tf.Tensor2D,
    cells: tf.Tensor2D,
    { windows, links }: SceneBatch,
  ): tf.Tensor2D {
    const heard = tf.reshape(tokens, [windows, links, WIDTHS.token]);
    const floor = tf.reshape(joined, [windows, CELLS, WIDTHS.joined]);
    const weights = tf.reshape(tf.softmax(cells), [windows, CELLS, 1]);
    const parts = [tf.mean(heard, 1), tf.max(heard, 1), tf.sum(tf.mul(floor, weights), 1), tf.max(floor, 1)];
    return tf.concat(parts as tf.Tensor2D[], 1);
  }

  /**
   * The links' views by attention and by mean, and the walls: [windows, 2 * WIDTHS.view + WALL_FEATURES].
   * @param view [windows * links, WIDTHS.view]
   * @param logits of the attention: [windows * links, 1]
   */
  protected pooledViews(
    view: tf.Tensor2D,
    logits: tf.Tensor2D,
    { windows, links, walls }: ViewBatch,
  ): tf.Tensor2D {
    const attention = tf.reshape(tf.softmax(tf.reshape(logits, [windows, links])), [windows, links, 1]);
    const stacked = tf.reshape(view, [windows, links, WIDTHS.view]);
    const pooled = [tf.sum(tf.mul(stacked, attention), 1), tf.mean(stacked, 1)] as tf.Tensor2D[];
    return tf.concat([...pooled, tf.tensor2d(walls, [windows, WALL_FEATURES])], 1);
  }

  /** Kernel of six points, stride two, over [rows, time, channels]: pairs of points, each beside its neighbours. */
  protected convolve(x: tf.Tensor, layer: string): tf.Tensor3D {
    const paired = inPairs(x);
    const [rows, pairs, channels] = paired.shape;
    const padded = tf.pad(paired, [
      [0, 0],
      [1, 1],
      [0, 0],
    ]);
    const shifted = [0, 1, 2].map((shift) => tf.slice(padded, [0, shift, 0], [rows, pairs, channels]));
    const patches = tf.reshape(tf.concat(shifted, 2), [rows * pairs, 3 * channels]);
    const out = this.dense(patches, layer);
    return tf.reshape(out, [rows, pairs, out.shape[1]]);
  }

  protected dense(x: tf.Tensor, layer: string, activation: 'relu' | 'linear' = 'relu'): tf.Tensor2D {
    const [kernel, bias] = this.layer(layer);
    const out = tf.add<tf.Tensor2D>(tf.matMul(x, kernel), bias);
    return activation === 'relu' ? relu(out) : out;
  }

  /** Kernel and bias. */
  protected layer(name: string): readonly [tf.Tensor, tf.Tensor] {
    return this.#tensors.get(name)!;
  }
}

/** Some columns of [rows, LINK_FEATURES]. Copied here: a backend would first copy all of them. */
function columns(features: Float32Array, from: number, width: number): tf.Tensor2D {
  const rows = features.length / LINK_FEATURES;
  const out = new Float32Array(rows * width);
  for (let row = 0; row < rows; row++) {
    const start = row * LINK_FEATURES + from;
    out.set(features.subarray(start, start + width), row * width);
  }
  return tf.tensor2d(out, [rows, width]);
}

/** Pairs of points: [rows, pairs, 2 * channels]. An odd last point is paired with zeros. */
export function inPairs(x: tf.Tensor): tf.Tensor3D {
  const [rows, time, channels] = x.shape as [number, number, number];
  const pairs = Math.ceil(time / 2);
  const even =
    pairs * 2 === time
      ? x
      : tf.pad(x, [
          [0, 0],
          [0, 1],
          [0, 0],
        ]);
  return tf.reshape(even, [rows, pairs, 2 * channels]);
}

/** Like tf.relu, with a gradient of two operations: that of tfjs takes a fifth of a training step. */
const relu = tf.customGrad((...args: (tf.Tensor | tf.GradSaveFunc)[]) => {
  const [x, save] = args as [tf.Tensor, tf.GradSaveFunc];
  const value = tf.relu(x);
  save([value]);
  return {
    value,
    gradFunc: (dy: tf.Tensor, saved: tf.Tensor[]) => tf.mul(dy, tf.cast(tf.greater(saved[0]!, 0), 'float32')),
  };
}) as <T extends tf.Tensor>(x: T) => T;

/** The grid's expected position: [windows, 2], metres. */
export const expectedPlace = (logits: tf.Tensor2D, batch: SceneBatch): tf.Tensor2D => {
  const weights = tf.reshape(tf.softmax(logits), [batch.windows, CELLS, 1]);
  return tf.sum(tf.mul(weights, tf.tensor3d(batch.cells, [batch.windows, CELLS, 2])), 1);
};
