import * as tf from '@tensorflow/tfjs-core';
import { JOINTS } from '../../operators/infer-pose/networks/body.js';
import { CELLS } from '../../operators/infer-pose/inputs/geometry.js';
import { COUNTS, OUT } from '../../operators/infer-pose/networks/layers.js';
import { binaryCrossEntropy, distance, laplace } from '../../operators/infer-pose/training/loss.js';
import { MOVING } from '../../operators/infer-pose/training/generate.js';
import type { Recalls } from '../../operators/infer-pose/training/memory-network.js';
import { PEOPLE, TOLD, TRUE } from './courses.js';
import type { Stretch } from './stretch.js';

/** Weights of the loss's terms, relative to the distance of the place. */
export const TERMS = {
  floor: 0.3,
  cells: 0.5,
  counts: 0.5,
  postures: 0.5,
  moving: 0.2,
  scales: 0.1,
  jointScales: 0.1,
  joints: 2,
  heading: 0.5,
};
export type Terms = Readonly<typeof TERMS>;
/** Weights of upright, sitting and lying: the least recognised counts for most. */
const POSTURE_TERMS = [1, 1.6, 1.1];
/** Extra weight of the posture of somebody who keeps still: a walker is always upright. */
const STILL_TERM = 1;
const OTHER_TERM = 0.5;
/** Metres per second below which somebody keeps still. */
const STILL = 0.1;
/** Weight of the number of people in occupied rooms: to miss a person is worse than to invent one. */
const PRESENT_TERM = 3;
/** Standard deviation of the bump that stands for a person on the floor, metres. */
const HEAP = 0.4;

/** Ground truth in some windows of some rooms. */
type Told = Pick<Stretch, 'rooms' | 'centres' | 'people' | 'truth'>;

/**
 * Mean over the rooms of three losses: the answers for people who are alone, the floor map of all who are
 * present, and their number.
 */
export function lossOf(recalls: Recalls, stretch: Told, window: number, terms: Terms): tf.Tensor {
  const { rooms } = stretch;
  const from = window * rooms;
  const people = stretch.people.subarray(from, from + rooms);
  const floor = tf.neg(tf.sum(tf.mul(heapsOf(stretch, from), tf.logSoftmax(recalls.cells)), 1));
  const number = tf.oneHot(
    tf.tensor1d(
      Array.from(people, (count) => Math.min(COUNTS - 1, count)),
      'int32',
    ),
    COUNTS,
  );
  const counts = tf.neg(tf.sum(tf.mul(number, tf.logSoftmax(recalls.counts)), 1));
  const where = (test: (count: number) => boolean) =>
    tf.tensor1d(Array.from(people, (count) => Number(test(count))));
  return tf.mean(
    tf.addN([
      tf.mul(
        where((count) => count === 1),
        answerLoss(recalls, stretch, from, terms),
      ),
      tf.mul(
        where((count) => count > 0),
        tf.mul(terms.cells, floor),
      ),
      tf.mul(weightOfCounts(people), tf.mul(terms.counts, counts)),
    ]),
  );
}

const weightOfCounts = (people: Uint8Array): tf.Tensor1D =>
  tf.tensor1d(Array.from(people, (count) => (count > 0 ? PRESENT_TERM : 1)));

/** Loss of each room's answer for a person who is alone, against its first person: [rooms]. */
function answerLoss(
  { place, alone }: Recalls,
  { rooms, truth }: Told,
  from: number,
  terms: Terms,
): tf.Tensor1D {
  const told = tf.tensor2d(truth.subarray(from * PEOPLE * TOLD, (from + rooms) * PEOPLE * TOLD), [
    rooms,
    PEOPLE * TOLD,
  ]);
  const real = (start: number, size: number) => tf.slice(told, [0, start], [rooms, size]);
  const said = (start: number, size: number) => tf.slice(alone, [0, start], [rooms, size]);
  const first = Array.from({ length: rooms }, (_, r) => (from + r) * PEOPLE * TOLD);
  const column = (of: (at: number) => number) => tf.tensor1d(first.map(of));
  const truePlace = real(TRUE.place, 2);
  const error = distance(tf.sub(tf.add(place, said(OUT.offset, 2)), truePlace));
  const jointErrors = distance(
    tf.reshape(tf.sub(said(OUT.joints, 3 * JOINTS), real(TRUE.joints, 3 * JOINTS)), [rooms, JOINTS, 3]),
  );
  const heading = tf.sum(tf.square(tf.sub(said(OUT.heading, 2), real(TRUE.heading, 2))), 1);
  const postures = tf.oneHot(tf.cast(tf.reshape(real(TRUE.posture, 1), [rooms]), 'int32'), 3);
  const posture = tf.neg(tf.sum(tf.mul(postures, tf.logSoftmax(said(OUT.postures, 3))), 1));
  const asked = column(
    (at) => POSTURE_TERMS[truth[at + TRUE.posture]!]! * stillness(truth[at + TRUE.speed]!),
  );
  const moving = binaryCrossEntropy(
    tf.reshape(said(OUT.moving, 1), [rooms]),
    column((at) => Number(truth[at + TRUE.speed]! > MOVING)),
  );
  const scale = laplace(said(OUT.rootScale, 1), tf.reshape(error, [rooms, 1]));
  const jointScales = laplace(said(OUT.jointScales, JOINTS), jointErrors);
  return tf.addN<tf.Tensor1D>([
    error as tf.Tensor1D,
    tf.mul(terms.floor, distance(tf.sub(place, truePlace))),
    tf.mul(terms.joints, tf.mean(jointErrors, 1)),
    tf.mul(terms.heading, heading),
    tf.mul(terms.postures, tf.mul(posture, asked)),
    tf.mul(terms.moving, moving),
    tf.mul(terms.scales, scale),
    tf.mul(terms.jointScales, jointScales),
  ]);
}

const stillness = (speed: number): number => OTHER_TERM + (speed < STILL ? STILL_TERM : 0);

/**
 * All people present, each spread over the cells around them: [rooms, CELLS], with sum 1 if anybody is there.
 */
function heapsOf({ rooms, centres, people, truth }: Told, from: number): tf.Tensor2D {
  const out = new Float32Array(rooms * CELLS);
  const heap = new Float32Array(CELLS);
  for (let r = 0; r < rooms; r++) {
    const count = Math.min(PEOPLE, people[from + r]!);
    for (let p = 0; p < count; p++) {
      const at = ((from + r) * PEOPLE + p) * TOLD;
      let sum = 0;
      for (let c = 0; c < CELLS; c++) {
        const x = centres[2 * (r * CELLS + c)]! - truth[at]!;
        const y = centres[2 * (r * CELLS + c) + 1]! - truth[at + 1]!;
        heap[c] = Math.exp(-(x * x + y * y) / (2 * HEAP ** 2)) + 1e-9;
        sum += heap[c]!;
      }
      for (let c = 0; c < CELLS; c++) out[r * CELLS + c]! += heap[c]! / sum / count;
    }
  }
  return tf.tensor2d(out, [rooms, CELLS]);
}
