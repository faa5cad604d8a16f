import { expect, it } from 'vitest';
import { learn } from '../../bench/suite/activity/learn.js';
import { trainKernel, type Sample } from '../../bench/suite/activity/kernel.js';
import { Random } from '../../pipeline/sources/simulator/shared/random.js';

/** Two rings, which no straight line separates. */
const rings = (count: number, seed: number): Sample[] => {
  const random = new Random(seed);
  return Array.from({ length: count }, (_, index) => {
    const label = index % 2;
    const [radius, angle] = [1 + 2 * label + 0.2 * random.normal(), random.uniform(0, 2 * Math.PI)];
    return { label, inputs: Float64Array.of(radius * Math.cos(angle), radius * Math.sin(angle)) };
  });
};

const rightOf = (samples: readonly Sample[], classify: (inputs: Float64Array) => Float64Array): number =>
  samples.filter(({ inputs, label }) => (classify(inputs)[1]! > classify(inputs)[0]! ? 1 : 0) === label)
    .length / samples.length;

it('learns classes that no straight line separates', () => {
  const classify = trainKernel(rings(100, 1), 2, { gamma: 1, ridge: 0.01 });
  expect(rightOf(rings(100, 2), classify)).toBeGreaterThan(0.95);
});

it('reproduces its samples with nothing added to the diagonal, and their mean far from all', () => {
  const samples = rings(20, 3);
  const classify = trainKernel(samples, 2, { gamma: 30, ridge: 1e-9 });
  for (const { inputs, label } of samples) expect(classify(inputs)[label]).toBeCloseTo(1, 3);
  // Inputs are clipped at four deviations, which is far from every sample at this width.
  expect(classify(Float64Array.of(1e6, -1e6))[0]).toBeCloseTo(0.5, 3);
});

it('chooses its settings without the evaluated group', () => {
  const samples = rings(80, 4);
  const groups = samples.map((_, index) => `person ${index % 3}`);
  const { classify, settings } = learn(samples, groups, 2);
  expect(settings.gamma).toBeGreaterThan(0);
  expect(rightOf(rings(100, 5), classify)).toBeGreaterThan(0.9);
});
