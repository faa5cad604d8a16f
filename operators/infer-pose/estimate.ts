import * as tf from '@tensorflow/tfjs-core';
import { JOINTS, MIRRORED } from './body.js';
import { CELLS, frame, turnBack, type Frame } from './geometry.js';
import { COUNTS, OUT } from './layers.js';
import type { Network } from './network.js';
import { likeliestPlaces, meanPlace, type FloorPlace } from './places.js';
import { sceneBatch, viewBatch, type Scene } from './scene.js';

/** What the network says of one person, in room coordinates, before calibration and rounding. */
export interface Estimate {
  /** Floor point below the pelvis, metres. */
  readonly root: readonly [number, number];
  /** The network's scale of the root's error, metres. */
  readonly scale: number;
  /** Mean unit vector of the heading: shorter where it is less sure. */
  readonly heading: readonly [number, number];
  /** Probabilities of upright, sitting, lying. */
  readonly postures: readonly number[];
  /** Probability that the person walks about. */
  readonly moving: number;
  /** [JOINTS * 3], relative to the root, in the body's own frame. */
  readonly joints: Float32Array;
  /** The network's scale of each joint's error, metres. */
  readonly jointScales: Float32Array;
}

/** What the network says of one window. */
export interface Sight {
  /** Probabilities of nobody, one person, and so on; the last one is of that many or more. */
  readonly counts: readonly number[];
  /** Probability of each cell of the floor's grid to be where somebody is. */
  readonly cells: Float32Array;
  /** The answer if one person is there. */
  readonly alone: Estimate;
  /** The answer if as many are there as the likeliest number above one; empty where that is hardly so. */
  readonly several: readonly Estimate[];
}

/** Probability of more than one person from which they are looked for. */
const SEVERAL = 0.1;

/**
 * Frames that the pose head looks from: the network is asked for each and the answers are averaged, since
 * the room's axes mean nothing. It costs little, as links and grid are computed once.
 */
const FRAMES: readonly Frame[] = [0, 1, 2, 3].flatMap((quarter) => [
  frame((quarter * Math.PI) / 2, 1),
  frame((quarter * Math.PI) / 2, -1),
]);

/** A place of a window that the pose head is to look at. */
interface Look extends FloorPlace {
  readonly window: number;
}

/**
 * Answers for windows that all hold the same number of links.
 * @param features [windows, links, LINK_FEATURES]
 */
export function estimate(network: Network, scenes: readonly Scene[], features: Float32Array): Sight[] {
  if (scenes.length === 0) return [];
  const windows = scenes.length;
  let sights: Sight[] = [];
  tf.tidy(() => {
    const scene = sceneBatch(scenes, features);
    const tokens = network.encode(scene);
    const scored = network.score(tokens, scene);
    const cells = tf.softmax(scored.cells).dataSync<'float32'>();
    const counts = tf.softmax(scored.counts).dataSync<'float32'>();
    const looks = scenes.flatMap(({ size }, window): Look[] => {
      const floor = cells.subarray(window * CELLS, (window + 1) * CELLS);
      const row = counts.subarray(window * COUNTS, (window + 1) * COUNTS);
      const others = likeliestPlaces(floor, size, likeliestCrowd(row));
      return [meanPlace(floor, size), ...others].map((place) => ({ ...place, window }));
    });
    const answers = look(network, tokens, scenes, looks);
    sights = Array.from({ length: windows }, (_, window): Sight => {
      const [alone, ...several] = answers.filter((_answer, i) => looks[i]!.window === window);
      return {
        counts: Array.from(counts.subarray(window * COUNTS, (window + 1) * COUNTS)),
        cells: Float32Array.from(cells.subarray(window * CELLS, (window + 1) * CELLS)),
        alone: alone!,
        several,
      };
    });
  });
  return sights;
}

/** The likeliest number of people above one; 0 where more than one are hardly there. */
function likeliestCrowd(counts: ArrayLike<number>): number {
  let best = 0;
  let sum = 0;
  for (let people = 2; people < COUNTS; people++) {
    sum += counts[people]!;
    if (best === 0 || counts[people]! > counts[best]!) best = people;
  }
  return sum < SEVERAL ? 0 : best;
}

/** The pose head's answers at these places, each the mean over all frames. */
function look(
  network: Network,
  tokens: tf.Tensor2D,
  scenes: readonly Scene[],
  looks: readonly Look[],
): Estimate[] {
  const width = tokens.shape[1];
  const links = tokens.shape[0] / scenes.length;
  const index = tf.tensor1d(
    looks.map(({ window }) => window),
    'int32',
  );
  const heard = tf.gather(tf.reshape(tokens, [scenes.length, links * width]), index);
  const rows = tf.reshape<tf.Rank.R2>(
    tf.concat(
      FRAMES.map(() => heard),
      0,
    ),
    [FRAMES.length * looks.length * links, width],
  );
  const views = viewBatch(
    FRAMES.flatMap(() => looks.map(({ window }) => scenes[window]!)),
    (i) => [looks[i % looks.length]!.x, looks[i % looks.length]!.y],
    (i) => FRAMES[Math.floor(i / looks.length)]!,
  );
  const outputs = network.pose(rows, views).dataSync<'float32'>();
  return looks.map((place, i) =>
    average(
      FRAMES.map((_, f) => {
        const row = f * looks.length + i;
        return outputs.subarray(row * OUT.size, (row + 1) * OUT.size);
      }),
      place,
    ),
  );
}

/** One estimate from the outputs in all frames. */
function average(rows: readonly Float32Array[], { x, y, spread }: FloorPlace): Estimate {
  const share = 1 / rows.length;
  const root: [number, number] = [x, y];
  const heading: [number, number] = [0, 0];
  const joints = new Float32Array(3 * JOINTS);
  const jointScales = new Float32Array(JOINTS);
  const logits = new Float64Array(4);
  let scale = 0;
  rows.forEach((row, index) => {
    const f = FRAMES[index]!;
    const offset = turnBack(f, row[OUT.offset]!, row[OUT.offset + 1]!);
    const direction = turnBack(f, row[OUT.heading]!, row[OUT.heading + 1]!);
    for (let i = 0; i < 2; i++) {
      root[i]! += share * offset[i]!;
      heading[i]! += share * direction[i]!;
    }
    scale += share * bounded(row[OUT.rootScale]!);
    for (let i = 0; i < 3; i++) logits[i]! += share * row[OUT.postures + i]!;
    logits[3]! += share * row[OUT.moving]!;
    for (let j = 0; j < JOINTS; j++) {
      const source = f.sign < 0 ? MIRRORED[j]! : j;
      joints[3 * j]! += share * row[OUT.joints + 3 * source]!;
      joints[3 * j + 1]! += share * f.sign * row[OUT.joints + 3 * source + 1]!;
      joints[3 * j + 2]! += share * row[OUT.joints + 3 * source + 2]!;
      jointScales[j]! += share * bounded(row[OUT.jointScales + source]!);
    }
  });
  return {
    root,
    scale: Math.hypot(Math.exp(scale), spread),
    heading,
    postures: softmax(logits.subarray(0, 3)),
    moving: 1 / (1 + Math.exp(-logits[3]!)),
    joints,
    jointScales: jointScales.map(Math.exp),
  };
}

function softmax(logits: Float64Array): number[] {
  const top = Math.max(...logits);
  const weights = Array.from(logits, (logit) => Math.exp(logit - top));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

/** Log-scales as the loss bounds them. */
const bounded = (logScale: number): number => Math.min(2, Math.max(-4, logScale));
