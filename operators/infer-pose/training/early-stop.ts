import * as tf from '@tensorflow/tfjs-core';
import { seeded } from '../../../pipeline/base/random.js';
import { weightTensors } from '../networks/network.js';
import { trainingBatch, type TrainingBatch } from './batches.js';
import { batchLoss } from './loss.js';
import { FIRST_HELD_OUT_SEED } from './outcomes.js';
import type { Samples } from './samples.js';
import { mean } from '../../shared/mean.js';

/** Validation rooms of a training: no training may have this seed, and no report measures on it. */
export const WATCHED_SEED = FIRST_HELD_OUT_SEED - 1;

/** Windows per validation batch. */
const BATCH = 128;

/**
 * Mean loss of weights over all windows of these sets once, without augmentation: the validation loss of a
 * training.
 */
export function watchedLoss(
  sets: readonly Samples[],
  terms?: Parameters<typeof batchLoss>[2],
): (weights: Float32Array) => number {
  const batches = sets.flatMap(batchesOf);
  return (weights) => mean(batches.map((batch) => lossOf(weights, batch, terms)));
}

/** All windows once, unchanged. */
function batchesOf(samples: Samples): TrainingBatch[] {
  const random = seeded(WATCHED_SEED);
  const options = { links: samples.links, uncalibrated: 0, turned: false };
  return Array.from({ length: Math.ceil(samples.count / BATCH) }, (_, b) => {
    const count = Math.min(BATCH, samples.count - b * BATCH);
    const picks = Array.from({ length: count }, (__, i) => ({ samples, index: b * BATCH + i }));
    return trainingBatch(picks, options, random);
  });
}

const lossOf = (
  weights: Float32Array,
  batch: TrainingBatch,
  terms?: Parameters<typeof batchLoss>[2],
): number => tf.tidy(() => batchLoss(weightTensors(weights), batch, terms).dataSync()[0]!);
