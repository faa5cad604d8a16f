import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { levelChangeOf } from '../../operators/shared/level-motion.js';

/** Two seconds of 50 frames a second, with a point of the grid every 20 ms. */
const POINTS = 100;
const lags = { energy: 13, covariance: 3, frame: 1 };
const change = (level: (point: number) => number, points = POINTS) =>
  levelChangeOf({ levels: Float64Array.from({ length: points }, (_, i) => level(i)) }, lags, {
    frames: points,
    duration: points / 50,
  });
const sine = (i: number) => 0.1 * Math.sin((2 * Math.PI * i) / 50);
const correlation = ({ covariance, variance }: ReturnType<typeof change>) => covariance / variance;

describe('the change of a level', () => {
  it('has the energy of an oscillation', () => {
    const square = 4 * 0.005 * Math.sin((Math.PI * lags.energy) / 50) ** 2;
    expect(change(sine).energy).toBeCloseTo(Math.log10(square), 1);
  });

  it('has hardly any energy if it is a step', () => {
    expect(change((i) => (i < 37 ? 0 : 0.1) + sine(i) / 100).energy).toBeLessThan(change(sine).energy - 3);
  });

  it('has none if the level is constant, nor any variance', () => {
    const { energy, covariance } = change(() => Math.log(10.3));
    expect(energy).toBe(-12);
    expect(covariance).toBeCloseTo(0, 20);
  });

  it('correlates if it is slow, but not from frame to frame', () => {
    expect(correlation(change(sine))).toBeGreaterThan(0.8);
    expect(correlation(change((i) => (i % 2 === 0 ? 0 : 0.1)))).toBeLessThan(-0.9);
  });

  it('is unknown without two measurements apart, and in a window of less than three lags', () => {
    expect(change((i) => (i === 4 ? 0.1 : NaN)).energy).toBeNaN();
    expect(change((i) => (i === 4 ? 0.1 : NaN)).covariance).toBeNaN();
    expect(change(sine, 38).energy).toBeNaN();
  });

  it('does not depend on the level itself, and leaves its input as it is', () => {
    const levels = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), {
      minLength: POINTS,
      maxLength: POINTS,
    });
    fc.assert(
      fc.property(levels, fc.double({ min: -10, max: 10, noNaN: true }), (given, by) => {
        const [here, there] = [change((i) => given[i]!), change((i) => given[i]! + by)];
        expect(there.variance).toBeCloseTo(here.variance, 9);
        expect(there.covariance).toBeCloseTo(here.covariance, 9);
      }),
    );
  });
});
