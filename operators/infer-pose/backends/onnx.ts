import { OnnxGraph } from '../../shared/onnx-file.js';
import { MAP } from '../inputs/doppler-map.js';
import { COURSE, FIGURES, LINK_FEATURES } from '../inputs/features.js';
import { GROUPS, POINTS } from '../inputs/grid.js';
import { CELLS, DIRECTION_FEATURES, PLACE_FEATURES, WALL_FEATURES } from '../inputs/geometry.js';
import { COUNTS, LAYERS, OFFSETS, OUT, STEPS, WIDTHS } from '../networks/layers.js';

/**
 * The two parts of the network as ONNX models, for servers. They compute what `network.ts` computes; a test
 * compares both. The numbers of windows and links are left open.
 */

/** @param facts about the weights, for people */
export function onnxParts(
  weights: Float32Array,
  facts: Readonly<Record<string, string>>,
): { readonly see: Buffer; readonly look: Buffer } {
  return { see: seeModel(weights, facts), look: lookModel(weights, facts) };
}

class NetworkGraph extends OnnxGraph {
  readonly #weights: Float32Array;

  constructor(weights: Float32Array) {
    super();
    this.#weights = weights;
  }

  dense(x: string, layer: string, activation: 'relu' | 'linear' = 'relu'): string {
    const { inputs, outputs } = LAYERS.find(({ name }) => name === layer)!;
    const { kernel, bias, end } = OFFSETS.get(layer)!;
    const weights = this.floats(`${layer}-kernel`, [inputs, outputs], this.#weights.slice(kernel, bias));
    const biases = this.floats(`${layer}-bias`, [outputs], this.#weights.slice(bias, end));
    const out = this.add('Add', [this.add('MatMul', [x, weights]), biases]);
    return activation === 'relu' ? this.add('Relu', [out]) : out;
  }

  /** 0 keeps a dimension. */
  reshape(x: string, shape: readonly number[]): string {
    return this.add('Reshape', [x, this.integers(shape)]);
  }

  slice(x: string, from: number, to: number, axis: number): string {
    const bounds = [[from], [to], [axis]].map((one) => this.integers(one));
    return this.add('Slice', [x, ...bounds]);
  }

  concat(parts: readonly string[], axis: number): string {
    return this.add('Concat', parts, { axis });
  }

  mean(x: string, axis: number): string {
    return this.add('ReduceMean', [x], { axes: [axis], keepdims: 0 });
  }

  most(x: string, axis: number): string {
    return this.add('ReduceMax', [x], { axes: [axis], keepdims: 0 });
  }

  sum(x: string, axis: number): string {
    return this.add('ReduceSum', [x, this.integers([axis])], { keepdims: 0 });
  }

  widened(x: string, axis: number): string {
    return this.add('Unsqueeze', [x, this.integers([axis])]);
  }

  /** Kernel of six points, stride two, over [windows, links, time, channels]; the new time is returned too. */
  convolve(x: string, time: number, channels: number, layer: string): readonly [string, number] {
    const pairs = Math.ceil(time / 2);
    const even = pairs * 2 === time ? x : this.add('Pad', [x, this.integers([0, 0, 0, 0, 0, 0, 1, 0])]);
    const paired = this.reshape(even, [0, 0, pairs, 2 * channels]);
    const padded = this.add('Pad', [paired, this.integers([0, 0, 1, 0, 0, 0, 1, 0])]);
    const shifted = [0, 1, 2].map((shift) => this.slice(padded, shift, shift + pairs, 2));
    return [this.dense(this.concat(shifted, 3), layer), pairs];
  }
}

function seeModel(weights: Float32Array, facts: Readonly<Record<string, string>>): Buffer {
  const graph = new NetworkGraph(weights);
  const features = graph.input('features', ['windows', 'links', LINK_FEATURES]);
  const places = graph.input('places', ['windows', 'links', CELLS, PLACE_FEATURES]);
  const walls = graph.input('walls', ['windows', CELLS, WALL_FEATURES]);
  const tokens = tokensOf(graph, features);
  const said = graph.widened(graph.dense(tokens, 'score-token', 'linear'), 2);
  const there = graph.dense(places, 'score-place', 'linear');
  const scored = graph.dense(graph.add('Relu', [graph.add('Add', [there, said])]), 'scored');
  const joined = graph.dense(
    graph.concat([graph.mean(scored, 1), graph.most(scored, 1), walls], 2),
    'joined',
  );
  const logits = graph.reshape(graph.dense(joined, 'logit', 'linear'), [0, CELLS]);
  const cells = graph.add('Softmax', [logits], { axis: 1 });
  const heard = graph.concat([graph.mean(tokens, 1), graph.most(tokens, 1)], 1);
  const weighed = graph.sum(graph.add('Mul', [joined, graph.widened(cells, 2)]), 1);
  const crowd = graph.dense(graph.concat([heard, weighed, graph.most(joined, 1)], 1), 'crowd');
  const counts = graph.add('Softmax', [graph.dense(crowd, 'count', 'linear')], { axis: 1 });
  graph.output('cells', cells, ['windows', CELLS]);
  graph.output('counts', counts, ['windows', COUNTS]);
  graph.output('joined', joined, ['windows', CELLS, WIDTHS.joined]);
  graph.output('tokens', tokens, ['windows', 'links', WIDTHS.token]);
  graph.output('heard', heard, ['windows', 2 * WIDTHS.token]);
  return graph.file('csiflow-see', facts);
}

/** [windows, links, token] */
function tokensOf(graph: NetworkGraph, features: string): string {
  let [x, time] = [
    graph.reshape(graph.slice(features, 0, COURSE, 2), [0, 0, POINTS, GROUPS]),
    POINTS as number,
  ];
  [x, time] = graph.convolve(x, time, GROUPS, 'first');
  [x, time] = graph.convolve(x, time, WIDTHS.first, 'second');
  [x, time] = graph.convolve(x, time, WIDTHS.second, 'third');
  const parts = [
    graph.dense(graph.reshape(x, [0, 0, STEPS * WIDTHS.third]), 'course'),
    graph.dense(graph.slice(features, COURSE, COURSE + MAP, 2), 'map'),
    graph.dense(graph.slice(features, COURSE + MAP, COURSE + MAP + FIGURES, 2), 'figures'),
  ];
  return graph.dense(graph.concat(parts, 2), 'token');
}

function lookModel(weights: Float32Array, facts: Readonly<Record<string, string>>): Buffer {
  const graph = new NetworkGraph(weights);
  const tokens = graph.input('tokens', ['windows', 'links', WIDTHS.token]);
  const views = graph.input('views', ['windows', 'links', PLACE_FEATURES + DIRECTION_FEATURES]);
  const walls = graph.input('walls', ['windows', WALL_FEATURES]);
  const view = graph.dense(graph.concat([tokens, views], 2), 'view');
  const attention = graph.add('Softmax', [graph.dense(view, 'attention', 'linear')], { axis: 1 });
  const weighed = graph.sum(graph.add('Mul', [view, attention]), 1);
  const wide = graph.dense(graph.concat([weighed, graph.mean(view, 1), walls], 1), 'wide');
  const out = graph.dense(graph.dense(wide, 'deep'), 'out', 'linear');
  graph.output('out', out, ['windows', OUT.size]);
  return graph.file('csiflow-look', facts);
}
