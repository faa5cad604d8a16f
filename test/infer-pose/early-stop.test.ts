import { beforeAll, describe, expect, it } from 'vitest';
import { loadTrainingBackend } from '../../operators/infer-pose/training/backend.js';
import { WATCHED_SEED, watchedLoss } from '../../operators/infer-pose/training/early-stop.js';
import { generateChunk } from '../../operators/infer-pose/training/generate.js';
import { trainingPlan } from '../../operators/infer-pose/training/train.js';
import { modelFolder, readModel } from '../../operators/infer-pose/model/weights.js';
import { EarlyStop } from '../../operators/shared/early-stop.js';

describe('a training with validation', () => {
  const { weights } = readModel(modelFolder('general', process.cwd()));
  /** So much worse that one validation shows it. */
  const worse = (by: number) => weights.map((weight, i) => weight + (i % 2 === 0 ? by : -by));
  let inOtherRooms: (weights: Float32Array) => number;
  beforeAll(async () => {
    await loadTrainingBackend('wasm');
    const rooms = generateChunk({ ...trainingPlan(WATCHED_SEED, null), sequences: 2, windows: 1 }, 0);
    inOtherRooms = watchedLoss([rooms]);
  });

  it('stops after its patience without a better validation', () => {
    const early = new EarlyStop(inOtherRooms, 1);
    expect(early.look(worse(0.2)).stop).toBe(false);
    const best = early.look(weights);
    expect(best.stop).toBe(false);
    const last = early.look(worse(0.1));
    expect(last.stop).toBe(true);
    expect(last.loss).toBeGreaterThan(best.loss);
    expect(early.state).toEqual({ best: weights, loss: best.loss, since: 1 });
  });

  it.each([
    { patience: 3, stop: true },
    { patience: 4, stop: false },
    { patience: 0, stop: false },
  ])('resumes with a patience of $patience', ({ patience, stop }) => {
    const standing = { best: weights, loss: 0, since: 2 };
    const early = new EarlyStop(() => 1, patience, standing);
    expect(early.look(worse(0.1)).stop).toBe(stop);
    expect(early.state).toEqual({ ...standing, since: 3 });
  });

  it('has no best weights if no validation gave a number', () => {
    const early = new EarlyStop(() => NaN, 5);
    early.look(weights);
    expect(() => early.best).toThrow(/not a number at any validation/);
  });
});
