import * as tf from '@tensorflow/tfjs-core';
import { JOINTS, MIRRORED } from './body.js';
import { CELLS, frame, turnBack, type Frame } from './geometry.js';
import { boundedLog, COUNTS, OUT, WIDTHS } from './layers.js';
import type { Network } from './network.js';
import { likeliestPlaces, meanPlace, type FloorPlace } from './places.js';
import { sceneBatch, viewBatch, type Scene } from './scene.js';
import type { Estimate, Seen, Sight } from './sight.js';
import { softmax } from './softmax.js';

/** Probability of more than one person from which several are located. */
const SEVERAL = 0.1;

/**
 * Frames for the pose head: it runs in each, and the results are averaged, because the directions of the
 * room's axes are arbitrary. The extra cost is small, because links and grid are computed once.
 */
const FRAMES: readonly Frame[] = [0, 1, 2, 3].flatMap((quarter) => [
  frame((quarter * Math.PI) / 2, 1),
  frame((quarter * Math.PI) / 2, -1),
]);

/** A position of a window for the pose head. */
interface Look extends FloorPlace {
  readonly window: number;
}

/**
 * Results for windows with the same number of links.
 * @param features [windows, links, LINK_FEATURES]
 */
export function estimate(network: Network, scenes: readonly Scene[], features: Float32Array): Seen[] {
  if (scenes.length === 0) return [];
  const windows = scenes.length;
  let sights: Seen[] = [];
  tf.tidy(() => {
    const scene = sceneBatch(scenes, features);
    const tokens = network.encode(scene);
    const scored = network.score(tokens, scene);
    const cells = tf.softmax(scored.cells).dataSync<'float32'>();
    const counts = tf.softmax(scored.counts).dataSync<'float32'>();
    const joined = scored.joined.dataSync<'float32'>();
    const heard = pooledTokens(tokens, windows);
    const looks = scenes.flatMap(({ size }, window): Look[] => {
      const floor = cells.subarray(window * CELLS, (window + 1) * CELLS);
      const row = counts.subarray(window * COUNTS, (window + 1) * COUNTS);
      const others = likeliestPlaces(floor, size, likeliestCrowd(row));
      return [meanPlace(floor, size), ...others].map((place) => ({ ...place, window }));
    });
    const answers = look(network, tokens, scenes, looks);
    sights = scenes.map(({ links }, window): Seen => {
      const [alone, ...several] = answers.filter((_answer, i) => looks[i]!.window === window);
      const sight: Sight = {
        counts: Array.from(row(counts, window, COUNTS)),
        cells: row(cells, window, CELLS),
        alone: alone!,
        several,
      };
      const shown = {
        ...{ counts: sight.counts, cells: sight.cells, alone: alone!, links: links.length },
        joined: row(joined, window, CELLS * WIDTHS.joined),
        tokens: row(heard, window, 2 * WIDTHS.token),
      };
      return { ...sight, shown };
    });
  });
  return sights;
}

/** A copy of one window's numbers. */
const row = (values: Float32Array, window: number, size: number): Float32Array =>
  values.slice(window * size, (window + 1) * size);

/** The links' tokens by mean and by maximum: [windows, 2 * WIDTHS.token]. */
function pooledTokens(tokens: tf.Tensor2D, windows: number): Float32Array {
  const heard = tf.reshape(tokens, [windows, -1, WIDTHS.token]);
  return tf.concat<tf.Tensor2D>([tf.mean(heard, 1), tf.max(heard, 1)], 1).dataSync<'float32'>();
}

/** The most probable number of people above one; 0 if several are improbable. */
function likeliestCrowd(counts: ArrayLike<number>): number {
  let best = 0;
  let sum = 0;
  for (let people = 2; people < COUNTS; people++) {
    sum += counts[people]!;
    if (best === 0 || counts[people]! > counts[best]!) best = people;
  }
  return sum < SEVERAL ? 0 : best;
}

/** The pose head's outputs at these positions, each the mean over all frames. */
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
    scale += share * boundedLog(row[OUT.rootScale]!);
    for (let i = 0; i < 3; i++) logits[i]! += share * row[OUT.postures + i]!;
    logits[3]! += share * row[OUT.moving]!;
    for (let j = 0; j < JOINTS; j++) {
      const source = f.sign < 0 ? MIRRORED[j]! : j;
      joints[3 * j]! += share * row[OUT.joints + 3 * source]!;
      joints[3 * j + 1]! += share * f.sign * row[OUT.joints + 3 * source + 1]!;
      joints[3 * j + 2]! += share * row[OUT.joints + 3 * source + 2]!;
      jointScales[j]! += share * boundedLog(row[OUT.jointScales + source]!);
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
