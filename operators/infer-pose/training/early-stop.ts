import * as tf from '@tensorflow/tfjs-core';
import { seeded } from '../../../pipeline/base/random.js';
import { weightTensors } from '../network.js';
import { trainingBatch, type TrainingBatch } from './batches.js';
import { mean } from './calibrate.js';
import { batchLoss } from './loss.js';
import { FIRST_HELD_OUT_SEED } from './outcomes.js';
import type { Samples } from './samples.js';

/** Rooms that a training is watched on: no training may have this seed, and no report measures on it. */
export const WATCHED_SEED = FIRST_HELD_OUT_SEED - 1;

/** Windows of a batch that is looked at. */
const BATCH = 128;

/** Where a training that is watched stands. */
export interface EarlyStopState {
  readonly best: Float32Array;
  readonly loss: number;
  /** Looks since the best one. */
  readonly since: number;
}

/**
 * Looks at a training on windows of rooms that it never sees, and tells when it gets no better (early stopping: Prechelt
 * 1998). The same windows, unchanged by chance, at each look: two looks differ by the weights alone.
 */
export class EarlyStop {
  readonly #batches: readonly TrainingBatch[];
  readonly #patience: number;
  #state: EarlyStopState;

  /** @param patience looks without a better one until the training stops; 0: it never does */
  constructor(samples: Samples, patience: number, resumed: EarlyStopState | null) {
    this.#batches = batchesOf(samples);
    this.#patience = patience;
    this.#state = resumed ?? { best: new Float32Array(0), loss: Infinity, since: 0 };
  }

  /** @returns mean loss of these weights, and whether the training should stop */
  look(weights: Float32Array): { readonly loss: number; readonly stop: boolean } {
    const loss = mean(this.#batches.map((batch) => lossOf(weights, batch)));
    this.#state =
      loss < this.#state.loss
        ? { best: weights.slice(), loss, since: 0 }
        : { ...this.#state, since: this.#state.since + 1 };
    return { loss, stop: this.#patience > 0 && this.#state.since >= this.#patience };
  }

  /** Of the best look. */
  get state(): EarlyStopState {
    return this.#state;
  }
}

/** All windows once, as they are. */
function batchesOf(samples: Samples): TrainingBatch[] {
  const random = seeded(WATCHED_SEED);
  const options = { links: samples.links, uncalibrated: 0, turned: false };
  return Array.from({ length: Math.ceil(samples.count / BATCH) }, (_, b) => {
    const count = Math.min(BATCH, samples.count - b * BATCH);
    const picks = Array.from({ length: count }, (__, i) => ({ samples, index: b * BATCH + i }));
    return trainingBatch(picks, options, random);
  });
}

const lossOf = (weights: Float32Array, batch: TrainingBatch): number =>
  tf.tidy(() => batchLoss(weightTensors(weights), batch).dataSync()[0]!);
