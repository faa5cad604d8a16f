import { createRequire } from 'node:module';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadBackend } from '../../operators/infer-pose/backends/backends.js';
import {
  DIRECTION_FEATURES,
  PLACE_FEATURES,
  WALL_FEATURES,
} from '../../operators/infer-pose/inputs/geometry.js';
import { LAYERS, OFFSETS } from '../../operators/infer-pose/networks/layers.js';
import { weightTensors } from '../../operators/infer-pose/networks/network.js';
import { trainingBatch } from '../../operators/infer-pose/training/batches.js';
import { generateChunk, uniform } from '../../operators/infer-pose/training/generate.js';
import { initialWeights } from '../../operators/infer-pose/training/initial.js';
import { batchLoss, TERMS } from '../../operators/infer-pose/training/loss.js';
import { Adam, learningRate } from '../../operators/infer-pose/training/optimizer.js';
import { lossAndGradient } from '../../operators/infer-pose/training/step.js';

beforeAll(async () => {
  createRequire(import.meta.url)('@tensorflow/tfjs-layers');
  await loadBackend('wasm');
});

const plan = {
  seed: 3,
  links: 2,
  sequences: 3,
  seconds: 2,
  windows: 1,
  people: [0.3, 0.4, 0.3],
  conditions: 'wide' as const,
  falls: 0,
  environment: null,
};

function tinyCase() {
  const samples = generateChunk(plan, 0);
  const random = uniform(5, 0);
  const picks = [0, 1, 2].map((index) => ({ samples, index }));
  const batch = trainingBatch(picks, { links: 2, uncalibrated: 0, turned: true }, random);
  return { batch, weights: initialWeights(random, samples), random };
}

const lossOf = (
  weights: Float32Array,
  batch: ReturnType<typeof tinyCase>['batch'],
  terms?: Parameters<typeof batchLoss>[2],
) => tf.tidy(() => batchLoss(weightTensors(weights), batch, terms).dataSync()[0]!);

describe('the loss', () => {
  it('has the gradient given by differences, in every layer', () => {
    const { batch, weights } = tinyCase();
    // Parts without gradient must not affect the loss: the pose head's position, and the errors under the
    // scales.
    const terms = { ...TERMS, scales: 0 };
    blank(weights, 'view', -(PLACE_FEATURES + DIRECTION_FEATURES));
    blank(weights, 'wide', -WALL_FEATURES);
    const { gradient } = lossAndGradient(weights, batch, terms);
    for (const { name } of LAYERS) {
      const { kernel, end } = OFFSETS.get(name)!;
      const slope = Math.sqrt(gradient.subarray(kernel, end).reduce((sum, g) => sum + g * g, 0));
      expect(slope, name).toBeGreaterThan(0);
      const shifted = (by: number) =>
        lossOf(
          weights.map((w, i) => (i >= kernel && i < end ? w + (by * gradient[i]!) / slope : w)),
          batch,
          terms,
        );
      const step = 0.005;
      const difference = (shifted(step) - shifted(-step)) / (2 * step);
      expect(Math.abs(difference - slope), name).toBeLessThan(0.04 * slope + 0.002);
    }
  });

  it('falls when steps are taken', () => {
    const { batch, weights } = tinyCase();
    const adam = new Adam(weights);
    const first = lossAndGradient(weights, batch);
    let { gradient } = first;
    for (let step = 0; step < 6; step++) {
      adam.step(gradient, 2e-3);
      ({ gradient } = lossAndGradient(weights, batch));
    }
    expect(lossOf(weights, batch)).toBeLessThan(0.9 * first.loss);
  });
});

/** Sets the last `-rows` inputs of a layer to 0. */
function blank(weights: Float32Array, name: string, rows: number): void {
  const { bias } = OFFSETS.get(name)!;
  const { outputs } = LAYERS.find((layer) => layer.name === name)!;
  weights.fill(0, bias + rows * outputs, bias);
}

describe('the optimizer', () => {
  it('walks to the minimum of a bowl', () => {
    const adam = new Adam(Float32Array.of(3, -2));
    for (let i = 0; i < 2000; i++)
      adam.step(
        adam.parameters.map((x) => 2 * x),
        0.02,
      );
    for (const x of adam.parameters) expect(Math.abs(x)).toBeLessThan(1e-2);
  });

  it('leaves the parameters unchanged if the gradient is not finite', () => {
    const adam = new Adam(Float32Array.of(1));
    adam.step(Float32Array.of(NaN), 0.1);
    expect(adam.parameters[0]).toBe(1);
  });

  it('warms up and ends at 0', () => {
    expect(learningRate(1, 0, 0)).toBeCloseTo(1 / 60);
    expect(learningRate(1, 1000, 0.5)).toBeCloseTo(0.5);
    expect(learningRate(1, 1000, 1)).toBeCloseTo(0);
  });
});
