import { describe, expect, it } from 'vitest';
import {
  netScorer,
  ruleScorer,
  scoreOf,
  type Scorer,
} from '../../operators/detect-falls/networks/detector.js';
import { readWeights } from '../../operators/detect-falls/networks/weights.js';
import { play } from '../../operators/detect-falls/training/material.js';
import type { Recording } from '../../operators/detect-falls/training/recordings.js';
import { Room, type Candidate, type View } from '../../operators/detect-falls/motion/room.js';
import { amplitudes, bursts, SUBCARRIERS, type Shape } from './hand-made.js';

const SECONDS = 40;

const recording = (values: Float32Array): Recording => {
  const samples = values.length / SUBCARRIERS;
  return {
    antennas: 1,
    subcarriers: SUBCARRIERS,
    samples,
    amplitudes: values,
    gaps: new Uint8Array(samples),
  };
};

/** Candidates of a signal in a room that was still for a minute before. */
function candidates(values: Float32Array): Candidate[] {
  const room = new Room();
  play(room, recording(amplitudes(60, () => 0)));
  return play(room, recording(values));
}

const highest = (found: readonly Candidate[], scorer: Scorer): number =>
  Math.max(...found.map((candidate) => scoreOf(candidate, scorer)));

const long: Shape = (t) => (t > 10 && t < 30 ? 0.4 + 0.1 * Math.sin(t) : 0);

describe.each([
  ['nets', netScorer(readWeights())],
  ['rule', ruleScorer],
])('the score of hand-made signals, %s', (_, scorer) => {
  const scored = (shape: Shape, step?: Shape, gain = 1): number =>
    highest(candidates(amplitudes(SECONDS, shape, step).map((value) => gain * value)), scorer);
  const still: Shape = () => 0;
  const burst = scored(bursts(20));

  it('is higher for an isolated burst than for continued motion', () => {
    expect(burst).toBeGreaterThan(scored(long) + 1);
  });

  it('is higher for an isolated burst than for a step, as when furniture was moved', () => {
    expect(burst).toBeGreaterThan(scored(still, (t) => 0.3 / (1 + Math.exp(-(t - 20) / 0.3))));
  });

  it('is higher for an isolated burst than for noise alone', () => {
    expect(burst).toBeGreaterThan(scored(still) + 1);
  });

  it('does not depend on the gain of the receiver', () => {
    expect(scored(bursts(20), undefined, 8)).toBeCloseTo(burst, 3);
  });
});

describe('links', () => {
  const view = (link: string, level: number, highest: number): View => ({
    link,
    features: Float64Array.of(level),
    peak: highest,
    highest,
    duration: 1,
  });
  const first: Scorer = (features) => features[0]!;
  const scored = (...views: View[]) => scoreOf({ sample: 0, links: 1, learnt: 0, views }, first);

  it('are weighted by the power of the motion they saw', () => {
    expect(scored(view('near', 5, 2), view('far', -5, 0.05))).toBeGreaterThan(4.5);
    expect(scored(view('a', 5, 1), view('b', -5, 1))).toBeCloseTo(0);
  });

  it('count as one, however many antennas they have', () => {
    expect(scored(view('a', 3, 1), view('a', 3, 1), view('a', 3, 1), view('b', -3, 1))).toBeCloseTo(0);
  });

  it('have equal weight if none saw more than noise', () => {
    expect(scored(view('a', 2, -1), view('b', -4, 0))).toBeCloseTo(-1);
  });

  it('that have not seen enough are ignored', () => {
    expect(scored()).toBe(-Infinity);
  });
});
