import { describe, expect, it } from 'vitest';
import { logit, LOOK_STEPS, trainEnsemble } from '../../operators/detect-falls/networks/dense.js';
import {
  parametersOf,
  readSeveralWeights,
  readWeights,
} from '../../operators/detect-falls/networks/weights.js';
import { FEATURES } from '../../operators/detect-falls/motion/features.js';
import { SETTINGS, THRESHOLD } from '../../operators/detect-falls/training/train.js';
import { FURTHER_SETTINGS, SEVERAL_SETTINGS } from '../../bench/falls/train-several.js';
import { seeded } from '../../pipeline/base/random.js';

describe('the weights of detect-falls', () => {
  const weights = readWeights();

  it('were trained only on the two sets with an open licence', () => {
    expect(
      weights.trainedOn.map(({ data, licence, folder }) => [data.split(' ')[0], licence, folder]),
    ).toEqual([
      ['wifi_csi', 'MIT', 'captures/esp32-serial'],
      ['stability-csi-har', 'Apache-2.0', 'labelled/esp32-continuous'],
    ]);
    expect(weights.trainedOn.map(({ examples }) => examples)).toEqual([
      '6 falls, 39 others',
      '0 falls, 24 others',
    ]);
  });

  it('match the features and the settings of this code', () => {
    expect(weights.features).toEqual(FEATURES);
    expect(weights.settings).toEqual({ ...SETTINGS, seed: 1 });
    expect(weights.threshold).toBe(THRESHOLD);
    expect(weights.nets).toHaveLength(SETTINGS.nets);
    for (const { hidden, output } of weights.nets) {
      expect(hidden.map((row) => row.length)).toEqual(Array(SETTINGS.units).fill(FEATURES.length + 1));
      expect(output).toHaveLength(SETTINGS.units + 1);
    }
    expect(Number.isFinite(logit(weights, weights.mean))).toBe(true);
  });
});

describe('the weights of several links', () => {
  const weights = readSeveralWeights();

  it('match the inputs and settings of this code, and state that they were trained on simulated rooms', () => {
    expect(weights.settings).toEqual({ ...SEVERAL_SETTINGS, ...FURTHER_SETTINGS, seed: 7, patience: 20 });
    expect(weights.trainedOn).toContain('simulator');
    expect(weights.trainedWith).toContain('csiflow train falls --several');
    expect(parametersOf(weights)).toHaveLength(SEVERAL_SETTINGS.nets);
    expect(weights.deviation.every((value) => value > 0)).toBe(true);
  });

  it('of another network are rejected by name', () => {
    expect(() => parametersOf({ ...weights, lagsMs: [5] })).toThrow(
      'falls-several.json belongs to another network',
    );
  });
});

describe('a training of small nets with validation', () => {
  const settings = { ...SETTINGS, nets: 2, units: 3, positives: 20, negatives: 40, steps: 200 };
  const random = seeded(3);
  /** Falls are assigned at random: nothing learnt here generalises. */
  const chance = Array.from({ length: 120 }, (_, i) => ({
    inputs: [random(), random(), random()],
    positive: i % 3 === 0,
  }));
  const steps = (patience: number) => {
    const found: number[] = [];
    trainEnsemble(chance, settings, seeded(1), { patience, progress: (net) => found.push(net.steps) });
    return found;
  };

  it('stops when validation data does not improve', () => {
    for (const taken of steps(3)) {
      expect(taken).toBeLessThan(settings.steps);
      expect(taken % LOOK_STEPS).toBe(0);
    }
    expect(steps(0)).toEqual([settings.steps, settings.steps]);
  });

  it('reports too little data to leave any out', () => {
    const few = chance.slice(0, 4);
    expect(() => trainEnsemble(few, settings, seeded(1), { patience: 3 })).toThrow(
      /Early stopping requires at least/,
    );
    expect(trainEnsemble(few, settings, seeded(1)).nets).toHaveLength(2);
  });
});
