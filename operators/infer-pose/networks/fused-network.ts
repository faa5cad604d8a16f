import * as tf from '@tensorflow/tfjs-core';
import { CELLS, WALL_FEATURES } from '../inputs/geometry.js';
import type { SceneBatch, ViewBatch } from '../inputs/scene.js';
import { WIDTHS } from './layers.js';
import { inPairs, Network } from './network.js';
import { softmax } from './softmax.js';

/**
 * The same network with fewer operations, for WebAssembly without gradients: a layer is one operation, and what
 * lies between layers (means, maxima and sums over links and cells) is computed on plain arrays, because there
 * the backend turns and copies tensors for longer than it computes.
 */
export class FusedNetwork extends Network {
  protected override dense(x: tf.Tensor, layer: string, activation: 'relu' | 'linear' = 'relu'): tf.Tensor2D {
    const [kernel, bias] = this.layer(layer);
    return tf.fused.matMul({ a: x, b: kernel, bias, activation }) as tf.Tensor2D;
  }

  protected override convolve(x: tf.Tensor, layer: string): tf.Tensor3D {
    const [kernel, bias] = this.layer(layer);
    const paired = inPairs(x);
    const [rows, pairs, channels] = paired.shape;
    const out = tf.fused.conv2d({
      x: tf.reshape<tf.Rank.R4>(paired, [rows, 1, pairs, channels]),
      filter: tf.reshape<tf.Rank.R4>(kernel, [1, 3, channels, bias.size]),
      strides: 1,
      pad: 'same',
      bias,
      activation: 'relu',
    });
    return tf.reshape(out, [rows, pairs, bias.size]);
  }

  protected override pooledCells(scored: tf.Tensor2D, { windows, links, walls }: SceneBatch): tf.Tensor2D {
    const { scored: width } = WIDTHS;
    const values = scored.dataSync<'float32'>();
    const size = 2 * width + WALL_FEATURES;
    const out = new Float32Array(windows * CELLS * size);
    for (let window = 0; window < windows; window++)
      for (let cell = 0; cell < CELLS; cell++) {
        const row = window * CELLS + cell;
        const from = { at: (window * links * CELLS + cell) * width, rows: links, apart: CELLS * width };
        pool(values, from, width, out, row * size);
        copyRow(walls, row, WALL_FEATURES, out, row * size + 2 * width);
      }
    return tf.tensor2d(out, [windows * CELLS, size]);
  }

  protected override pooledWindows(
    tokens: tf.Tensor2D,
    joined: tf.Tensor2D,
    cells: tf.Tensor2D,
    { windows, links }: SceneBatch,
  ): tf.Tensor2D {
    const [heard, floor, logits] = [tokens, joined, cells].map((all) => all.dataSync<'float32'>());
    const { token, joined: width } = WIDTHS;
    const size = 2 * token + 2 * width;
    const out = new Float32Array(windows * size);
    for (let window = 0; window < windows; window++) {
      const at = window * size;
      pool(heard!, { at: window * links * token, rows: links, apart: token }, token, out, at);
      const rows = { at: window * CELLS * width, rows: CELLS, apart: width };
      const weights = softmax(logits!.subarray(window * CELLS, (window + 1) * CELLS));
      weigh(floor!, rows, weights, width, out, at + 2 * token);
      highest(floor!, rows, width, out, at + 2 * token + width);
    }
    return tf.tensor2d(out, [windows, size]);
  }

  protected override pooledViews(
    view: tf.Tensor2D,
    logits: tf.Tensor2D,
    { windows, links, walls }: ViewBatch,
  ): tf.Tensor2D {
    const [values, attention] = [view, logits].map((all) => all.dataSync<'float32'>());
    const { view: width } = WIDTHS;
    const size = 2 * width + WALL_FEATURES;
    const out = new Float32Array(windows * size);
    const even = new Float64Array(links).fill(1 / links);
    for (let window = 0; window < windows; window++) {
      const rows = { at: window * links * width, rows: links, apart: width };
      const weights = softmax(attention!.subarray(window * links, (window + 1) * links));
      weigh(values!, rows, weights, width, out, window * size);
      weigh(values!, rows, even, width, out, window * size + width);
      copyRow(walls, window, WALL_FEATURES, out, window * size + 2 * width);
    }
    return tf.tensor2d(out, [windows, size]);
  }
}

/** Rows of an array: where the first begins, how many there are, and the distance between them. */
interface Rows {
  readonly at: number;
  readonly rows: number;
  readonly apart: number;
}

/** Writes the mean of the rows, then their maximum, to `out` from `to` on; in one pass, which is a fifth faster. */
function pool(
  values: Float32Array,
  { at, rows, apart }: Rows,
  width: number,
  out: Float32Array,
  to: number,
): void {
  for (let i = 0; i < width; i++) {
    let sum = 0;
    let most = -Infinity;
    for (let row = 0, from = at + i; row < rows; row++, from += apart) {
      const value = values[from]!;
      sum += value;
      if (value > most) most = value;
    }
    out[to + i] = sum / rows;
    out[to + width + i] = most;
  }
}

/** Writes the maximum of the rows to `out` from `to` on. */
function highest(
  values: Float32Array,
  { at, rows, apart }: Rows,
  width: number,
  out: Float32Array,
  to: number,
): void {
  for (let i = 0; i < width; i++) {
    let most = -Infinity;
    for (let row = 0, from = at + i; row < rows; row++, from += apart)
      if (values[from]! > most) most = values[from]!;
    out[to + i] = most;
  }
}

/** Writes the weighted sum of the rows to `out` from `to` on. */
function weigh(
  values: Float32Array,
  { at, rows, apart }: Rows,
  weights: ArrayLike<number>,
  width: number,
  out: Float32Array,
  to: number,
): void {
  for (let i = 0; i < width; i++) {
    let sum = 0;
    for (let row = 0, from = at + i; row < rows; row++, from += apart) sum += weights[row]! * values[from]!;
    out[to + i] = sum;
  }
}

function copyRow(values: Float32Array, row: number, width: number, out: Float32Array, to: number): void {
  for (let i = 0; i < width; i++) out[to + i] = values[row * width + i]!;
}
