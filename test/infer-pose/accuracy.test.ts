import { beforeAll, describe, expect, it } from 'vitest';
import { packageFile } from '../../pipeline/base/paths.js';
import { loadBackend } from '../../operators/infer-pose/backends/backends.js';
import { Network, weightTensors } from '../../operators/infer-pose/networks/network.js';
import { accuracyOf, meanPose, type Accuracy } from '../../operators/infer-pose/training/accuracy.js';
import { generateChunk } from '../../operators/infer-pose/training/generate.js';
import { heldOutSamples, outcomes, trueJoints } from '../../operators/infer-pose/training/outcomes.js';
import { ChunkSource } from '../../operators/infer-pose/training/pool.js';
import { readModel, SHIPPED } from '../../operators/infer-pose/model/weights.js';

describe('the general model on 40 held-out rooms with four links', () => {
  let accuracy: Accuracy;
  beforeAll(async () => {
    await loadBackend('wasm');
    const { manifest, weights } = readModel(packageFile(`${SHIPPED}/general`));
    const samples = heldOutSamples({ seed: 950_000, sequences: 40, links: 4, environment: null });
    const held = outcomes(new Network(weightTensors(weights)), samples);
    accuracy = accuracyOf(held, manifest.calibration, meanPose(trueJoints(samples)));
  });

  it('places people better than the middle of the room does', () => {
    expect(accuracy.all.root).toBeLessThan(0.8 * accuracy.all.rootConstant);
    expect(accuracy.activities.walking!.root).toBeLessThan(0.75);
  });

  it('poses walkers better than a constant pose, even one fitted to these windows', () => {
    expect(accuracy.activities.walking!.mpjpe).toBeLessThan(
      0.85 * accuracy.activities.walking!.mpjpeConstant,
    );
    expect(accuracy.activities.walking!.heading).toBeLessThan(60);
  });

  it('predicts larger errors where it errs more', () => {
    const [first] = accuracy.fifths;
    const last = accuracy.fifths.at(-1)!;
    expect(first!.actual).toBeLessThan(last.actual);
  });

  it('reports people in few empty rooms', () => {
    expect(accuracy.presence.falsePresence).toBeLessThan(0.5);
    expect(accuracy.presence.missed.walking).toBeLessThan(0.1);
  });
});

describe('training data', () => {
  const plan = {
    seed: 4,
    links: 2,
    sequences: 2,
    seconds: 3,
    windows: 2,
    people: [0, 1],
    conditions: 'wide' as const,
    falls: 0,
    environment: null,
  };

  it('arrives from worker threads in order, equal to data made here', async () => {
    const source = new ChunkSource(plan, 2);
    try {
      for (let chunk = 0; chunk < 3; chunk++) expect(await source.next()).toEqual(generateChunk(plan, chunk));
    } finally {
      await source.close();
    }
  });

  it('is finite', () => {
    expect(generateChunk({ ...plan, people: [0.3, 0.3, 0.4] }, 7).features.every(Number.isFinite)).toBe(true);
  });

  it('never trains on held-out seeds', () => {
    expect(() => heldOutSamples({ seed: 1, sequences: 1, links: 2, environment: null })).toThrow(
      /held-out seeds/,
    );
  });
});
