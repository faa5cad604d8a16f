import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CHANNELS } from '../../operators/detect-falls/impacts/changes.js';
import type { Impact } from '../../operators/detect-falls/impacts/impacts.js';
import { STEPS } from '../../operators/detect-falls/networks/impact-net.js';
import { readSeveralWeights, readSlowWeights } from '../../operators/detect-falls/networks/weights.js';
import { judgeOf } from '../../operators/detect-falls/verdict/judge.js';
import { temporaryFolder } from '../support/flow.js';

const impact = (rateHz: number): Impact => ({
  ...{ time: 0, early: false, links: 2, learnt: 600, peak: 1, duration: 1, rateHz },
  antennas: [0, 1].map((antenna) =>
    Float32Array.from({ length: STEPS * CHANNELS }, (_, i) => Math.sin(i + antenna)),
  ),
});

/** Scores of the same end of motion behind links with these frames a second. */
const scores = (rates: readonly number[], weights?: string, folder = '.') => {
  const judge = judgeOf({ method: 'nets', warn: false, ...(weights !== undefined && { weights }) }, folder);
  return rates.map((rate) => judge.impact!(impact(rate)).score);
};

test('rooms whose links have few frames a second have networks of their own', () => {
  const [slow, nearly, usual, fast] = scores([20, 22.9, 23, 100]);
  expect(nearly).toBe(slow);
  expect(fast).toBe(usual);
  expect(slow).not.toBe(usual);
});

test('scores are relative to the threshold of the weights, so that one threshold is for both', () => {
  expect(readSlowWeights().belowHz).toBe(23);
  const folder = temporaryFolder();
  const { threshold } = readSlowWeights();
  writeFileSync(
    join(folder, 'slow.json'),
    JSON.stringify({ ...readSlowWeights(), threshold: threshold + 1 }),
  );
  const [before] = scores([20]);
  expect(scores([20], 'slow.json', folder)[0]).toBeCloseTo(before! - 1, 5);
});

test('shipped weights are those of a training with few frames, after those for more', () => {
  const { name, trainedOn, trainedWith } = readSlowWeights();
  expect(name).toBe('falls-several-slow');
  expect(trainedOn).toContain('20 to 30 frames a second');
  expect(trainedWith).toContain('--slow');
  expect(trainedOn.startsWith(readSeveralWeights().trainedOn)).toBe(true);
  const { model } = judgeOf({ method: 'nets', warn: false }, '.');
  expect(model!.trainedOn.split(readSeveralWeights().trainedOn)).toHaveLength(2);
});

test('a limit that is not a number is refused, with the file', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'slow.json'), JSON.stringify({ ...readSlowWeights(), belowHz: '23 Hz' }));
  expect(() => scores([20], 'slow.json', folder)).toThrow(/slow\.json is damaged: `belowHz`/);
});

test("a user's weights replace those of their kind: all, or those for few frames", () => {
  const folder = temporaryFolder();
  const [slow, usual] = scores([20, 50]);
  writeFileSync(join(folder, 'all.json'), JSON.stringify(readSeveralWeights()));
  expect(scores([20, 50], 'all.json', folder)[0]).not.toBe(slow);
  expect(scores([20, 50], 'all.json', folder)[1]).toBe(usual);
  writeFileSync(join(folder, 'slow.json'), JSON.stringify({ ...readSeveralWeights(), belowHz: 23 }));
  expect(scores([20, 50], 'slow.json', folder)).toEqual(scores([20, 50], 'all.json', folder));
});
