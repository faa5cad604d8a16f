import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { operatingPoints } from '../../bench/falls/operating-points.js';
import { severalRooms } from '../../bench/falls/several-rooms.js';
import { roomFiles, type SimulatedImpact } from '../../bench/falls/scenes.js';
import {
  readSeveralWeights,
  severalWeightsOf,
  WEIGHTS_FILE,
} from '../../operators/detect-falls/networks/weights.js';
import { packageFile } from '../../pipeline/base/paths.js';
import { temporaryFolder } from '../support/flow.js';

const first = { further: false, recorded: true, slow: false };
const further = { ...first, further: true };
const slow = { ...further, slow: true };

test('no room for the networks of several links trains, validates and sets the threshold', () => {
  const all = [first, further, slow].map(severalRooms);
  const seeds = (part: 'training' | 'watched' | 'tuning') =>
    new Set(all.flatMap((rooms) => rooms[part].map(({ seed }) => seed)));
  const [training, watched, tuning] = [seeds('training'), seeds('watched'), seeds('tuning')];
  expect(new Set([...training, ...watched, ...tuning]).size).toBe(training.size + watched.size + tuning.size);
  // Weights that are trained further see no room again.
  const trained = [first, further, slow].map((wanted) => severalRooms(wanted).training);
  expect(new Set(trained.flatMap((rooms) => rooms.map(({ seed }) => seed))).size).toBe(
    // The recorded rooms of the first training are those of the next.
    trained.flat().length - severalRooms(first).training.filter(({ kind }) => kind === 'recorded').length,
  );
});

test('rooms are not taken from a cache that other recorded motion filled', () => {
  const fall = (pose: number) => ({
    ...{ name: 'fall_000.csv', activity: 'fall' as const, rate: 50, count: 1, loops: false, leg: 1 },
    poses: Float32Array.of(pose),
  });
  const [one, other] = [1, 2].map((pose) => roomFiles({ clips: [], falls: [fall(pose)] }));
  const [recorded, hard] = [{ kind: 'recorded', seed: 1 } as const, { kind: 'hard', seed: 1 } as const];
  expect(one!(recorded)).not.toBe(other!(recorded));
  expect(one!(hard)).toBe(other!(hard));
});

test('an operating point has as many false alarms as its rate allows, and counts each fall once', () => {
  const impact = (time: number, fall: number, unclear = false): SimulatedImpact => ({
    time,
    sequences: [],
    fall,
    unclear,
  });
  // Scores are the times. One hour: falls 0 and 1, two other ends of motion, one that is unclear.
  const examples = [
    impact(1, -1),
    impact(3, -1),
    impact(9, -1, true),
    impact(2, 0),
    impact(4, 0),
    impact(0, 1),
  ];
  const falls = [0, 1].map((from) => ({ from, to: from + 1 }));
  const points = operatingPoints(
    [{ seed: 1, seconds: 3600, falls, examples }],
    ({ time }) => time,
    [0, 1, 2],
  );
  expect(points.map(({ threshold, found, falseAnHour }) => [threshold, found, falseAnHour])).toEqual([
    [3, 1, 0],
    [1, 1, 1],
    [-Infinity, 2, 2],
  ]);
});

test('weights to train further are named if they are of one link, or have no networks', () => {
  expect(() => severalWeightsOf(packageFile(WEIGHTS_FILE))).toThrow(
    /falls\.json holds no weights for several links/,
  );
  const empty = join(temporaryFolder(), 'empty.json');
  writeFileSync(empty, JSON.stringify({ ...readSeveralWeights(), nets: undefined }));
  expect(() => severalWeightsOf(empty)).toThrow(/empty\.json holds no weights for several links/);
});
