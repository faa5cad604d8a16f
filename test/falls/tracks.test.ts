import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AntennaTracks } from '../../operators/detect-falls/motion/tracks.js';
import { seeded } from '../../pipeline/base/random.js';

const SUBCARRIERS = 12;
const SAMPLES = 90;

/** Amplitudes that wander, [sample][subcarrier]. */
function wandering(seed: number, noise: number): readonly Float32Array[] {
  const random = seeded(seed);
  const level = Float32Array.from({ length: SUBCARRIERS }, () => 1 + random());
  return Array.from({ length: SAMPLES }, () =>
    level.map((value, i) => (level[i] = value + noise * (random() - 0.5))).slice(),
  );
}

const pushed = (samples: readonly Float32Array[], into = new AntennaTracks(SUBCARRIERS)) => {
  for (const sample of samples) into.push(sample, 0, false);
  return into;
};

const total = (values: ArrayLike<number>) => Array.from(values).reduce((a, b) => a + b, 0);

/** Each sample divided by its mean. */
const relative = (samples: readonly Float32Array[]) =>
  samples.map((sample) => Array.from(sample, (value) => (value * SUBCARRIERS) / total(sample)));

/** Autocorrelation at one sample over the 25 samples around `centre`, term by term. */
function correlationAround(samples: readonly (readonly number[])[], centre: number): number {
  const rows = samples.slice(centre - 12, centre + 13);
  let [covariance, variance] = [0, 0];
  for (let i = 0; i < SUBCARRIERS; i++) {
    const mean = total(rows.map((row) => row[i]!)) / rows.length;
    const high = rows.map((row) => row[i]! - mean);
    high.forEach((value, j) => {
      variance += value * value;
      if (j > 0) covariance += value * high[j - 1]!;
    });
  }
  return covariance / variance;
}

describe('motion tracks', () => {
  it('equal sums over their whole stretch', () => {
    const samples = wandering(3, 0.05);
    const tracks = pushed(samples);
    const rows = relative(samples);
    for (const centre of [40, 55, 70])
      expect(tracks.correlation(centre)).toBeCloseTo(correlationAround(rows, centre), 4);
  });

  it('have no autocorrelation in a channel that stands still', () => {
    const still = wandering(5, 0);
    expect(pushed(still).correlation(60)).toBe(0);
  });

  it('resume from a snapshot equally, to the last bit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: SAMPLES - 1 }), fc.nat(), (at, seed) => {
        const samples = wandering(seed, 0.1);
        const whole = pushed(samples);
        const before = pushed(samples.slice(0, at));
        const resumed = pushed(samples.slice(at), AntennaTracks.restore(before.snapshot()));
        expect(resumed.snapshot()).toEqual(whole.snapshot());
      }),
      { numRuns: 40 },
    );
  });
});
