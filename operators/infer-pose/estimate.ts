import * as tf from '@tensorflow/tfjs-core';
import { JOINTS, MIRRORED } from './body.js';
import { frame, turnBack, type Frame } from './geometry.js';
import { OUT } from './layers.js';
import { expectedPlace, type Network } from './network.js';
import { sceneBatch, viewBatch, type Scene } from './scene.js';

/** What the network says of one window, in room coordinates, before calibration and rounding. */
export interface Estimate {
  /** Probability that somebody is there. */
  readonly present: number;
  /** Floor point below the pelvis, metres. */
  readonly root: readonly [number, number];
  /** The network's scale of the root's error, metres. */
  readonly scale: number;
  /** Mean unit vector of the heading: shorter where it is less sure. */
  readonly heading: readonly [number, number];
  /** Probabilities of upright, sitting, lying. */
  readonly postures: readonly number[];
  /** [JOINTS * 3], relative to the root, in the body's own frame. */
  readonly joints: Float32Array;
  /** The network's scale of each joint's error, metres. */
  readonly jointScales: Float32Array;
}

/**
 * Frames that the pose head looks from: the network is asked for each and the answers are averaged, since
 * the room's axes mean nothing. It costs little, as links and grid are computed once.
 */
const FRAMES: readonly Frame[] = [0, 1, 2, 3].flatMap((quarter) => [
  frame((quarter * Math.PI) / 2, 1),
  frame((quarter * Math.PI) / 2, -1),
]);

/**
 * Estimates for windows that all hold the same number of links.
 * @param features [windows, links, LINK_FEATURES]
 */
export function estimate(network: Network, scenes: readonly Scene[], features: Float32Array): Estimate[] {
  if (scenes.length === 0) return [];
  const windows = scenes.length;
  let places = new Float32Array();
  let outputs = new Float32Array();
  tf.tidy(() => {
    const scene = sceneBatch(scenes, features);
    const tokens = network.encode(scene);
    const expected = expectedPlace(network.score(tokens, scene), scene);
    places = expected.dataSync<'float32'>() as Float32Array<ArrayBuffer>;
    const many = FRAMES.flatMap(() => scenes);
    const views = viewBatch(
      many,
      (i) => [places[2 * (i % windows)]!, places[2 * (i % windows) + 1]!],
      (i) => FRAMES[Math.floor(i / windows)]!,
    );
    const repeated = tf.concat(
      FRAMES.map(() => tokens),
      0,
    );
    outputs = network.pose(repeated, views).dataSync<'float32'>() as Float32Array<ArrayBuffer>;
  });
  return scenes.map((_, w) => {
    const rows = FRAMES.map((_frame, f) =>
      outputs.subarray((f * windows + w) * OUT.size, (f * windows + w + 1) * OUT.size),
    );
    return average(rows, places[2 * w]!, places[2 * w + 1]!);
  });
}

/** One estimate from the outputs in all frames. */
function average(rows: readonly Float32Array[], x: number, y: number): Estimate {
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
    logits[3]! += share * row[OUT.presence]!;
    for (let j = 0; j < JOINTS; j++) {
      const source = f.sign < 0 ? MIRRORED[j]! : j;
      joints[3 * j]! += share * row[OUT.joints + 3 * source]!;
      joints[3 * j + 1]! += share * f.sign * row[OUT.joints + 3 * source + 1]!;
      joints[3 * j + 2]! += share * row[OUT.joints + 3 * source + 2]!;
      jointScales[j]! += share * bounded(row[OUT.jointScales + source]!);
    }
  });
  const top = Math.max(logits[0]!, logits[1]!, logits[2]!);
  const weights = [0, 1, 2].map((i) => Math.exp(logits[i]! - top));
  const sum = weights[0]! + weights[1]! + weights[2]!;
  return {
    present: 1 / (1 + Math.exp(-logits[3]!)),
    root,
    scale: Math.exp(scale),
    heading,
    postures: weights.map((weight) => weight / sum),
    joints,
    jointScales: jointScales.map(Math.exp),
  };
}

/** Log-scales as the loss bounds them. */
const bounded = (logScale: number): number => Math.min(2, Math.max(-4, logScale));
